import { type OrganizationLayout, searchWords } from '../dataset/layout.js';
import { instantOf } from '../dataset/opportunities.js';
import { pageLimit, type Place, type Shape } from './shape.js';

const places: readonly Place[] = ['first', 'middle', 'last'];
const directions = ['asc', 'desc'] as const;

/** The sorts with an index. Nullable fields have their own list, because a page may have both values and nulls. */
const sorts = ['id', 'name', 'created_at', 'updated_at'];
const nullableSorts = [
  ...[
    'stage_entered_at',
    'closed_at',
    'amount',
    'close_date',
    'next_action_date',
    'stage_id',
    'owner_id',
    'account_id',
    'contact_id',
  ],
  ...['account_domain', 'account_name', 'contact_email', 'contact_first_name', 'contact_last_name'],
];

/** The sorts by the names of stages, pipelines and members. */
const rankedSorts = ['stage_name', 'pipeline_name', 'owner_email'];
const slottedSorts = ['tier', 'code', 'score', 'rate'];

/** The limit for a page whose records are all on different heap pages, plus the descent of a few indexes. */
const scattered = 2 * pageLimit + 20;

/** The limit for a page that is merged from several index scans. */
const merged = 4 * pageLimit;

/** The limit for a page that sorts up to 2,000 matches, or that scans records in order until the page is full. */
const counted = 1_000;

/** The limit for a scan of 20,000 records. In the worst case, all of them are on different heap pages. */
const scanned = 30_000;

/** The reason why pages that begin or end with the rare value of `tier` differ between the sizes. */
const rareValue =
  'this page has the records with the value of 0.01 %: one in the small data, a full page of scattered records in the large data';

/** The reason why pages of accounts and contacts differ between the sizes: the small tables have only a few pages. */
const fewOthers = {
  account: 'the small data have only 100 accounts, on 4 table pages',
  contact: 'the small data have only 200 contacts, on 9 table pages',
};

/** The first, middle and last page of a shape. */
const atPlaces = (shape: Omit<Shape, 'place'>): Shape[] => places.map((place) => ({ ...shape, place }));

/** Sorts by one field in both directions, each at all places. */
const sortedBy = (objectType: Shape['objectType'], field: string, more: Pick<Shape, 'statements' | 'maxBuffers'>) =>
  directions.flatMap((direction) =>
    atPlaces({ name: `sort ${field}:${direction}`, objectType, sort: `${field}:${direction}`, ...more }),
  );

const orders = (): Shape[] => [
  ...atPlaces({ name: 'list', objectType: 'opportunity', statements: 1, maxBuffers: 40 }),
  ...sorts.flatMap((field) => sortedBy('opportunity', field, { statements: 1, maxBuffers: scattered })),
  ...[...nullableSorts, ...rankedSorts, ...slottedSorts].flatMap((field) =>
    sortedBy('opportunity', field, { statements: 2, maxBuffers: 2 * scattered }).map((shape) =>
      /^tier:(asc last|desc first)$/.test(`${shape.sort} ${shape.place}`) ? { ...shape, remark: rareValue } : shape,
    ),
  ),
];

const stages = ({ stageIds }: OrganizationLayout): Shape[] =>
  atPlaces({
    name: 'list of a stage',
    objectType: 'opportunity',
    stageId: stageIds[0][0] ?? '',
    statements: 1,
    maxBuffers: scattered,
  });

const filter = (field: string, operator: string, value: unknown) => ({ field, operator, value });

/** One comparison with one order. */
const filtered = (name: string, field: string, operator: string, value: unknown, more: Partial<Shape>): Shape => ({
  name: `${field} ${operator} ${name}`,
  objectType: 'opportunity',
  filters: filter(field, operator, value),
  statements: 1,
  ...more,
});

/** The three orders of a filter: newest first, last changed first as in searches, and by the field itself. */
const inOrders = (
  name: string,
  field: string,
  operator: string,
  value: unknown,
  { newest, changed }: { readonly newest: Partial<Shape>; readonly changed: Partial<Shape> },
): Shape[] => [
  filtered(name, field, operator, value, { ...newest, sort: 'created_at:desc' }),
  filtered(name, field, operator, value, { ...changed, sort: 'updated_at:desc' }),
  filtered(name, field, operator, value, { maxBuffers: merged, sort: `${field}:asc`, statements: 2 }),
];

const equalities = ({ memberIds }: OrganizationLayout): Shape[] => {
  const flat = { newest: { maxBuffers: merged }, changed: { maxBuffers: merged } };
  return [
    ...inOrders('50 %', 'tier', 'eq', 'gold', flat),
    ...inOrders('1 %', 'tier', 'eq', 'iron', flat),
    ...inOrders('0.01 %', 'tier', 'eq', 'zinc', flat),
    filtered('no record', 'external_id', 'eq', 'C-0', { maxBuffers: 40, sort: 'created_at:desc' }),
    ...inOrders('a hundred deals', 'code', 'eq', 'c1', flat),
    ...inOrders('50 %', 'tier', 'in', ['gold', 'iron'], flat),
    ...inOrders('1 %', 'tier', 'in', ['iron', 'zinc'], flat),
    ...inOrders('16 %', 'stars', 'eq', 3, flat),
    filtered('two of five', 'stage_name', 'in', ['New', 'Won'], { maxBuffers: merged, sort: 'created_at:desc' }),
    filtered('two of five', 'stage_name', 'in', ['New', 'Won'], { maxBuffers: merged, sort: 'updated_at:desc' }),
    filtered('two of five', 'stage_name', 'in', ['New', 'Won'], { maxBuffers: merged, sort: 'stage_name:desc' }),
    ...inOrders('5 %', 'owner_id', 'eq', memberIds[0], flat),
  ];
};

const ranges = (organization: OrganizationLayout): Shape[] => {
  const stepwise = {
    statements: 1,
    maxBuffers: counted,
    remark:
      'scans 300 records in sort order, sorts the matches if there are at most 2,000, else scans 20,000 records, and sorts all matches if the page is still not full',
  };
  const shares = [
    ['50 %', 0.5],
    ['1 %', 0.01],
    ['0.01 %', 0.0001],
  ] as const;
  const oldest = instantOf(organization, 0.01);
  const clustered = {
    statements: 1,
    remark: 'all matches are far from the start of the sort order: sorts all of them',
  };
  return [
    ...shares.flatMap(([name, share]) => [
      ...inOrders(name, 'amount', 'between', [0, 111_000 * share], { newest: stepwise, changed: stepwise }),
      ...inOrders(name, 'score', 'between', [0, 1_050_000 * share], { newest: stepwise, changed: stepwise }),
    ]),
    filtered('the oldest 1 %', 'created_at', 'lt', oldest, { ...clustered, sort: 'updated_at:desc' }),
    filtered('the oldest 1 %', 'due', 'lte', oldest.slice(0, 10), { ...clustered, sort: 'created_at:desc' }),
    filtered('the oldest 1 %', 'due', 'lte', oldest.slice(0, 10), { ...clustered, sort: 'updated_at:desc' }),
  ];
};

const searches = (): Shape[] => {
  const { common, rare, absent, oldClustered } = searchWords;
  const searched = {
    objectType: 'opportunity',
    statements: 1,
    remark: 'scans up to 5,000 records in sort order; sorts all matches only if the page is not full',
  } as const;
  const search = (name: string, words: string, more: Partial<Shape> = {}): Shape[] =>
    ['created_at:desc', 'updated_at:desc'].map((sort) => ({ ...searched, name: `q ${name}`, words, sort, ...more }));
  const named = (name: string, text: string): Shape[] =>
    ['created_at:desc', 'updated_at:desc'].map((sort) =>
      filtered(name, 'name', 'contains', text, { ...searched, maxBuffers: scanned, sort }),
    );
  return [
    ...search('common', common, { statements: 1, maxBuffers: 400 }),
    ...search('rare', rare, { maxBuffers: scanned }),
    ...search('absent', absent, { maxBuffers: scanned }),
    ...search('old-clustered', oldClustered, { remark: 'sorts all matches' }),
    ...search('two common words', `${common} alpha`, { statements: 1, maxBuffers: scanned }),
    ...search('one account', 'company7.com', { maxBuffers: scanned }),
    ...search('two characters, common', 'ga', {
      statements: 1,
      maxBuffers: 600,
      remark: 'two characters have no trigram: scans up to 20,000 records in sort order until the page is full',
    }),
    ...search('two characters, absent', 'q7', {
      statements: 1,
      remark:
        'two characters have no trigram: scans up to 20,000 records in sort order, then reads the whole pipeline because the page is not full',
    }),
    ...named('a common word', common),
    ...named('a rare word', rare),
  ];
};

const relations = (): Shape[] => {
  const one = (field: string, operator: string, value: unknown, sort: string, more: Partial<Shape> = {}): Shape => ({
    name: `${field} ${operator}`,
    objectType: 'opportunity',
    filters: filter(field, operator, value),
    sort,
    statements: 1,
    maxBuffers: merged,
    ...more,
  });
  const few = ['acme inc 7', 'acme ltd 7'];
  const person = 'person1@company7.com';
  const oneAccount = { maxBuffers: scanned, remark: 'sorts the deals of one account' };
  const nothing = { maxBuffers: scanned, remark: 'nothing matches: searches two indexes' };
  const many = { maxBuffers: scanned, remark: 'finds all matching accounts first' };
  return [
    one('account.domain', 'eq', 'company7.com', 'created_at:desc'),
    one('account.domain', 'eq', 'company7.com', 'updated_at:desc', oneAccount),
    one('contact.email', 'eq', person, 'created_at:desc'),
    one('account.domain', 'eq', 'company7.com', 'account_domain:asc'),
    one('account.name', 'in', few, 'created_at:desc'),
    one('account.name', 'in', few, 'account_name:desc', { statements: 2 }),
    one('contact_last_name', 'eq', 'Lovelace', 'created_at:desc'),
    one('contact_last_name', 'eq', 'Lovelace', 'updated_at:desc', { maxBuffers: scanned }),
    one('account.name', 'in', few, 'updated_at:desc', nothing),
    one('account.name', 'contains', 'acme', 'created_at:desc', many),
    one('account.name', 'contains', 'acme', 'updated_at:desc', many),
  ];
};

const smallPipeline = 'scans 5,000 records of each pipeline; the second pipeline of the small data has only 1,000';

const wholeOrganization = (): Shape[] => {
  const all = { objectType: 'opportunity', pipelineId: null } as const;
  return [
    ...atPlaces({ ...all, name: 'all pipelines', statements: 1, maxBuffers: merged }),
    { ...all, name: 'all pipelines', sort: 'updated_at:desc', statements: 1, maxBuffers: merged },
    ...rankedSorts.map((field): Shape => ({
      ...all,
      name: `all pipelines, sort ${field}:asc`,
      sort: `${field}:asc`,
      statements: 2,
      maxBuffers: merged,
    })),
    { ...all, name: 'all pipelines, q common', words: searchWords.common, statements: 1, remark: smallPipeline },
    { ...all, name: 'all pipelines, q rare', words: searchWords.rare, statements: 1, remark: smallPipeline },
    {
      ...all,
      name: 'all pipelines, tier in 1 %',
      filters: filter('tier', 'in', ['iron', 'zinc']),
      statements: 1,
      maxBuffers: merged,
      remark:
        'reads up to a page for each value in each pipeline; in the small data, fewer than 50 records have the rare value',
    },
  ];
};

/** Sorts that no index serves. */
const unindexed = (objectType: Shape['objectType'], fields: readonly string[]): Shape[] =>
  fields.map((field) => ({
    name: `sort ${field}:asc`,
    objectType,
    sort: `${field}:asc`,
    statements: 2,
    remark: 'no index serves this sort',
  }));

/** The sorts of the other objects with an index. */
const otherSorts = {
  account: 'id domain name industry website employee_range is_freemail created_at updated_at'.split(' '),
  contact: 'id name first_name last_name email account_id job_title phone created_at updated_at'.split(' '),
};

const others = (objectType: 'account' | 'contact'): Shape[] => {
  const remark = fewOthers[objectType];
  return [
    ...atPlaces({ name: 'list', objectType, statements: 1, maxBuffers: 40 }),
    ...otherSorts[objectType]
      .flatMap((field) => sortedBy(objectType, field, { statements: 2, maxBuffers: 2 * scattered }))
      .map((shape) => ({ ...shape, remark })),
    ...unindexed(objectType, objectType === 'account' ? ['description', 'version'] : ['version']),
    { name: 'q one account', objectType, words: 'company77.com', statements: 1, remark },
    { name: 'q absent', objectType, words: searchWords.absent, statements: 1, remark },
  ];
};

/** Every shape of page whose cost is measured, with or without a promise of flat cost. */
export const allShapes = (organization: OrganizationLayout): readonly Shape[] => [
  ...orders(),
  ...stages(organization),
  ...equalities(organization),
  ...ranges(organization),
  ...searches(),
  ...relations(),
  ...wholeOrganization(),
  ...unindexed('opportunity', ['currency', 'next_step', 'version']),
  ...others('account'),
  ...others('contact'),
];
