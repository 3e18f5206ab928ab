import type { Answer, WriteAnswer } from '../answer.js';
import type { Listing, PageInfo } from '../listing.js';
import type {
  BulkCreateOptions,
  BulkUpdateOptions,
  CallOptions,
  CreateRecordOptions,
  ReadOptions,
  UpdateOptions,
} from '../options.js';
import type { FieldsQuery, PageQuery } from '../queries.js';
import type { Send } from '../transport.js';
import type { BulkResults, Deleted, Field, FieldPage } from '../types.js';
import { listOf, pathOf, searchOf } from './lists.js';

/** The types of one kind of record. */
export interface RecordTypes {
  record: object;
  page: PageInfo;
  detail: object;
  /** The parameters of `list`. */
  list: [query?: object, options?: ReadOptions];
  fieldsQuery: PageQuery;
  search: object;
  create: object;
  created: object;
  update: object;
  updateItem: object;
}

/** What can be done with opportunities, accounts and contacts. */
export interface Records<T extends RecordTypes> {
  /** Newest first; pages are read as the loop comes to them. */
  list(...parameters: T['list']): Listing<T['record'], T['page']>;
  /** What matches words and filters, in the order of a sort. */
  search(body?: T['search'], options?: ReadOptions): Listing<T['record'], T['page']>;
  /** One record with every field, unless `fields` narrows it. */
  get(id: string, query?: FieldsQuery, options?: ReadOptions): Promise<Answer<T['detail']>>;
  /** Creates a record, or finds the one with the same natural key: see `recordStatus` of the answer. */
  create(body: T['create'], options?: CreateRecordOptions): Promise<WriteAnswer<T['created']>>;
  /** Absent keeps, `null` clears. */
  update(id: string, body: T['update'], options?: UpdateOptions): Promise<WriteAnswer<T['detail']>>;
  /** For good. The key needs the permission `delete`. */
  delete(id: string, options?: CallOptions): Promise<WriteAnswer<Deleted>>;
  /** Up to 100 creates; look at `success` of each result. */
  bulkCreate(items: ReadonlyArray<T['create']>, options?: BulkCreateOptions): Promise<WriteAnswer<BulkResults>>;
  /** Up to 50 updates; look at `success` of each result. */
  bulkUpdate(items: ReadonlyArray<T['updateItem']>, options?: BulkUpdateOptions): Promise<WriteAnswer<BulkResults>>;
  /** The system and custom fields of such records. */
  fields(query?: T['fieldsQuery'], options?: ReadOptions): Listing<Field, FieldPage>;
}

/** Makes the calls for one kind of record; `name` is that of its paths and of the records in a page. */
export const createRecords = <T extends RecordTypes>(send: Send, name: string & keyof T['page']): Records<T> => {
  const reads = `/v1/${name}`;
  const writes = `/v1/inbound/${name}`;
  const bulk = `${writes}/bulk`;
  return {
    list: (...[query, options]) => listOf<T['record'], T['page']>(send, reads, name, query, options),
    search: (body, options) => searchOf<T['record'], T['page']>(send, `${reads}/search`, name, body, options),
    get: async (id, query, options) =>
      send<T['detail']>({ gateway: 'read', method: 'GET', path: pathOf(reads, id), query: { ...query } }, options),
    create: (body, options) =>
      send<T['created']>(
        { gateway: 'inbound', method: 'POST', path: writes, query: { on_match: options?.onMatch }, body },
        options,
      ),
    update: async (id, body, options) =>
      send<T['detail']>({ gateway: 'inbound', method: 'PATCH', path: pathOf(writes, id), body }, options),
    delete: async (id, options) =>
      send<Deleted>({ gateway: 'inbound', method: 'DELETE', path: pathOf(writes, id) }, options),
    bulkCreate: (items, options) => {
      const query = { atomic: options?.atomic, on_match: options?.onMatch };
      return send<BulkResults>({ gateway: 'inbound', method: 'POST', path: bulk, query, body: { items } }, options);
    },
    bulkUpdate: (items, options) => {
      const query = { atomic: options?.atomic };
      return send<BulkResults>({ gateway: 'inbound', method: 'PATCH', path: bulk, query, body: { items } }, options);
    },
    fields: (query, options) => listOf<Field, FieldPage>(send, `${reads}/fields`, 'fields', query, options),
  };
};
