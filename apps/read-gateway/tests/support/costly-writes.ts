import type { ObjectType } from '@crm/domain';
import { type CostlyRequest, type CostlyRequests, type LargestOrganization, numbers, same } from './costly-requests.js';
import { customValues, hosts, scriptNames, textIn } from './costly-values.js';
import { largeFields, largeSlug, largeType, selectSlug } from './largest-setup.js';

const bodyBytes = 245_000;
const bulkBytes = 4_100_000;
let count = 0;
/** Differs for each record. */
const next = (): number => (count += 1);

/** Values of as many custom fields as fit into so many bytes. */
const customOf = (hostOf: (n: number) => string, text: string, most: number): Readonly<Record<string, unknown>> => {
  const values: Record<string, unknown> = { [selectSlug]: `489 ${'ä'.repeat(200)}` };
  let bytes = 500;
  for (const index of numbers(largeFields - 1)) {
    const value = customValues[largeType(index)]?.(hostOf(index), text);
    bytes += Buffer.byteLength(JSON.stringify(value)) + 70;
    if (bytes > most) break;
    values[largeSlug(index)] = value;
  }
  return values;
};

/** A hundred emails, or as many as fit. */
const emailsOf = (hostOf: (n: number) => string, most: number): readonly string[] =>
  numbers(Math.min(100, Math.floor(most / (Buffer.byteLength(hostOf(99)) + 5)))).map((n) => `a@${hostOf(n)}`);

/** The part of a create or update besides its custom fields, and the place of these. */
const parts: Readonly<Record<ObjectType, (custom: object, hostOf: (n: number) => string, bytes: number) => object>> = {
  account: (custom) => ({ industry: textIn('emoji', 250), custom_fields: custom }),
  contact: (custom) => ({ job_title: textIn('emoji', 250), phone: '+14155550123', custom_fields: custom }),
  opportunity: (custom, hostOf, bytes) => ({
    opportunity: { next_step: textIn('emoji', 2_000), custom_fields: custom },
    related_objects: { additional_contact_emails: emailsOf(hostOf, bytes / 3) },
  }),
};

/** The key of a new record. */
const keys: Readonly<Record<ObjectType, (organization: LargestOrganization, body: object) => object>> = {
  account: (_organization, body) => ({ domain: `new${next()}.example`, ...body }),
  contact: (_organization, body) => ({ email: `new${next()}@people.example`, ...body }),
  opportunity: ({ organization }, { opportunity, ...body }: { opportunity?: object }) => ({
    pipeline_id: organization.pipeline.id,
    opportunity: { name: `New ${next()}`, ...opportunity },
    ...body,
  }),
};

interface Variant {
  readonly what: string;
  readonly status: number;
  /** The body of a record in so many bytes, without its key. */
  readonly body: (bytes: number) => object;
}

const none = (n: number) => `host${n}.example`;

/** In a bulk call, the same five hosts for each item: the database would take minutes for ten thousand contacts. */
const few = (hostOf: (n: number) => string, bytes: number): ((n: number) => string) =>
  bytes < bodyBytes ? (n) => hostOf(n % 5) : hostOf;

/** Bodies of one record: many hosts, long texts, and as many faults as possible. */
const variantsOf = (objectType: ObjectType): readonly Variant[] => {
  const part = parts[objectType];
  const ofHosts = ([kind, hostOf]: readonly [string, (n: number) => string]): Variant => ({
    what: `custom fields of ${kind} hosts`,
    status: kind === 'refused' ? 400 : 200,
    body: (bytes) =>
      part(
        customOf(hostOf, 'x', bytes - 12_000 - (objectType === 'opportunity' ? bytes / 3 : 0)),
        few(hostOf, bytes),
        bytes,
      ),
  });
  return [
    ...Object.entries(hosts).map(ofHosts),
    ...scriptNames.map((script): Variant => ({
      what: `long texts of ${script}`,
      status: 200,
      body: (bytes) => part(customOf(none, textIn(script, 900), bytes - 12_000), (n) => none(n % 5), bytes),
    })),
    {
      what: 'unknown custom fields',
      status: 400,
      body: (bytes) =>
        part(
          Object.fromEntries(numbers(Math.min(1_000, bytes / 80)).map((n) => [largeSlug(n).replace('x', 'z'), 'v'])),
          none,
          bytes,
        ),
    },
    {
      what: 'unknown keys',
      status: 400,
      body: (bytes) => ({
        ...Object.fromEntries(numbers(Math.min(1_900, bytes / 50)).map((n) => [`unknown_${n}`, 1])),
        ...part({}, (n) => `ﷺ${hosts['refused']?.(n)}`, bytes / 2),
      }),
    },
  ];
};

const createsOf = (objectType: ObjectType): readonly CostlyRequest[] =>
  variantsOf(objectType).map(({ what, status, body }) => ({
    what,
    status,
    make: (organization) => ({ body: keys[objectType](organization, body(bodyBytes)) }),
  }));

const updatesOf = (objectType: ObjectType): readonly CostlyRequest[] =>
  variantsOf(objectType).map(({ what, status, body }) => ({
    what,
    status,
    make: ({ ids }) => ({ params: { id: ids[0] ?? '' }, body: body(bodyBytes) }),
  }));

/** A bulk call takes seconds, so only the kinds that differ. */
const bulkVariantsOf = (objectType: ObjectType): readonly Variant[] =>
  variantsOf(objectType).filter(
    ({ what }) => !/full-width|punycode|short|long accented|decomposed|accents|ascii/.test(what),
  );

const bulkCreatesOf = (objectType: ObjectType): readonly CostlyRequest[] =>
  bulkVariantsOf(objectType).map(({ what, body }) => ({
    what,
    make: (organization) => ({
      body: { items: numbers(100).map(() => keys[objectType](organization, body(bulkBytes / 100))) },
    }),
  }));

const bulkUpdatesOf = (objectType: ObjectType): readonly CostlyRequest[] =>
  bulkVariantsOf(objectType).map(({ what, body }) => ({
    what,
    make: ({ ids }) => ({ body: { items: ids.slice(0, 50).map((id) => ({ id, ...body(bulkBytes / 50) })) } }),
  }));

/** Deletes a new record. */
const deletion = (path: string, key: string, body: (organization: LargestOrganization) => object): CostlyRequest => ({
  what: 'a new record',
  make: async (organization) => ({ params: { id: await organization.create(path, body(organization), key) } }),
});

const merge: CostlyRequest = {
  what: 'a dry run of the largest record',
  make: ({ largestId, ids }) => ({
    params: { id: ids[1] ?? '' },
    body: { from: largestId, dry_run: true, deals: 'merge' },
  }),
};

const ofObject = (objectType: ObjectType, noun: string, plural: string): CostlyRequests => ({
  [`create${noun}`]: createsOf(objectType),
  [`update${noun}`]: updatesOf(objectType),
  [`bulkCreate${plural}`]: bulkCreatesOf(objectType),
  [`bulkUpdate${plural}`]: bulkUpdatesOf(objectType),
});

const notes: readonly CostlyRequest[] = [
  ...Object.entries(hosts).map(([kind, hostOf]) => {
    const emails = numbers(100).map((n) => `a@${hostOf(n)}`);
    const most = Math.floor(bodyBytes / 2 / Math.max(1, Buffer.byteLength(hostOf(99))));
    const body = {
      note: { title: 'T' },
      account_domains: numbers(100).map(hostOf).slice(0, most),
      contact_emails: emails.slice(0, most),
    };
    return same(`${kind} hosts`, { body }, kind === 'refused' ? 400 : 200);
  }),
  ...scriptNames.map((script) =>
    same(`long texts of ${script}`, {
      body: { note: { content: textIn(script, 49_000) }, account_domains: ['acme.example'] },
    }),
  ),
];

const setup = (what: string, make: CostlyRequest['make']): readonly CostlyRequest[] => [{ what, make }];
const long = (text: string): string => `${text} ${next()} ${'ö'.repeat(100)}`;
const newMember = () => ({ email: `new${next()}@ü.example`, name: long('Member') });
const newField = () => ({
  object: 'account',
  slug: `new_${next()}`,
  current_name: long('Field'),
  attribute_type: 'select',
  options: numbers(100).map((n) => ({ label: `Option ${n}` })),
});
const webhook = () => ({ url: `https://hooks.example.com/${'x'.repeat(1_900)}${next()}` });

/** The costliest requests of the inbound gateway. */
export const costlyWrites: CostlyRequests = {
  ...ofObject('account', 'Account', 'Accounts'),
  ...ofObject('contact', 'Contact', 'Contacts'),
  ...ofObject('opportunity', 'Opportunity', 'Opportunities'),
  mergeAccount: [merge],
  mergeContact: [merge],
  deleteAccount: [deletion('accounts', 'company_id', () => ({ domain: `old${next()}.example` }))],
  deleteContact: [deletion('contacts', 'people_id', () => ({ email: `old${next()}@old.example` }))],
  deleteOpportunity: [
    deletion('opportunities', 'opportunity_id', ({ organization }) => ({
      pipeline_id: organization.pipeline.id,
      opportunity: { name: `Old ${next()}` },
    })),
  ],
  deleteNote: [
    deletion('notes', 'note_id', () => ({
      note: { content: textIn('emoji', 90_000) },
      account_domains: ['acme.example'],
    })),
  ],
  createNote: notes,
  updateNote: scriptNames.map((script) => ({
    what: `long texts of ${script}`,
    make: ({ noteId }) => ({
      params: { id: noteId },
      body: { note: { content: textIn(script, 48_000) + String(next()) } },
    }),
  })),
  restoreRecord: [
    {
      what: 'the largest record',
      make: async (organization) => {
        const custom = customOf(none, textIn('emoji', 900), bodyBytes - 20_000);
        const id = await organization.create(
          'accounts',
          { domain: `back${next()}.example`, custom_fields: custom },
          'company_id',
        );
        await organization.create(`accounts/${id}`, {}, 'DELETE');
        return { body: { object: 'account', id } };
      },
    },
  ],
  createField: setup('the most options', () => ({ body: newField() })),
  updateField: setup('the field with the most options', ({ selectId }) => ({
    params: { id: selectId },
    body: { current_name: long('Options') },
  })),
  deleteField: [deletion('fields', 'field.field_id', newField)],
  createFieldOption: setup('of the most options', async ({ create }) => {
    const id = await create('fields', newField(), 'field.field_id');
    return { params: { id }, body: { label: long('Option') } };
  }),
  updateFieldOption: setup('of the most options', ({ selectId }) => ({
    params: { id: selectId },
    body: { value: 'option_489', label: `489 ${'ä'.repeat(200)}`, position: 1 + (next() % 400) },
  })),
  createMember: setup('one of the most', () => ({ body: newMember() })),
  updateMember: setup('one of the most', ({ organization }) => ({
    params: { id: organization.member.id },
    body: { name: long('Olga') },
  })),
  deleteMember: [deletion('members', 'member.member_id', newMember)],
  createPipeline: setup('the most stages', () => ({
    body: { name: long('Pipeline'), stages: numbers(100).map((n) => ({ label: `Stage ${n}` })) },
  })),
  updatePipeline: setup('one of the most', ({ organization }) => ({
    params: { id: organization.pipeline.id },
    body: { name: long('Sales') },
  })),
  createStage: setup('one of the most', ({ organization }) => ({
    params: { id: organization.otherPipeline.id },
    body: { label: long('Stage') },
  })),
  updateStage: setup('of many deals', ({ organization }) => ({
    params: { id: organization.pipeline.stages[0]?.id ?? '' },
    body: { label: long('New') },
  })),
  deleteStage: setup('a new stage', async ({ organization, create }) => ({
    params: {
      id: await create(`pipelines/${organization.pipeline.id}/stages`, { label: long('Old') }, 'stage.stage_id'),
    },
  })),
  createWebhook: [{ what: 'the longest URL', of: 'contact', make: () => ({ body: webhook() }) }],
  updateWebhook: setup('the longest URL', ({ webhookId }) => ({ params: { id: webhookId }, body: webhook() })),
  deleteWebhook: [{ ...deletion('webhooks', 'webhook.webhook_id', webhook), of: 'contact' }],
  testWebhook: setup('the webhook', ({ webhookId }) => ({ params: { id: webhookId } })),
  replayWebhook: [
    {
      what: 'the most events',
      of: 'contact',
      make: async ({ create }) => ({
        params: { id: await create('webhooks', webhook(), 'webhook.webhook_id') },
        body: { from: 1 },
      }),
    },
  ],
  skipWebhookEvents: setup('all parked records', ({ webhookId }) => ({
    params: { id: webhookId },
    body: { parked: true },
  })),
  rotateWebhookSecret: setup('the webhook', ({ webhookId }) => ({ params: { id: webhookId } })),
};
