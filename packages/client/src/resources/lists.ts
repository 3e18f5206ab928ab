import { createListing, type Listing, type PageInfo } from '../listing.js';
import type { ReadOptions } from '../options.js';
import type { Send } from '../transport.js';

/** The path of one record. @throws TypeError for an invalid id, since `..` would lead to another operation */
export const pathOf = (folder: string, id: string): string => {
  if (!/^[0-9a-f-]{36}$/i.test(id)) throw new TypeError('id must be a UUID');
  return `${folder}/${id}`;
};

/** A list by GET. `name` is the key of the records in a page. */
export const listOf = <Item, Page extends PageInfo>(
  send: Send,
  path: string,
  name: string & keyof Page,
  query: object | undefined,
  options: ReadOptions | undefined,
): Listing<Item, Page> =>
  createListing<Item, Page>(
    (cursor) =>
      send<Page>({ gateway: 'read', method: 'GET', path, query: { ...query, ...(cursor && { cursor }) } }, options),
    (page) => page[name] as readonly Item[],
  );

/** A search by POST. */
export const searchOf = <Item, Page extends PageInfo>(
  send: Send,
  path: string,
  name: string & keyof Page,
  body: object | undefined,
  options: ReadOptions | undefined,
): Listing<Item, Page> =>
  createListing<Item, Page>(
    (cursor) =>
      send<Page>({ gateway: 'read', method: 'POST', path, body: { ...body, ...(cursor && { cursor }) } }, options),
    (page) => page[name] as readonly Item[],
  );
