import type { ObjectDescription } from '@crm/domain';
import type { TProperties, TSchema } from 'typebox';
import { bulkBodyBytes, bulkCreateItems, bulkUpdateItems } from '../bounds.js';
import { operation } from '../operation.js';
import { BulkCreateQuery, BulkQuery, BulkResults } from '../schemas/bulk.js';
import { DeletedRecord } from '../schemas/deleted.js';
import { DuplicatePage } from '../schemas/duplicate.js';
import { HistoryPage } from '../schemas/event.js';
import { FieldPage } from '../schemas/field.js';
import { closed } from '../schemas/input.js';
import { MergeBody, Merged } from '../schemas/merge.js';
import { type bodySchemas, capitalized } from '../schemas/object-schemas.js';
import { RecordSchema } from '../schemas/record-schema.js';
import { SearchBody } from '../schemas/search.js';
import { Summary, SummaryBody } from '../schemas/summary.js';
import {
  createHeaders,
  FieldsListQuery,
  recordQueryOf,
  idParams,
  idempotentWriteHeaders,
  listQueryOf,
  OnMatchQuery,
  PageQuery,
  recordHeaders,
  updateHeaders,
  writeExtra,
  writeHeaders,
} from './shared.js';

/** The names of an object in ids, paths and texts. */
type ObjectNames = Pick<ObjectDescription, 'one' | 'a' | 'many'>;

/** The summary and description of an operation. */
interface Texts {
  readonly summary: string;
  readonly description: string;
}

/** The schemas of the reads of objects without pipelines. */
export const schemasWithoutPipeline = (object: 'account' | 'contact') => ({
  listQuery: listQueryOf(object),
  fieldsQuery: FieldsListQuery,
  searchBody: SearchBody,
  summaryBody: SummaryBody,
});

/**
 * The operations that read the records of an object.
 * @param errors - the statuses of requests that can name a pipeline
 */
export const readOperationsOf = <
  List extends TSchema,
  Fields extends TSchema,
  Search extends TSchema,
  Summarize extends TSchema,
  Page extends TSchema,
  Detail extends TSchema,
>(
  { one, a, many }: ObjectNames,
  schemas: {
    readonly listQuery: List;
    readonly fieldsQuery: Fields;
    readonly searchBody: Search;
    readonly summaryBody: Summarize;
    readonly page: Page;
    readonly detail: Detail;
  },
  listTexts: Texts,
  errors: readonly number[] = [],
) => {
  const [One, Many] = [capitalized(one), capitalized(many)];
  return {
    list: operation([`list${Many}`, `GET /v1/${many}`, 'list', Many], {
      ...listTexts,
      query: schemas.listQuery,
      data: schemas.page,
      errors,
    }),
    search: operation([`search${Many}`, `POST /v1/${many}/search`, 'search', Many], {
      summary: `Search ${many}`,
      description: `Pages through the ${many} that match words and filters, sorted.`,
      body: schemas.searchBody,
      data: schemas.page,
      errors,
    }),
    summarize: operation([`summarize${Many}`, `POST /v1/${many}/summary`, 'search', Many], {
      summary: `Summarize ${many}`,
      description:
        `Counts the ${many} that match words and filters and computes sums, averages, minimums and maximums, ` +
        'grouped by up to two fields.',
      body: schemas.summaryBody,
      data: Summary,
      errors,
    }),
    duplicates: operation([`list${One}Duplicates`, `GET /v1/${many}/duplicates`, 'search', Many], {
      summary: `List ${many} that may be duplicates`,
      description: `Pages through ${many} that may be duplicates of older ones, with the reasons.`,
      query: PageQuery,
      data: DuplicatePage,
    }),
    fields: operation([`list${One}Fields`, `GET /v1/${many}/fields`, 'list', 'Fields'], {
      summary: `List the fields of ${many}`,
      description: `Pages through the system and custom fields of ${many}.`,
      query: schemas.fieldsQuery,
      data: FieldPage,
      errors,
    }),
    schema: schemaOf({ one, many }),
    get: operation([`get${One}`, `GET /v1/${many}/{id}`, 'list', Many], {
      summary: `Get ${a}`,
      description: `Returns one ${one} with every system field and visible custom field, unless \`fields\` narrows it.`,
      params: idParams(one),
      query: recordQueryOf(one),
      data: schemas.detail,
      errors: [404],
      headers: recordHeaders,
    }),
    history: historyOf({ one, a, many }),
  };
};

/** The read of the JSON Schema of records. */
export const schemaOf = ({ one, many }: { readonly one: string; readonly many: string }) =>
  operation([`get${capitalized(one)}Schema`, `GET /v1/${many}/schema`, 'list', 'Fields'], {
    summary: `Get the JSON Schema of ${many}`,
    description: `Returns the JSON Schema of ${many} with the custom fields of the organization, for tools that need types.`,
    data: RecordSchema,
  });

const historyOf = ({ one, a, many }: ObjectNames) =>
  operation([`list${capitalized(one)}History`, `GET /v1/${many}/{id}/history`, 'list', 'Events'], {
    summary: `List the changes of ${a}`,
    description: `Pages through the retained events of ${a}, newest first, even if the ${one} was deleted.`,
    params: idParams(one),
    query: PageQuery,
    data: HistoryPage,
    errors: [404],
  });

/** The read of the record with a natural key. */
export const getByKeyOf = <Key extends TProperties, Detail extends TSchema>(
  { one, a, many }: ObjectNames,
  key: string,
  input: Key,
  data: Detail,
) =>
  operation(
    [`get${capitalized(one)}By${capitalized(key)}`, `GET /v1/${many}/by-${key}/{${key}}`, 'list', capitalized(many)],
    {
      summary: `Get ${a} by its ${key}`,
      description: `Returns the ${one} that a create with this ${key} would find, in the same form as the get by id.`,
      params: closed(input, {}),
      query: recordQueryOf(one),
      data,
      errors: [404],
      headers: recordHeaders,
    },
  );

/** The operations that write records of an object. */
export const writeOperationsOf = <Created extends TSchema, Detail extends TSchema>(
  { one, a, many }: ObjectNames,
  bodies: ReturnType<typeof bodySchemas>,
  schemas: {
    readonly created: Created;
    readonly detail: Detail;
    /** Further properties of the response to a create. */
    readonly extra?: Readonly<Record<string, TSchema>>;
  },
  texts: { readonly create: Texts; readonly delete: string },
  errors: { readonly create: readonly number[]; readonly delete: readonly number[] },
) => {
  const [One, Many] = [capitalized(one), capitalized(many)];
  const params = idParams(one);
  const bulk = { maxBodyBytes: bulkBodyBytes, data: BulkResults };
  return {
    create: operation([`create${One}`, `POST /v1/inbound/${many}`, 'inbound', Many], {
      ...texts.create,
      query: OnMatchQuery,
      body: bodies.create,
      data: schemas.created,
      extra: { ...schemas.extra, ...writeExtra },
      errors: errors.create,
      headers: createHeaders,
    }),
    update: operation([`update${One}`, `PATCH /v1/inbound/${many}/{id}`, 'inbound', Many], {
      summary: `Update ${a}`,
      description: `Changes ${a} and returns the whole record. Absent fields keep their values; \`null\` clears a field.`,
      params,
      body: bodies.update,
      data: schemas.detail,
      extra: writeExtra,
      errors: [404, 409, 412],
      headers: updateHeaders,
    }),
    delete: operation([`delete${One}`, `DELETE /v1/inbound/${many}/{id}`, 'delete', Many], {
      summary: `Delete ${a}`,
      description: texts.delete,
      params,
      data: DeletedRecord,
      errors: errors.delete,
      headers: writeHeaders,
    }),
    bulkCreate: operation([`bulkCreate${Many}`, `POST /v1/inbound/${many}/bulk`, 'bulk', Many], {
      summary: `Create many ${many}`,
      description: `Creates up to ${bulkCreateItems} ${many}, each as a single create would.`,
      ...bulk,
      query: BulkCreateQuery,
      body: bodies.bulkCreate,
      item: bodies.create,
      errors: [409, 422],
      headers: idempotentWriteHeaders,
    }),
    bulkUpdate: operation([`bulkUpdate${Many}`, `PATCH /v1/inbound/${many}/bulk`, 'bulk', Many], {
      summary: `Update many ${many}`,
      description: `Changes up to ${bulkUpdateItems} ${many}, each as a single update would.`,
      ...bulk,
      query: BulkQuery,
      body: bodies.bulkUpdate,
      item: bodies.updateItem,
      headers: writeHeaders,
    }),
  };
};

/** The merge of two records of an object. @param moved - the records that move to the kept one */
export const mergeOf = ({ one, a, many }: ObjectNames, key: string, moved: string) =>
  operation([`merge${capitalized(one)}`, `POST /v1/inbound/${many}/{id}/merge`, 'delete', capitalized(many)], {
    summary: `Merge ${a} into this one`,
    description:
      `Moves the ${moved} of \`from\` to this ${one}, fills the empty fields of this ${one} and deletes \`from\`. ` +
      `The ${key} of \`from\` becomes an alias of this ${one}.`,
    params: idParams(one),
    body: MergeBody,
    data: Merged,
    errors: [404, 409, 412, 422],
    headers: idempotentWriteHeaders,
  });
