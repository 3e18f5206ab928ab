import type { Answer, WriteAnswer } from '../answer.js';
import type { Listing, PageInfo } from '../listing.js';
import type {
  BulkCreateOptions,
  BulkUpdateOptions,
  CreateRecordOptions,
  ReadOptions,
  UpdateOptions,
} from '../options.js';
import type { FieldsQuery, PageQuery } from '../queries.js';
import type { Send } from '../transport.js';
import type {
  BulkResults,
  DeletedRecord,
  Duplicate,
  DuplicatePage,
  Event,
  Field,
  FieldPage,
  HistoryPage,
  Summary,
} from '../types.js';
import type { SearchFor, Selected, SelectedIn } from '../record-types.js';
import { listOf, pathOf, searchOf } from './lists.js';

/** The types of one kind of record. */
export interface RecordTypes {
  record: object;
  page: PageInfo;
  detail: object;
  /** The whole method, because its required parameters differ. */
  list: (...parameters: never[]) => unknown;
  fieldsQuery: PageQuery;
  search: object;
  summary: object;
  create: object;
  created: object;
  update: object;
  updateItem: object;
}

/** The calls for opportunities, accounts and contacts. */
export interface Records<T extends RecordTypes> {
  /** Newest first; the loop reads pages on demand. */
  readonly list: T['list'];
  /** The records that match words and filters, sorted. */
  search<const F extends string = string>(
    body?: SearchFor<T['search'], F>,
    options?: ReadOptions,
  ): Listing<Selected<T['record'], F>, SelectedIn<T['page'], F>>;
  /** Counts, sums, averages, minimums and maximums of the matching records, grouped by up to two fields. */
  summarize(body: T['summary'], options?: ReadOptions): Promise<Answer<Summary>>;
  /** One record with all system fields and visible custom fields, unless `fields` narrows it. */
  get<const F extends string = Extract<keyof T['record'], string>>(
    id: string,
    query?: FieldsQuery<F>,
    options?: ReadOptions,
  ): Promise<Answer<SelectedIn<T['detail'], F>>>;
  /** The events of one record, newest first, even if it was deleted. */
  history(id: string, query?: PageQuery, options?: ReadOptions): Listing<Event, HistoryPage>;
  /** Creates a record, or finds the one with the same natural key or external id; `recordStatus` says which. */
  create(body: T['create'], options?: CreateRecordOptions): Promise<WriteAnswer<T['created']>>;
  /** Absent fields stay, `null` clears. */
  update(id: string, body: T['update'], options?: UpdateOptions): Promise<WriteAnswer<T['detail']>>;
  /**
   * Deletes a record. The data of a contact is erased; `events.restore` can undo the deletion of an account or opportunity. The key needs
   * the permission `delete`.
   */
  delete(id: string, options?: UpdateOptions): Promise<WriteAnswer<DeletedRecord>>;
  /** Up to 100 creates; check `success` of each result. */
  bulkCreate(items: ReadonlyArray<T['create']>, options?: BulkCreateOptions): Promise<WriteAnswer<BulkResults>>;
  /** Up to 50 updates; check `success` of each result. */
  bulkUpdate(items: ReadonlyArray<T['updateItem']>, options?: BulkUpdateOptions): Promise<WriteAnswer<BulkResults>>;
  /** Records that may be duplicates of older ones, with the reasons. */
  duplicates(query?: PageQuery, options?: ReadOptions): Listing<Duplicate, DuplicatePage>;
  /** The system and custom fields of these records. */
  fields(query?: T['fieldsQuery'], options?: ReadOptions): Listing<Field, FieldPage>;
}

/** The path of a record by its natural key. @throws TypeError for only dots, which would lead to another operation */
const keyPath = (folder: string, key: string): string => {
  if (/^\.*$/.test(key.trim())) throw new TypeError('A key must have a letter or a digit');
  return `${folder}/${encodeURIComponent(key)}`;
};

/** Reads one record by its natural key. */
export type GetByKey<R, D> = <const F extends string = Extract<keyof R, string>>(
  key: string,
  query?: FieldsQuery<F>,
  options?: ReadOptions,
) => Promise<Answer<SelectedIn<D, F>>>;

/** Creates the call that reads a record by its natural key. `folder` is the path before the key. */
export const getByKey =
  <R, D>(send: Send, folder: string): GetByKey<R, D> =>
  async <F extends string>(key: string, query?: object, options?: ReadOptions) =>
    send<SelectedIn<D, F>>(
      { gateway: 'read', method: 'GET', path: keyPath(folder, key), query: { ...query } },
      options,
    );

/** Creates the calls for one kind of record. `name` is the key in its paths and of the records in a page. */
export const createRecords = <T extends RecordTypes>(send: Send, name: string & keyof T['page']): Records<T> => {
  const reads = `/v1/${name}`;
  const writes = `/v1/inbound/${name}`;
  const bulk = `${writes}/bulk`;
  return {
    list: (query?: object, options?: ReadOptions) => listOf<T['record'], T['page']>(send, reads, name, query, options),
    search: <F extends string>(body?: object, options?: ReadOptions) =>
      searchOf<Selected<T['record'], F>, SelectedIn<T['page'], F> & PageInfo>(
        send,
        `${reads}/search`,
        name as never,
        body,
        options,
      ),
    summarize: (body, options) =>
      send<Summary>({ gateway: 'read', method: 'POST', path: `${reads}/summary`, body }, options),
    get: async <F extends string>(id: string, query?: object, options?: ReadOptions) =>
      send<SelectedIn<T['detail'], F>>(
        { gateway: 'read', method: 'GET', path: pathOf(reads, id), query: { ...query } },
        options,
      ),
    history: (id, query, options) =>
      listOf<Event, HistoryPage>(send, `${pathOf(reads, id)}/history`, 'events', query, options),
    create: (body, options) =>
      send<T['created']>(
        { gateway: 'inbound', method: 'POST', path: writes, query: { on_match: options?.onMatch }, body },
        options,
      ),
    update: async (id, body, options) =>
      send<T['detail']>({ gateway: 'inbound', method: 'PATCH', path: pathOf(writes, id), body }, options),
    delete: async (id, options) =>
      send<DeletedRecord>({ gateway: 'inbound', method: 'DELETE', path: pathOf(writes, id) }, options),
    bulkCreate: (items, options) => {
      const query = { atomic: options?.atomic, on_match: options?.onMatch };
      return send<BulkResults>({ gateway: 'inbound', method: 'POST', path: bulk, query, body: { items } }, options);
    },
    bulkUpdate: (items, options) => {
      const query = { atomic: options?.atomic };
      return send<BulkResults>({ gateway: 'inbound', method: 'PATCH', path: bulk, query, body: { items } }, options);
    },
    duplicates: (query, options) =>
      listOf<Duplicate, DuplicatePage>(send, `${reads}/duplicates`, 'duplicates', query, options),
    fields: (query, options) => listOf<Field, FieldPage>(send, `${reads}/fields`, 'fields', query, options),
  };
};
