import { type CursorBinding, ErrorCollector, parseLimit } from '@crm/domain';
import type { Context } from './context.js';
import { decodeCursor, encodeCursor, pageJson } from './page.js';

/** An entry of a list in the setup. Entries are sorted by rank, then name. */
export interface RankedEntry {
  readonly rank: number;
  /** Unique within the list, and never changed. */
  readonly name: string;
  /** The entry in the response. */
  readonly wire: object;
}

/** The input of a list without filters. */
export interface SetupPageInput {
  readonly collection: string;
  readonly query: { readonly cursor?: string | undefined; readonly limit?: string | undefined };
  readonly binding: Omit<CursorBinding, 'limit'>;
}

const isAfter = (entry: RankedEntry, rank: number, name: string): boolean =>
  entry.rank > rank || (entry.rank === rank && entry.name > name);

/**
 * A page of entries from memory. As with records, the next page starts after the cursor's entry, even if that entry no
 * longer exists.
 */
export const pageOfEntries = (context: Context, entries: readonly RankedEntry[], input: SetupPageInput) => {
  const errors = new ErrorCollector();
  const limit = parseLimit(input.query.limit, errors);
  const binding = { ...input.binding, limit };
  const position = decodeCursor(context, input.query.cursor, binding, errors);
  const inOrder = entries.toSorted((a, b) => (isAfter(a, b.rank, b.name) ? 1 : -1));
  const rest =
    position === null ? inOrder : inOrder.filter((entry) => isAfter(entry, Number(position[0]), position[1] ?? ''));
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rest.length > limit && last !== undefined;
  const nextCursor = encodeCursor(context, binding, hasMore ? [String(last.rank), last.name] : null);
  const records = shown.map(({ wire }) => JSON.stringify(wire)).join();
  return { message: `Found ${input.collection}`, data: pageJson(input.collection, records, nextCursor, limit) };
};
