import type { CursorBinding } from '@crm/domain';
import type { Context } from './context.js';
import { pageJson, readByCursor } from './page.js';

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
export const pageOfEntries = async (context: Context, entries: readonly RankedEntry[], input: SetupPageInput) => {
  const { page, nextCursor, limit } = await readByCursor(context, input.query, input.binding, (position, size) => {
    const inOrder = entries.toSorted((a, b) => (isAfter(a, b.rank, b.name) ? 1 : -1));
    const rest =
      position === null ? inOrder : inOrder.filter((entry) => isAfter(entry, Number(position[0]), position[1] ?? ''));
    const shown = rest.slice(0, size);
    const last = shown.at(-1);
    const hasMore = rest.length > size && last !== undefined;
    return { shown, nextPosition: hasMore ? [String(last.rank), last.name] : null };
  });
  const records = page.shown.map(({ wire }) => JSON.stringify(wire)).join();
  return { message: `Found ${input.collection}`, data: pageJson(input.collection, records, nextCursor, limit) };
};
