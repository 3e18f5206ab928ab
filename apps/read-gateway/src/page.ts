import { type Catalog, listPage } from '@crm/db';
import {
  type CursorBinding,
  type CursorPosition,
  type DefaultSortField,
  definitionsMap,
  ErrorCollector,
  type FieldSelection,
  type ObjectType,
  parseFieldSelection,
  parseFilters,
  parseSearchQuery,
  parseSort,
} from '@crm/domain';
import { JsonText } from '@crm/http';
import type { Context } from './context.js';
import { resolveScope } from './scope.js';

/** What a list or search asks for, as it came: everything in it is read and checked here. */
export interface PageInput {
  /** Id of the operation; cursors are bound to it. */
  readonly operation: string;
  readonly objectType: ObjectType;
  readonly pipelineId?: string | null | undefined;
  readonly stageId?: string | null | undefined;
  readonly queryText: unknown;
  /** The name under which the text was sent. */
  readonly queryPath: 'q' | 'query';
  readonly filters?: unknown;
  readonly sort?: unknown;
  readonly defaultSort: DefaultSortField;
  readonly cursor: string | null | undefined;
  /** Reads the page size; query strings and bodies have their own ways. */
  readonly readLimit: (errors: ErrorCollector) => number;
  readonly fields: unknown;
}

/** The key of an object's records in the answers of its lists and searches. */
const collections: Readonly<Record<ObjectType, string>> = {
  opportunity: 'opportunities',
  account: 'accounts',
  contact: 'contacts',
};

const definitionTexts = new WeakMap<FieldSelection, string>();

/** `custom_field_definitions` of a selection as text; the selections that requests without `fields` share make it once. */
export const definitionsText = (selection: FieldSelection): string => {
  let text = definitionTexts.get(selection);
  if (text === undefined) {
    text = JSON.stringify(definitionsMap(selection.custom));
    definitionTexts.set(selection, text);
  }
  return text;
};

/** The `data` of a page as text: the records come from the database as JSON and are never parsed. */
export const pageText = (
  collection: string,
  records: readonly string[],
  nextCursor: string | null,
  limit: number,
  definitions?: string,
): JsonText =>
  new JsonText(
    `{"${collection}":[${records.join(',')}]` +
      (definitions === undefined ? '' : `,"custom_field_definitions":${definitions}`) +
      `,"has_more":${nextCursor !== null},"next_cursor":${JSON.stringify(nextCursor)},"limit":${limit}}`,
  );

/** A cursor is only judged for a request that is otherwise good: it would not fit a mended one either. */
export const decodeCursor = (
  context: Context,
  cursor: string | null | undefined,
  binding: CursorBinding,
  errors: ErrorCollector,
): CursorPosition | null => {
  errors.throwIfAny();
  return context.cursors.decode(cursor, binding);
};

/** The core of every list and search of records: scope, definitions, selection, order and cursor, one statement, the page as text. */
export const readPage = async (context: Context, catalog: Catalog, input: PageInput) => {
  const { objectType } = input;
  const errors = new ErrorCollector();
  const scope = resolveScope(catalog, input, errors);
  const fields = catalog.fieldCatalogue(objectType, scope.requestedPipelineId);
  const limit = input.readLimit(errors);
  const words = parseSearchQuery(input.queryText, input.queryPath, errors);
  const filters = parseFilters(input.filters, fields, errors);
  const sort = parseSort(input.sort, fields, input.defaultSort, errors);
  const selection = parseFieldSelection(input.fields, fields, errors);
  const binding: CursorBinding = {
    organizationId: catalog.organizationId,
    operation: input.operation,
    limit,
    words,
    filters,
    sort,
    pipelineId: scope.requestedPipelineId,
    stageId: scope.stageId,
  };
  const position = decodeCursor(context, input.cursor, binding, errors);
  const { pipelineId, stageId } = scope;
  const request = { catalog, objectType, pipelineId, stageId, words, filters, sort, position, limit, selection };
  const page = await listPage(context.database, request);
  const nextCursor = page.nextPosition === null ? null : context.cursors.encode(binding, page.nextPosition);
  const collection = collections[objectType];
  return {
    message: `Found ${collection}`,
    data: pageText(collection, page.records, nextCursor, limit, definitionsText(selection)),
  };
};
