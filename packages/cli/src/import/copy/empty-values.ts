import type { BulkResults, CrmClient, WriteAnswer } from '@crm/client';

import type { RowProblem } from '../mapping/convert-row.js';
import type { RowOutcome } from '../reporting/report.js';
import type { SourceRow } from '../source/csv-rows.js';
import { collections, findTarget, type ImportObject, placeValue } from '../targets.js';

/** What a create fills in. Not the account of an opportunity: cleared, it would have another natural key. */
const filledIn = { account: ['name'], contact: ['account_domain'], opportunity: ['stage', 'currency'], note: [] };

/** A row and what became of it. */
export interface CopiedRow {
  readonly row: SourceRow;
  readonly outcome: RowOutcome | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** The calls without types, for every object. */
interface Calls {
  search(body: Fields): AsyncIterable<Fields>;
  bulkUpdate(items: readonly Fields[]): Promise<WriteAnswer<BulkResults>>;
}

/** The maximum number of items in one bulk update. */
const mostUpdates = 50;

interface EmptyRow {
  readonly row: SourceRow;
  readonly id: string;
  readonly isNew: boolean;
  readonly names: readonly string[];
}

/**
 * Clears what a create has filled in, although the export has nothing. Records that were there already keep what they have.
 *
 * @param hasCurrency - whether new opportunities may get a currency
 * @returns what is not as in the export
 */
export const clearFilledIn = async (
  client: CrmClient,
  object: ImportObject,
  rows: readonly CopiedRow[],
  hasCurrency: boolean,
): Promise<ReadonlyMap<SourceRow, readonly RowProblem[]>> => {
  const checked = filledIn[object].filter((name) => hasCurrency || name !== 'currency');
  const empty = rows.flatMap(({ row, outcome }): EmptyRow[] => {
    const { record, row: cells } = row;
    const names = checked.filter((name) => (record === undefined ? cells.get(name) === '' : record[name] === null));
    const id = outcome?.records?.[0];
    return id === undefined || names.length === 0 ? [] : [{ row, id, names, isNew: outcome?.kind === 'created' }];
  });
  const calls = client[collections[object]] as unknown as Calls;
  const cleared = empty.filter(({ isNew }) => isNew);
  const kept = empty.filter(({ isNew }) => !isNew);
  return new Map([...(await clear(calls, object, cleared)), ...(await differences(calls, kept))]);
};

type Problems = [SourceRow, readonly RowProblem[]][];

const clear = async (calls: Calls, object: ImportObject, rows: readonly EmptyRow[]): Promise<Problems> => {
  const problems: Problems = [];
  for (let from = 0; from < rows.length; from += mostUpdates) {
    const batch = rows.slice(from, from + mostUpdates);
    const bodies = batch.map(({ id, names }) => {
      const body: Record<string, unknown> = { id };
      for (const target of names.flatMap((name) => findTarget(object, name) ?? [])) placeValue(body, target, null);
      return body;
    });
    const { results } = (await calls.bulkUpdate(bodies)).data;
    for (const [index, { row, names }] of batch.entries()) {
      const reason = `is empty in the export, but was not cleared: ${JSON.stringify(results[index]?.errors)}`;
      if (results[index]?.success !== true) problems.push([row, names.map((field) => ({ field, reason }))]);
    }
  }
  return problems;
};

const differences = async (calls: Calls, rows: readonly EmptyRow[]): Promise<Problems> => {
  if (rows.length === 0) return [];
  const records = new Map<unknown, Fields>();
  const fields = [...new Set(rows.flatMap(({ names }) => names))].map(fieldOf);
  const filters = [{ field: 'id', operator: 'in', value: rows.map(({ id }) => id) }];
  for await (const record of calls.search({ filters, fields })) records.set(record['id'], record);
  return rows.map(({ row, id, names }) => {
    const valueOf = (name: string): unknown => records.get(id)?.[fieldOf(name)] ?? null;
    const differing = names.filter((name) => valueOf(name) !== null);
    const reasonOf = (name: string) => `is empty in the export: the record keeps ${JSON.stringify(valueOf(name))}`;
    return [row, differing.map((field) => ({ field, reason: reasonOf(field) }))];
  });
};

const fieldOf = (name: string): string => (name === 'stage' ? 'stage_name' : name);
