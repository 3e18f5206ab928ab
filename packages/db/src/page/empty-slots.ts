import type { Bound } from './bound.js';
import type { PageRequest } from './page-request.js';
import { tables } from './record-sql.js';
import type { KeySql } from './sort-sql.js';

const kinds = ['text', 'number'];
const slots = kinds.flatMap((kind) => Array.from({ length: 8 }, (_, index) => `${kind}_${index + 1}`));

/** Which slots of a record are empty, as one number. The index on it has exactly this expression. */
const emptySlotsSql = `(${slots
  .map((slot, index) => `(r.${slot} IS NULL)::int${index === 0 ? '' : ` * ${2 ** index}`}`)
  .join(' + ')})`;

/** The slot that a key is, as a column of `r`; null for other keys, whose own index holds the records without a value. */
export const slotOf = ({ expression }: KeySql): string | null =>
  slots.some((slot) => expression === `r.${slot}`) ? expression : null;

/** So many combinations of empty slots are read one by one. Where there are more, each slot is empty in many records. */
const maxCombinations = 200;

/**
 * The records in which a slot is empty, as `r`: those that have the same slots empty are in the order of creation one behind the
 * other, and which combinations there are is found by going from one to the next in their index. It is one statement, since a record
 * that changes meanwhile goes from one to another.
 *
 * @param where - the conditions on `r` that its place in the index starts with, and others
 * @param order - the order of creation, or its reverse
 * @param bound - ends what is read
 */
export const emptySlotSql = (
  { objectType, pipelineId }: PageRequest,
  slot: string,
  { place, where, order, bound }: Readonly<Record<'place' | 'where' | 'order', string>> & { readonly bound: Bound },
): string => {
  const table = tables[objectType];
  const bit = 2 ** slots.findIndex((name) => slot === `r.${name}`);
  const isEachPipeline = objectType === 'opportunity' && pipelineId === null;
  const keys = (isEachPipeline ? ['r.pipeline_id', emptySlotsSql] : [emptySlotsSql]).join(', ');
  const columns = isEachPipeline ? ['pipeline_id', 'slots'] : ['slots'];
  const values = columns.map((name) => `e.${name}`).join(', ');
  const next = (number: string, condition: string): string =>
    `SELECT ${number} AS number, ${keys} FROM ${table} r WHERE ${place}${condition} ORDER BY ${keys} LIMIT 1`;
  const read = (condition: string): string =>
    `(${bound(`SELECT r.* FROM ${table} r WHERE ${where} AND ${condition} ORDER BY ${order}`)})`;
  const isMany = `(SELECT count(*) FROM e) >= ${maxCombinations}`;
  return `FROM (
    WITH RECURSIVE e (number, ${columns.join(', ')}) AS (
      (${next('1', '')}) UNION ALL
      SELECT n.* FROM e CROSS JOIN LATERAL (${next('e.number + 1', ` AND (${keys}) > (${values})`)}) n WHERE e.number < ${maxCombinations})
    SELECT r.* FROM e CROSS JOIN LATERAL ${read(`(${keys}) = (${values})`)} r WHERE e.slots & ${bit} <> 0 AND NOT ${isMany}
    UNION ALL SELECT r.* FROM ${read(`${slot} IS NULL AND ${isMany}`)} r) r`;
};
