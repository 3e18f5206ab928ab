import type { CursorPosition, FieldSelection, FilterNode, ObjectType, SortKey } from '@crm/domain';
import type { Catalog } from '../catalog.js';
import type { Database } from '../database.js';
import { type Branches, filterBranches, isMergeable, pipelineBranches } from './branches.js';
import { type FilterScope, filterSql } from './filter-sql.js';
import { Parameters } from './parameters.js';
import { recordSql, tables } from './record-sql.js';
import { afterPositionSql, type KeySql, keyText, orderBySql, sortKeysSql } from './sort-sql.js';

/** A page to read. */
export interface PageRequest {
  readonly catalog: Catalog;
  readonly objectType: ObjectType;
  /** Null: all pipelines, or an object that has none. */
  readonly pipelineId: string | null;
  readonly stageId: string | null;
  /** Folded words that must all occur. */
  readonly words: readonly string[];
  readonly filters: FilterNode | null;
  readonly sort: readonly SortKey[];
  /** Where the page before ended: the sort keys of its last record as text. */
  readonly position: CursorPosition | null;
  readonly limit: number;
  readonly selection: FieldSelection;
}

/** A page as the database made it. */
export interface Page {
  /** Each record as JSON text. */
  readonly records: readonly string[];
  /** Where the next page starts, or null when this is the last. */
  readonly nextPosition: CursorPosition | null;
}

/** A record and its sort keys as text. */
interface PageRow {
  readonly record: string;
  readonly position: (string | null)[];
}

/**
 * The parts that an order falls into. Where its one key can be null, the records that have it and those that do not are read
 * one after the other, each straight from an index; asking for both at once would sort them all.
 */
type Part = 'all' | 'present' | 'absent';

const partsOf = (
  [first, second]: readonly KeySql[],
  sortLength: number,
  position: CursorPosition | null,
): readonly Part[] => {
  if (first?.nullable !== true || sortLength !== 1 || second === undefined) return ['all'];
  return position !== null && position[0] === null ? ['absent'] : ['present', 'absent'];
};

/** The condition and the keys of one part, as the order within it. */
const partSql = (
  part: Part,
  keys: readonly KeySql[],
): { readonly conditions: readonly string[]; readonly keys: readonly KeySql[] } => {
  const [first, ...others] = keys;
  if (part === 'all' || first === undefined) return { conditions: [], keys };
  if (part === 'absent') return { conditions: [`${first.expression} IS NULL`], keys: others };
  return { conditions: [`${first.expression} IS NOT NULL`], keys: [{ ...first, nullable: false }, ...others] };
};

/**
 * How the rows of a page are found. `direct` leaves it to the planner. A page of matching words is looked for twice, since no
 * statistics tell where in an order a word occurs: `probe` reads the next few thousand records of the order and keeps those that
 * match, which fills a page of common words; `gather` fetches all that match from the trigram index and sorts them, which is
 * quick for the rare words that the probe did not find.
 */
type Strategy = 'direct' | 'probe' | 'gather';

/** Records that a probe reads at most. */
const probedRecords = 5_000;

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

const wordsSql = ({ words }: PageRequest, parameters: Parameters): string[] =>
  words.map((word) => `r.search_text LIKE ${parameters.add(`%${escapeLike(word)}%`)}`);

/** The statement's FROM and WHERE. The source is called `r`, whether it is the table or a part of it read in order. */
const sourceSql = (
  request: PageRequest,
  strategy: Strategy,
  part: { readonly conditions: readonly string[]; readonly keys: readonly KeySql[] },
  limit: number,
  scope: FilterScope,
): string => {
  const { parameters, catalog } = scope;
  const table = tables[request.objectType];
  const cheap = ['r.organization_id = $1', ...part.conditions];
  const branches: Branches[] = [];
  if (request.pipelineId !== null) cheap.push(`r.pipeline_id = ${parameters.add(request.pipelineId)}::uuid`);
  else if (request.objectType === 'opportunity' && strategy !== 'gather') {
    const byPipeline = pipelineBranches(catalog);
    if (byPipeline !== null) branches.push(byPipeline);
  }
  if (request.stageId !== null) cheap.push(`r.stage_id = ${parameters.add(request.stageId)}::uuid`);
  const byValue = strategy === 'direct' ? filterBranches(scope, request.filters, part.keys) : null;
  const isByValue = byValue !== null && isMergeable([...branches, byValue.branches]);
  if (isByValue) branches.push(byValue.branches);
  const filters = isByValue ? byValue.rest : request.filters === null ? [] : [request.filters];
  const costly = [...wordsSql(request, parameters), ...filters.map((node) => filterSql(scope, node))];

  const all = [...cheap, ...costly].join(' AND ');
  const order = orderBySql(part.keys);
  // OFFSET keeps the planner from walking the outer order in the hope of an early match.
  if (strategy === 'gather') return `FROM (SELECT r.* FROM ${table} r WHERE ${all} OFFSET 0) r`;
  if (strategy === 'direct' && branches.length === 0) return `FROM ${table} r WHERE ${all}`;
  const inner = [
    ...(strategy === 'probe' ? cheap : [...cheap, ...costly]),
    ...branches.map(({ condition }) => condition),
  ];
  const count = parameters.add(strategy === 'probe' ? probedRecords : limit);
  const ordered = `(SELECT r.* FROM ${table} r WHERE ${inner.join(' AND ')} ORDER BY ${order} LIMIT ${count})`;
  const from = [...branches.map((branch) => branch.from(parameters)), `LATERAL ${ordered} r`].join(' CROSS JOIN ');
  if (strategy === 'direct') return `FROM ${from}`;
  // Cut again where branches were merged: behind the end of one branch nothing is known of what another still has.
  const probed = branches.length === 0 ? from : `(SELECT r.* FROM ${from} ORDER BY ${order} LIMIT ${count}) r`;
  return `FROM ${probed} WHERE ${costly.join(' AND ')}`;
};

/** Shapes that are few and simple are kept prepared; a filter or a word is planned for its own values. */
const isFixedShape = ({ words, filters, selection, sort }: PageRequest): boolean =>
  words.length === 0 &&
  filters === null &&
  selection.isDefault &&
  sort.length === 1 &&
  sort[0]?.field.source === 'system';

const readRows = async (
  database: Database,
  request: PageRequest,
  strategy: Strategy,
  part: Part,
  limit: number,
): Promise<PageRow[]> => {
  const { catalog, objectType, position } = request;
  const parameters = new Parameters();
  const keys = sortKeysSql(catalog, objectType, request.sort, parameters);
  const { conditions, keys: partKeys } = partSql(part, keys);
  const where = [...conditions];
  if (position !== null && (part !== 'absent' || position[0] === null)) {
    const partPosition = part === 'absent' ? position.slice(1) : position;
    where.push(afterPositionSql(partKeys, partPosition, parameters));
  }
  const scope = { catalog, objectType, parameters };
  const source = sourceSql(request, strategy, { conditions: where, keys: partKeys }, limit, scope);
  const text = `
    SELECT ${recordSql(objectType, request.selection, parameters)} AS record, ARRAY[${keys.map(keyText).join(', ')}] AS position
      ${source} ORDER BY ${orderBySql(partKeys)} LIMIT ${parameters.add(limit)}`;
  const statement = { text, values: parameters.values, isPrepared: isFixedShape(request) };
  return database.query<PageRow & Record<string, unknown>>(catalog.organizationId, statement);
};

const readPart = async (database: Database, request: PageRequest, part: Part, limit: number): Promise<PageRow[]> => {
  const { catalog, objectType, sort, words } = request;
  const [first] = sortKeysSql(catalog, objectType, sort, new Parameters());
  if (words.length === 0 || sort.length > 1 || first?.isIndexed !== true)
    return readRows(database, request, 'direct', part, limit);
  const probed = await readRows(database, request, 'probe', part, limit);
  return probed.length === limit ? probed : readRows(database, request, 'gather', part, limit);
};

/**
 * Reads one page: one statement for most, two for words that are not among the next records, and one more where a page reaches
 * from the records that have the sort key to those that do not.
 */
export const listPage = async (database: Database, request: PageRequest): Promise<Page> => {
  const keys = sortKeysSql(request.catalog, request.objectType, request.sort, new Parameters());
  const rows: PageRow[] = [];
  for (const part of partsOf(keys, request.sort.length, request.position)) {
    // One more than shown tells whether another page exists.
    const missing = request.limit + 1 - rows.length;
    if (missing > 0) rows.push(...(await readPart(database, request, part, missing)));
  }
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  const isLast = rows.length <= request.limit || last === undefined;
  return { records: shown.map(({ record }) => record), nextPosition: isLast ? null : last.position };
};
