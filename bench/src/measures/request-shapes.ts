import type { BenchRequest } from '../harness/programs.js';

/** The kinds of requests with a target: what their rate is compared with, and the least ratio. */
export const kinds = {
  read: { base: 'list of 1', atLeast: 0.9 },
  'sorted list': { base: 'list of 50', atLeast: 0.75 },
  'list with fields': { base: 'list of 50', atLeast: 0.75 },
  'one value': { base: 'list of 50', atLeast: 0.7 },
} as const;

/** A request of S18. */
export interface RequestShape {
  readonly name: string;
  readonly kind: keyof typeof kinds | null;
  readonly request: BenchRequest;
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

const sortedFields =
  'updated_at name amount close_date next_action_date account_domain contact_email code score due tier'.split(' ');
const tenFields =
  'id,name,amount,currency,stage_name,owner_email,account_domain,contact_email,created_at,custom_fields';

const condition = (field: string, operator: string, value: unknown) => ({ field, operator, value });

/** Forty requests: reads by id and key, lists with fields and sorts, searches by values, ranges and words. */
export const requestShapes = (
  { pipelineId, stageIds, opportunityId, accountId, contactId, domain, email }: KnownRecords,
  headers: Readonly<Record<string, string>>,
): readonly RequestShape[] => {
  const get = (name: string, kind: RequestShape['kind'], path: string): RequestShape => ({
    name,
    kind,
    request: { path: `/v1/${path}`, headers },
  });
  const list = (name: string, kind: RequestShape['kind'], query: string): RequestShape =>
    get(name, kind, `opportunities?pipeline_id=${pipelineId}&${query}`);
  const search = (name: string, kind: RequestShape['kind'], content: object): RequestShape => ({
    name,
    kind,
    request: {
      path: '/v1/opportunities/search',
      headers,
      body: JSON.stringify({ pipeline_id: pipelineId, limit: 50, ...content }),
    },
  });
  const sorted = (sort: string): RequestShape => search(`list sorted by ${sort}`, 'sorted list', { sort });
  const one = (field: string, operator: string, value: unknown): RequestShape =>
    search(`search by ${field} ${operator}`, 'one value', { filters: condition(field, operator, value) });
  const twoConditions = { and: [condition('stage_id', 'eq', stageIds[0]), condition('amount', 'lt', 50_000)] };
  const accountBody = JSON.stringify({ filters: condition('domain', 'eq', domain) });
  return [
    list('list of 1', null, 'limit=1'),
    get('opportunity by id', 'read', `opportunities/${opportunityId}`),
    get('account by id', 'read', `accounts/${accountId}`),
    get('account by domain', 'read', `accounts/by-domain/${domain}`),
    get('contact by id', 'read', `contacts/${contactId}`),
    get('contact by email', 'read', `contacts/by-email/${encodeURIComponent(email)}`),
    list('list of 50', null, 'limit=50'),
    list('list with fields=name', 'list with fields', 'limit=50&fields=name'),
    list('list with ten fields', 'list with fields', `limit=50&fields=${tenFields}`),
    search('list from the oldest', 'sorted list', { sort: 'created_at:asc' }),
    ...sortedFields.flatMap((field) => [sorted(`${field}:asc`), sorted(`${field}:desc`)]),
    one('account_domain', 'eq', domain),
    one('stage_id', 'in', stageIds.slice(0, 2)),
    one('tier', 'eq', 'iron'),
    search('search by amount, a range', null, { filters: condition('amount', 'gte', 50_000) }),
    search('search by words', null, { query: 'renewal' }),
    search('search by two conditions', null, { filters: twoConditions }),
    get('list of accounts', null, 'accounts?limit=50'),
    {
      name: 'search of accounts by domain eq',
      kind: null,
      request: { path: '/v1/accounts/search', headers, body: accountBody },
    },
  ];
};
