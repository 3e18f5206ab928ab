import { bounds, includedNames } from '@crm/contract';
import { maxFieldNames, maxFilterLeaves, maxListValues, type ObjectType } from '@crm/domain';
import type { TestRequest } from '@crm/testing';
import { type CostlyRequest, type CostlyRequests, numbers, same } from './costly-requests.js';
import { hosts, listsOf, scriptNames, textIn } from './costly-values.js';
import { largeFields, largeSlug, largeType, selectSlug } from './largest-setup.js';

/** Below the limit of 256 KB, with room for the rest of the body. */
const listBytes = 235_000;
const near = (index: number): string => `${largeSlug(index).slice(0, 48)}zq${largeSlug(index).slice(50)}`;
const slugsOf = (type: string): readonly string[] =>
  numbers(largeFields - 1)
    .filter((index) => largeType(index) === type)
    .map(largeSlug);
const keyFields: Readonly<Record<ObjectType, (host: string) => readonly [field: string, value: string]>> = {
  account: (host) => ['domain', host],
  contact: (host) => ['email', `a@${host}`],
  opportunity: (host) => ['contact.email', `a@${host}`],
};

const leavesOf = (field: (index: number) => string, lists: readonly (readonly unknown[])[]) =>
  lists.map((value, index) => ({ field: field(index), operator: 'in', value }));

/** Filters with the most comparisons and values. */
const filtersOf = (objectType: ObjectType): readonly [string, object, number?][] => {
  const strings = slugsOf('string');
  const emails = slugsOf('email');
  const dates = numbers(49).map((n) => `2026-01-${String((n % 28) + 1).padStart(2, '0')}`);
  const options = numbers(maxFilterLeaves).map((list) =>
    numbers(maxListValues).map((n) => `option_${(n + list * 7) % 490}`),
  );
  return [
    ...Object.entries(hosts).map(([kind, hostOf]): [string, object, number] => {
      const values = listsOf((n) => keyFields[objectType](hostOf(n))[1], maxListValues, maxFilterLeaves, listBytes);
      return [
        `${kind} hosts`,
        { or: leavesOf(() => keyFields[objectType]('')[0], values) },
        kind === 'refused' ? 400 : 200,
      ];
    }),
    ...scriptNames.map((script): [string, object] => [
      `lists of ${script}`,
      leavesOf(
        (n) => strings[n % strings.length] ?? '',
        listsOf((n) => `${textIn(script, 6)}${n}`, maxListValues, maxFilterLeaves, listBytes),
      ),
    ]),
    ...scriptNames.map((script): [string, object] => [
      `long words of ${script}`,
      {
        or: numbers(maxFilterLeaves).map((n) => ({
          field: strings[n % strings.length],
          operator: n % 2 === 0 ? 'contains' : 'not_contains',
          value: `${textIn(script, 1_000)}${n}`,
        })),
      },
    ]),
    [
      'emails of custom fields',
      leavesOf(
        (n) => emails[n % emails.length] ?? '',
        listsOf((n) => `a@ü${n}.de`, maxListValues, maxFilterLeaves, listBytes),
      ),
    ],
    ['options', { or: leavesOf(() => selectSlug, options) }],
    ['days', { field: 'created_at', operator: 'in', value: dates }],
    [
      'depth',
      numbers(10).map((n) => ({
        not: {
          or: [
            { and: numbers(4).map((m) => ({ not: { field: strings[n], operator: 'contains', value: `${n}${m}` } })) },
          ],
        },
      })),
    ],
    ['unknown fields', numbers(maxFilterLeaves).map((n) => ({ field: near(n), operator: 'eq', value: 'x' })), 400],
    [
      'a thousand unknown keys',
      numbers(maxFilterLeaves).map(() => Object.fromEntries(numbers(30).map((n) => [`k${n}`, 1]))),
      400,
    ],
  ];
};

const words = numbers(100)
  .map((n) => String.fromCodePoint(0x4e00 + n))
  .join(' ');
const allNames = numbers(maxFieldNames).map(largeSlug);
const unknownNames = numbers(maxFieldNames).map(near);

const searchesOf = (objectType: ObjectType): readonly CostlyRequest[] => {
  const sort = [
    slugsOf('string')[0],
    `${slugsOf('email')[0]}:desc`,
    { field: slugsOf('number')[0], direction: 'desc' },
  ];
  const search = (what: string, body: object, status = 200) => same(what, { body: { limit: 500, ...body } }, status);
  return [
    ...filtersOf(objectType).map(([what, filters, status]) => search(what, { filters }, status)),
    search('the longest page', {}),
    search('words and sorts', { query: words, sort }),
    search('named fields', { fields: allNames }),
    search('unknown fields and sorts', { fields: unknownNames, sort: near(3) }, 400),
    search('a long cursor', { cursor: 'A'.repeat(8_192) }, 400),
  ];
};

const summariesOf = (objectType: ObjectType): readonly CostlyRequest[] => {
  const measures = slugsOf('number')
    .slice(0, 10)
    .map((slug) => `sum:${slug}`);
  const ask = (what: string, body: object, status = 200) => same(what, { body }, status);
  return [
    ...filtersOf(objectType).map(([what, filters, status]) => ask(what, { filters }, status)),
    ask('the most groups', { group_by: ['created_at:day', selectSlug], measures }),
    ask('the most groups of a time zone, sorted by percentiles', {
      ...{ group_by: ['created_at:day', 'updated_at:day', selectSlug], time_zone: 'Pacific/Chatham' },
      measures: [...measures.slice(0, 8), 'median:version', 'p90:version'],
      sort: ['median:version:desc', 'p90:version', 'created_at:day'],
    }),
    ask('unknown sorts', { sort: numbers(3).map((n) => `sum:${near(n)}`), time_zone: 'A/'.repeat(40) }, 400),
    ask('unknown fields', { group_by: [near(1), near(2)], measures: numbers(10).map((n) => `sum:${near(n)}`) }, 400),
  ];
};

const pages = (...more: readonly (readonly [string, TestRequest['query'], number?])[]): readonly CostlyRequest[] => [
  same('the longest page', { query: { limit: 500 } }),
  ...more.map(([what, query, status]) => same(what, { query }, status)),
];

const listsOfRecords = pages(
  ['words', { limit: 500, q: words }],
  ['all custom fields', { limit: 500, fields: 'custom_fields' }],
  ['named fields', { limit: 500, fields: allNames.join(',') }],
  ['unknown fields', { fields: unknownNames.join(',') }, 400],
  ['unknown parameters', Object.fromEntries(numbers(100).map((n) => [`limi${n}`, 'x'])), 400],
);

/** A list of deals names its pipeline. */
const inPipeline = ({ make, ...request }: CostlyRequest): CostlyRequest => ({
  ...request,
  make: async (organization) => {
    const { query } = (await make(organization)) as { query: object };
    return { query: { pipeline_id: organization.organization.pipeline.id, ...query } };
  },
});

const byId = (what: string, query: TestRequest['query'] = {}): CostlyRequest => ({
  what,
  make: ({ largestId }) => ({ params: { id: largestId }, query }),
});
const getsOf = (objectType: ObjectType): readonly CostlyRequest[] => [
  byId('the largest record'),
  byId('all fields', { fields: 'custom_fields' }),
  byId('all related records', { include: includedNames[objectType].join(',') }),
];
/** As many ids as a parameter takes, of which no record has one. */
const unknownIds = numbers(bounds.idsPerParameter)
  .map((n) => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`)
  .join(',');
const histories = [byId('the largest events', { limit: 500 })];
const byKey = (parameter: string, before: string): readonly CostlyRequest[] =>
  Object.entries(hosts).map(([kind, hostOf]) =>
    same(`${kind} hosts`, { params: { [parameter]: before + hostOf(1) } }, kind === 'refused' ? 400 : 404),
  );

const ofObject = (objectType: ObjectType, noun: string, plural: string): CostlyRequests => ({
  [`get${noun}`]: getsOf(objectType),
  [`list${plural}`]: objectType === 'opportunity' ? listsOfRecords.map(inPipeline) : listsOfRecords,
  [`list${noun}Duplicates`]: pages(),
  [`list${noun}Fields`]: pages(['archived fields', { limit: 500, include_archived: 'true' }]),
  [`list${noun}History`]: histories,
  [`search${plural}`]: searchesOf(objectType),
  [`summarize${plural}`]: summariesOf(objectType),
});

const pagesOfWebhook: readonly CostlyRequest[] = [
  { what: 'the longest page', make: ({ webhookId }) => ({ params: { id: webhookId }, query: { limit: 500 } }) },
];

/** The costliest requests of the read gateway. */
export const costlyReads: CostlyRequests = {
  ...ofObject('account', 'Account', 'Accounts'),
  ...ofObject('contact', 'Contact', 'Contacts'),
  ...ofObject('opportunity', 'Opportunity', 'Opportunities'),
  summarizeStages: [
    {
      what: 'the largest pipeline',
      make: ({ organization }) => ({ body: { pipeline_id: organization.pipeline.id, from: '1970-01-02' } }),
    },
  ],
  listOpportunityStages: [byId('the longest page', { limit: 500 })],
  getAccountByDomain: byKey('domain', ''),
  getContactByEmail: byKey('email', 'a@'),
  getNote: [{ what: 'the longest note', make: ({ noteId }) => ({ params: { id: noteId } }) }],
  listNotes: pages(['words', { limit: 500, q: words }], ['unknown ids', { account_id: unknownIds }, 400]),
  listPipelines: pages(),
  listPipelineStages: [
    {
      what: 'the longest page',
      make: ({ organization }) => ({ params: { id: organization.pipeline.id }, query: { limit: 500 } }),
    },
  ],
  listMembers: pages(),
  getLatestPosition: [same('the request', {})],
  listEvents: pages(['the events of an object', { after: 0, limit: 500, object: 'account', type: 'account.updated' }]),
  getKey: [same('the request', {})],
  getOpportunitySchema: [same('the schema of all fields', {})],
  getAccountSchema: [same('the schema of all fields', {})],
  getContactSchema: [same('the schema of all fields', {})],
  getNoteSchema: [same('the schema of all fields', {})],
  listWebhooks: pages(),
  getWebhook: [{ what: 'the webhook', make: ({ webhookId }) => ({ params: { id: webhookId } }) }],
  listWebhookAttempts: pagesOfWebhook,
  listParkedRecords: pagesOfWebhook,
};
