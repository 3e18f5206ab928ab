import type { Answer } from './answer.js';
import { CrmError } from './errors.js';

/** The properties that every page has besides its records. */
export interface PageInfo {
  has_more: boolean;
  next_cursor: string | null;
  limit: number;
}

/**
 * A list or search that is read page by page, on demand. Every loop over it begins at the first page:
 * `for await (const record of listing)`.
 */
export interface Listing<Item, Page> extends AsyncIterable<Item> {
  /** The pages as received, one request each. */
  pages(): AsyncIterable<Page>;
  /** Only the first page, or the page of the given `cursor`. */
  page(): Promise<Answer<Page>>;
}

/**
 * Creates a listing.
 * @param fetchPage - reads the page of a cursor, or the first page if it is undefined
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
      if (data.next_cursor === cursor)
        throw new CrmError('The API answered with the cursor that was sent, so the list would not end');
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
