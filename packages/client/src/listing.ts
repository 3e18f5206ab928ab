import type { Answer } from './answer.js';
import { CrmError } from './errors.js';
import type { ReadOptions } from './options.js';
import type { Send } from './transport.js';

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

/** A list by GET, or a search by POST. `name` is the key of the records in a page. */
export const listOf = <Item, Page extends PageInfo>(
  send: Send,
  path: string,
  name: string,
  given: object | undefined,
  options: ReadOptions | undefined,
  method: 'GET' | 'POST' = 'GET',
): Listing<Item, Page> => {
  const fetchPage = (cursor?: string): Promise<Answer<Page>> => {
    const asked = { ...given, ...(cursor && { cursor }) };
    return send({ gateway: 'read', method, path, [method === 'GET' ? 'query' : 'body']: asked }, options);
  };
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
    page: () => fetchPage(),
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page[name as keyof Page] as readonly Item[];
    },
  };
};
