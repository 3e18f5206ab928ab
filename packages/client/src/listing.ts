import type { Answer } from './answer.js';

/** What every page has beside its records. */
export interface PageInfo {
  has_more: boolean;
  next_cursor: string | null;
  limit: number;
}

/**
 * A list or search that is read page by page, as far as it is asked for. Every loop over it begins at the first page:
 * `for await (const record of listing)`.
 */
export interface Listing<Item, Page> extends AsyncIterable<Item> {
  /** The pages as they came, one request each. */
  pages(): AsyncIterable<Page>;
  /** The first page alone, or the one of the `cursor` that was given. */
  page(): Promise<Answer<Page>>;
}

/**
 * Makes a listing.
 * @param fetchPage - reads the page of a cursor; the first one, where it is undefined
 * @param itemsOf - the records of a page
 */
export const createListing = <Item, Page extends PageInfo>(
  fetchPage: (cursor: string | undefined) => Promise<Answer<Page>>,
  itemsOf: (page: Page) => readonly Item[],
): Listing<Item, Page> => {
  async function* pages(): AsyncGenerator<Page, void, undefined> {
    let cursor: string | undefined;
    for (;;) {
      const { data } = await fetchPage(cursor);
      yield data;
      if (!data.has_more || data.next_cursor === null) return;
      cursor = data.next_cursor;
    }
  }
  return {
    pages,
    page: () => fetchPage(undefined),
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* itemsOf(page);
    },
  };
};
