import type { CursorPosition, FieldSelection, FilterNode, ObjectType, SortKey } from '@crm/domain';
import type { Catalog } from '../catalog.js';
import type { Database } from '../database.js';
import { filterSql } from './filter-sql.js';
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

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

const scopeSql = (request: PageRequest, parameters: Parameters): string[] => {
  const conditions = ['r.organization_id = $1'];
  if (request.pipelineId !== null) conditions.push(`r.pipeline_id = ${parameters.add(request.pipelineId)}`);
  if (request.stageId !== null) conditions.push(`r.stage_id = ${parameters.add(request.stageId)}`);
  for (const word of request.words) conditions.push(`r.search_text LIKE ${parameters.add(`%${escapeLike(word)}%`)}`);
  return conditions;
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

/** Shapes that are few and simple are kept prepared; a filter or a word is planned for its own values. */
const isFixedShape = ({ words, filters, selection, sort }: PageRequest): boolean =>
  words.length === 0 && filters === null && selection.isDefault && sort.every(({ field }) => field.source === 'system');

const readPart = async (database: Database, request: PageRequest, part: Part, limit: number): Promise<PageRow[]> => {
  const { catalog, objectType, filters, position } = request;
  const parameters = new Parameters();
  const keys = sortKeysSql(catalog, objectType, request.sort, parameters);
  const { conditions, keys: partKeys } = partSql(part, keys);
  const where = [...scopeSql(request, parameters), ...conditions];
  if (filters !== null) where.push(filterSql({ catalog, objectType, parameters }, filters));
  if (position !== null && (part !== 'absent' || position[0] === null)) {
    const partPosition = part === 'absent' ? position.slice(1) : position;
    where.push(afterPositionSql(partKeys, partPosition, parameters));
  }
  const text = `
    SELECT ${recordSql(objectType, request.selection, parameters)} AS record, ARRAY[${keys.map(keyText).join(', ')}] AS position
      FROM ${tables[objectType]} r
     WHERE ${where.join(' AND ')}
     ORDER BY ${orderBySql(partKeys)} LIMIT ${parameters.add(limit)}`;
  const statement = { text, values: parameters.values, isPrepared: isFixedShape(request) };
  return database.query<PageRow & Record<string, unknown>>(catalog.organizationId, statement);
};

/**
 * Reads one page, in one statement for every order whose first key is never null, and in two at most where a page reaches
 * from the records that have the key to those that do not.
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
