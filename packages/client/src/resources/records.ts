import type { Answer, WriteAnswer } from '../answer.js';
import { listOf, type Listing, type PageInfo } from '../listing.js';
import type {
  BulkCreateOptions,
  BulkUpdateOptions,
  CreateRecordOptions,
  ReadOptions,
  UpdateOptions,
} from '../options.js';
import type { FieldsQuery, IncludeQuery } from '../queries.js';
import type {
  BodyOf,
  CrmEvent,
  CustomFieldTypes,
  EventsIn,
  FieldName,
  FieldOrDefault,
  RecordOf,
  ResponseOf,
  SearchOf,
  Selected,
  ValueName,
} from '../record-types.js';
import { pathOf, type Send } from '../transport.js';
import type * as types from '../types.js';

/** The types of one kind of record, before custom fields and `fields` change them. */
export interface RecordTypes {
  object: 'opportunity' | 'account' | 'contact';
  record: object;
  page: PageInfo;
  detail: object;
  listQuery: types.PageQuery;
  fieldsQuery: types.PageQuery;
  search: object;
  summary: object;
  /** Fields of other records that filters accept. */
  relation: string;
  /** The names in `include`. */
  include: string;
  create: object;
  created: object;
  update: object;
  updateItem: object;
}

type ChangeOf<T extends RecordTypes, C> = CrmEvent<Record<keyof CustomFieldTypes, C & object>, T['object']>;

/** The fields of the records in a page. */
type InPage<F> = Selected<F, 'custom_fields'>;

/** Reads one record by its id or natural key. */
export type GetBy<T extends RecordTypes, C> = <const F extends FieldOrDefault<T['record'], C> = 'default'>(
  key: string,
  query?: FieldsQuery<F> & IncludeQuery<T['include']>,
  options?: ReadOptions,
) => Promise<Answer<ResponseOf<T['detail'], C, Selected<F, FieldName<T['record'], C>>>>>;

/** The calls for opportunities, accounts and contacts, whose custom fields have the type `C`. */
export interface Records<T extends RecordTypes, C> {
  /** Newest first; the loop reads pages on demand. */
  list<const F extends FieldOrDefault<T['record'], C> = 'default'>(
    ...[query, options]: object extends T['listQuery']
      ? [query?: T['listQuery'] & FieldsQuery<F>, options?: ReadOptions]
      : [query: T['listQuery'] & FieldsQuery<F>, options?: ReadOptions]
  ): Listing<RecordOf<T['record'], C, InPage<F>>, ResponseOf<T['page'], C, InPage<F>>>;
  /** The records that match words and filters, sorted. */
  search<const F extends FieldOrDefault<T['record'], C> = 'default'>(
    body?: SearchOf<T['search'], F, ValueName<T['record'], C>, T['relation']>,
    options?: ReadOptions,
  ): Listing<RecordOf<T['record'], C, InPage<F>>, ResponseOf<T['page'], C, InPage<F>>>;
  /** Counts, sums, averages, minimums and maximums of the matching records, grouped by up to two fields. */
  summarize(
    body: SearchOf<T['summary'], never, ValueName<T['record'], C>, T['relation'], string>,
    options?: ReadOptions,
  ): Promise<Answer<types.Summary>>;
  /** One record with all system fields and visible custom fields, unless `fields` narrows it. */
  get: GetBy<T, C>;
  /** The events of one record, newest first, even if it was deleted. */
  history(
    id: string,
    query?: types.PageQuery,
    options?: ReadOptions,
  ): Listing<ChangeOf<T, C>, EventsIn<types.HistoryPage, ChangeOf<T, C>>>;
  /** Creates a record, or finds the one with the same natural key or external id; `recordStatus` says which. */
  create(body: BodyOf<T['create'], C>, options?: CreateRecordOptions): Promise<WriteAnswer<T['created']>>;
  /** Absent fields stay, `null` clears. */
  update(
    id: string,
    body: BodyOf<T['update'], C>,
    options?: UpdateOptions,
  ): Promise<WriteAnswer<ResponseOf<T['detail'], C, string>>>;
  /**
   * Deletes a record. The data of a contact is erased; `events.restore` can undo the deletion of an account or opportunity. The key needs
   * the permission `delete`.
   */
  delete(id: string, options?: UpdateOptions): Promise<WriteAnswer<types.DeletedRecord>>;
  /** Up to 100 creates; check `success` of each result. */
  bulkCreate(
    items: ReadonlyArray<BodyOf<T['create'], C>>,
    options?: BulkCreateOptions,
  ): Promise<WriteAnswer<types.BulkResults>>;
  /** Up to 50 updates; check `success` of each result. */
  bulkUpdate(
    items: ReadonlyArray<BodyOf<T['updateItem'], C>>,
    options?: BulkUpdateOptions,
  ): Promise<WriteAnswer<types.BulkResults>>;
  /** Records that may be duplicates of older ones, with the reasons. */
  duplicates(query?: types.PageQuery, options?: ReadOptions): Listing<types.Duplicate, types.DuplicatePage>;
  /** The system and custom fields of these records. */
  fields(query?: T['fieldsQuery'], options?: ReadOptions): Listing<types.Field, types.FieldPage>;
  /** The JSON Schema of these records, with custom fields. */
  schema(options?: ReadOptions): Promise<Answer<types.RecordSchema>>;
}

/** The calls for the stays of opportunities in stages. */
export interface StageReads {
  /** The stays of an opportunity, oldest first; the last one is the stage that it is in. */
  stages(id: string, query?: types.PageQuery, options?: ReadOptions): Listing<types.StageVisit, types.StageVisitPage>;
  /** Where the stays in the stages of a pipeline went, and how long they took. */
  stageSummary(body: types.StageSummaryBody, options?: ReadOptions): Promise<Answer<types.StageSummary>>;
}

/** Creates the calls for the stays of opportunities in stages. */
export const createStageReads = (send: Send): StageReads => ({
  stages: (id, query, options) => listOf(send, `${pathOf('/v1/opportunities', id)}/stages`, 'stages', query, options),
  stageSummary: async (body, options) =>
    send({ gateway: 'read', method: 'POST', path: '/v1/opportunities/stage-summary', body }, options),
});

/** The path of a record by its natural key. @throws TypeError for only dots, which would lead to another operation */
const keyPath = (folder: string, key: string): string => {
  if (/^\.*$/.test(key.trim())) throw new TypeError('A key must have a letter or a digit');
  return `${folder}/${encodeURIComponent(key)}`;
};

/** The parameters as they are sent: names of included records with commas between them. */
const sentQuery = (query: (FieldsQuery & IncludeQuery<string>) | undefined) => ({
  ...query,
  include: query?.include?.join(','),
});

/** Creates the call that reads a record by its natural key. `folder` is the path before the key. */
export const getByKey =
  <T extends RecordTypes, C>(send: Send, folder: string): GetBy<T, C> =>
  async (key, query, options) =>
    send({ gateway: 'read', method: 'GET', path: keyPath(folder, key), query: sentQuery(query) }, options);

/** Creates the calls for one kind of record. `name` is the key in its paths and of the records in a page. */
export const createRecords = <T extends RecordTypes, C>(send: Send, name: string & keyof T['page']): Records<T, C> => {
  const reads = `/v1/${name}`;
  const writes = `/v1/inbound/${name}`;
  const bulk = `${writes}/bulk`;
  return {
    list: (...[query, options]) => listOf(send, reads, name, query, options),
    search: (body, options) => listOf(send, `${reads}/search`, name, body ?? {}, options, 'POST'),
    summarize: (body, options) => send({ gateway: 'read', method: 'POST', path: `${reads}/summary`, body }, options),
    get: async (id, query, options) =>
      send({ gateway: 'read', method: 'GET', path: pathOf(reads, id), query: sentQuery(query) }, options),
    history: (id, query, options) => listOf(send, `${pathOf(reads, id)}/history`, 'events', query, options),
    create: (body, options) =>
      send({ gateway: 'inbound', method: 'POST', path: writes, query: { on_match: options?.onMatch }, body }, options),
    update: async (id, body, options) =>
      send({ gateway: 'inbound', method: 'PATCH', path: pathOf(writes, id), body }, options),
    delete: async (id, options) => send({ gateway: 'inbound', method: 'DELETE', path: pathOf(writes, id) }, options),
    bulkCreate: (items, options) => {
      const query = { atomic: options?.atomic, on_match: options?.onMatch };
      return send({ gateway: 'inbound', method: 'POST', path: bulk, query, body: { items } }, options);
    },
    bulkUpdate: (items, options) => {
      const query = { atomic: options?.atomic };
      return send({ gateway: 'inbound', method: 'PATCH', path: bulk, query, body: { items } }, options);
    },
    duplicates: (query, options) => listOf(send, `${reads}/duplicates`, 'duplicates', query, options),
    fields: (query, options) => listOf(send, `${reads}/fields`, 'fields', query, options),
    schema: async (options) => send({ gateway: 'read', method: 'GET', path: `${reads}/schema` }, options),
  };
};
