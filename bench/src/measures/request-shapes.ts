import type { LoadRequest } from '../harness/load.js';

/** The kinds of requests: what their rate is compared with, and the least ratio. */
export const kinds = {
  ...{ 'list of 1': null, 'list of 50': null, 'other search': null },
  read: { base: 'list of 1', least: 0.9 },
  'sorted list': { base: 'list of 50', least: 0.75 },
  'list with fields': { base: 'list of 50', least: 0.75 },
  'one value': { base: 'list of 50', least: 0.7 },
};

type RequestKind = keyof typeof kinds;

/** A request of S18. */
export interface RequestShape {
  readonly name: string;
  readonly kind: RequestKind;
  readonly request: LoadRequest;
}

/** Records to read by id and key. */
export interface KnownRecords {
  readonly pipelineId: string;
  readonly stageIds: readonly string[];
  readonly opportunityId: string;
  readonly accountId: string;
  readonly contactId: string;
  readonly domain: string;
  readonly email: string;
}

type Headers = Readonly<Record<string, string>>;

const sortedFields = [
  ...['updated_at', 'name', 'amount', 'close_date', 'next_action_date', 'account_domain', 'contact_email'],
  ...['code', 'score', 'due', 'tier'],
];

const condition = (field: string, operator: string, value: unknown) => ({ field, operator, value });

/** Forty requests: reads by id and key, lists with fields and sorts, searches by values, ranges and words. */
export const requestShapes = (known: KnownRecords, headers: Headers): readonly RequestShape[] => {
  const get = (name: string, kind: RequestKind, path: string): RequestShape => ({
    ...{ name, kind },
    request: { path: `/v1/${path}`, headers },
  });
  const list = (name: string, kind: RequestKind, query: string): RequestShape =>
    get(name, kind, `opportunities?pipeline_id=${known.pipelineId}&${query}`);
  const search = (name: string, kind: RequestKind, content: object, object = 'opportunities'): RequestShape => ({
    ...{ name, kind },
    request: {
      ...{ method: 'POST', path: `/v1/${object}/search` },
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(object === 'opportunities' ? { pipeline_id: known.pipelineId, ...content } : content),
    },
  });
  const one = (field: string, operator: string, value: unknown): RequestShape =>
    search(`search by ${field} ${operator}`, 'one value', { filters: condition(field, operator, value), limit: 50 });
  const other = (name: string, content: object): RequestShape =>
    search(`search by ${name}`, 'other search', { ...content, limit: 50 });
  const [stage = '', secondStage = ''] = known.stageIds;
  return [
    list('list of 1', 'list of 1', 'limit=1'),
    get('opportunity by id', 'read', `opportunities/${known.opportunityId}`),
    get('account by id', 'read', `accounts/${known.accountId}`),
    get('account by domain', 'read', `accounts/by-domain/${known.domain}`),
    get('contact by id', 'read', `contacts/${known.contactId}`),
    get('contact by email', 'read', `contacts/by-email/${encodeURIComponent(known.email)}`),
    list('list of 50', 'list of 50', 'limit=50'),
    list('list with fields=name', 'list with fields', 'limit=50&fields=name'),
    list(
      'list with ten fields',
      'list with fields',
      'limit=50&fields=id,name,amount,currency,stage_name,owner_email,account_domain,contact_email,created_at,custom_fields',
    ),
    search('list from the oldest', 'sorted list', { sort: 'created_at:asc', limit: 50 }),
    ...sortedFields.flatMap((field) =>
      ['asc', 'desc'].map((direction) =>
        search(`list sorted by ${field}:${direction}`, 'sorted list', { sort: `${field}:${direction}`, limit: 50 }),
      ),
    ),
    one('account_domain', 'eq', known.domain),
    one('stage_id', 'in', [stage, secondStage]),
    one('tier', 'eq', 'iron'),
    other('amount, a range', { filters: condition('amount', 'gte', 50_000) }),
    other('words', { query: 'renewal' }),
    other('two conditions', {
      filters: { and: [condition('stage_id', 'eq', stage), condition('amount', 'lt', 50_000)] },
    }),
    get('list of accounts', 'other search', 'accounts?limit=50'),
    search(
      'search of accounts by domain eq',
      'other search',
      { filters: condition('domain', 'eq', known.domain) },
      'accounts',
    ),
  ];
};
