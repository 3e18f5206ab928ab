import { type OrganizationLayout, searchWords } from '../dataset/layout.js';
import { pageLimit, type Place, type Shape } from './shape.js';

const places: readonly Place[] = ['first', 'middle', 'last'];
const directions = ['asc', 'desc'] as const;

/** The sorts that an index serves; beside them those of nullable fields, whose pages may reach from values to nulls. */
const sorts = ['id', 'name', 'created_at', 'updated_at'];
const nullableSorts = [
  'amount',
  'close_date',
  'next_action_date',
  'stage_id',
  'owner_id',
  'account_id',
  'contact_id',
  'tier',
  'code',
  'score',
  'rate',
];

/** A page's records, each from a heap page of its own, and the way down some indexes. */
const scattered = 2 * pageLimit;

const orders = (): Shape[] => [
  ...places.map((place): Shape => ({ name: 'list', objectType: 'opportunity', place, statements: 1, maxBuffers: 40 })),
  ...[...sorts, ...nullableSorts].flatMap((field) =>
    directions.flatMap((direction) =>
      places.map((place): Shape => ({
        name: `sort ${field}:${direction}`,
        objectType: 'opportunity',
        sort: `${field}:${direction}`,
        place,
        statements: nullableSorts.includes(field) ? 2 : 1,
        maxBuffers: scattered,
      })),
    ),
  ),
];

const stages = ({ stageIds }: OrganizationLayout): Shape[] =>
  places.map((place) => ({
    name: 'list of a stage',
    objectType: 'opportunity',
    stageId: stageIds[0]?.[0] ?? '',
    place,
    statements: 1,
    maxBuffers: scattered,
  }));

const filter = (field: string, operator: string, value: unknown) => ({ field, operator, value });

/** One comparison under an order. */
const filtered = (name: string, field: string, operator: string, value: unknown, more: Partial<Shape>): Shape => ({
  name: `${field} ${operator} ${name}`,
  objectType: 'opportunity',
  filters: filter(field, operator, value),
  statements: 1,
  ...more,
});

/** The three orders in which a filter is asked: newest first, last changed first as searches do, and by the field itself. */
const inOrders = (name: string, field: string, operator: string, value: unknown, own: Partial<Shape>): Shape[] => [
  filtered(name, field, operator, value, { ...own, sort: 'created_at:desc' }),
  filtered(name, field, operator, value, {
    sort: 'updated_at:desc',
    statements: 1,
    remark: 'no index has the field and this order',
  }),
  filtered(name, field, operator, value, { maxBuffers: scattered, sort: `${field}:asc`, statements: 2 }),
];

const equalities = (): Shape[] => {
  const flat = { maxBuffers: scattered };
  const merged = { maxBuffers: 3 * pageLimit };
  return [
    ...inOrders('50 %', 'tier', 'eq', 'gold', flat),
    ...inOrders('1 %', 'tier', 'eq', 'iron', flat),
    ...inOrders('0.01 %', 'tier', 'eq', 'zinc', flat),
    ...inOrders('a hundred deals', 'code', 'eq', 'c1', flat),
    ...inOrders('50 %', 'tier', 'in', ['gold', 'iron'], merged),
    ...inOrders('1 %', 'tier', 'in', ['iron', 'zinc'], merged),
    ...inOrders('40 %', 'stars', 'eq', 3, flat),
    filtered('two of five', 'stage_name', 'in', ['New', 'Won'], { ...merged, sort: 'created_at:desc' }),
  ];
};

const ranges = (): Shape[] => {
  const walk = { remark: 'reads on until the page is full, or sorts all that match' };
  const shares = [
    ['50 %', 0.5],
    ['1 %', 0.01],
    ['0.01 %', 0.0001],
  ] as const;
  return shares.flatMap(([name, share]) => [
    ...inOrders(name, 'amount', 'between', [0, 111_000 * share], walk),
    ...inOrders(name, 'score', 'between', [0, 1_050_000 * share], walk),
  ]);
};

const searches = (): Shape[] => {
  const { common, rare, absent, oldClustered } = searchWords;
  const search = (name: string, words: string, more: Partial<Shape> = {}): Shape[] =>
    ['created_at:desc', 'updated_at:desc'].map((sort) => ({
      ...{ name: `q ${name}`, objectType: 'opportunity', words, sort, statements: 2 },
      ...more,
    }));
  return [
    ...search('common', common, { statements: 1 }),
    ...search('rare', rare),
    ...search('absent', absent),
    ...search('old-clustered', oldClustered, { remark: 'fetches all that match' }),
    ...search('two common words', `${common} alpha`, { statements: 1 }),
    ...search('one account', 'company7.com'),
    ...search('two characters, common', 'ga', { statements: 1 }),
    ...search('two characters, absent', 'q7', { remark: 'two characters have no trigram: reads all' }),
  ];
};

const relations = (): Shape[] => {
  const domain = filter('account.domain', 'eq', 'company7.com');
  const email = filter('contact.email', 'eq', 'person1@company7.com');
  const one = (name: string, filters: unknown, sort: string, more: Partial<Shape>): Shape => ({
    ...{ name, objectType: 'opportunity', filters, sort, statements: 1 },
    ...more,
  });
  return [
    one('account.domain eq', domain, 'created_at:desc', { maxBuffers: scattered }),
    one('account.domain eq', domain, 'updated_at:desc', { remark: 'sorts the deals of one account' }),
    one('contact.email eq', email, 'created_at:desc', { maxBuffers: scattered }),
    one(
      'account.name eq one of few',
      filter('account.name', 'in', ['acme inc 7', 'acme ltd 7']),
      'created_at:desc',
      {},
    ),
    one('account.name contains', filter('account.name', 'contains', 'acme'), 'created_at:desc', {
      remark: 'looks at every account',
    }),
  ];
};

const wholeOrganization = (): Shape[] => {
  const all = { objectType: 'opportunity', pipelineId: null } as const;
  return [
    ...places.map((place): Shape => ({
      ...{ ...all, name: 'all pipelines', place, statements: 1, maxBuffers: 3 * pageLimit },
    })),
    { ...all, name: 'all pipelines', sort: 'updated_at:desc', statements: 1, maxBuffers: 3 * pageLimit },
    { ...all, name: 'all pipelines, q common', words: searchWords.common, statements: 1 },
    { ...all, name: 'all pipelines, q rare', words: searchWords.rare, statements: 2 },
    {
      ...{ ...all, name: 'all pipelines, tier in 1 %', filters: filter('tier', 'in', ['iron', 'zinc']), statements: 1 },
      maxBuffers: 5 * pageLimit,
    },
  ];
};

const catalogSorts = (): Shape[] =>
  ['stage_name', 'owner_email', 'account_domain'].map((field) => ({
    name: `sort ${field}:asc`,
    objectType: 'opportunity',
    sort: `${field}:asc`,
    statements: 2,
    remark: 'no index has this order',
  }));

const others = (): Shape[] =>
  (['account', 'contact'] as const).flatMap((objectType) => [
    ...places.map((place): Shape => ({ name: 'list', objectType, place, statements: 1, maxBuffers: 40 })),
    { name: 'sort name:asc', objectType, sort: 'name:asc', statements: 2, maxBuffers: scattered },
    { name: 'sort updated_at:desc', objectType, sort: 'updated_at:desc', statements: 1, maxBuffers: 40 },
    { name: 'q one account', objectType, words: 'company77.com', statements: 2 },
    { name: 'q absent', objectType, words: searchWords.absent, statements: 2 },
  ]);

/** Every shape of page whose cost the project watches, those that are promised to be flat and those that are not. */
export const allShapes = (organization: OrganizationLayout): readonly Shape[] => [
  ...orders(),
  ...stages(organization),
  ...equalities(),
  ...ranges(),
  ...searches(),
  ...relations(),
  ...wholeOrganization(),
  ...catalogSorts(),
  ...others(),
];
