import {
  type OrganizationSetup,
  listPage,
  type PageRequest,
  type PageRequestInput,
  recordExists,
  pageRequestSteps,
  withLatestLabels,
} from '@crm/db';
import {
  ApiError,
  type CursorBinding,
  type CursorPosition,
  definitionsMap,
  ErrorCollector,
  isFailure,
  type FieldErrors,
  type FieldSelection,
  maxPageBytes,
  objects,
  parseLimit,
  validationError,
} from '@crm/domain';
import { JsonParts, runInTurns } from '@crm/http';
import type { Context } from './context.js';

/** The input of a list or search, and the settings of its operation. */
export interface PageInput extends PageRequestInput {
  /** Id of the operation; cursors are bound to it. */
  readonly operation: string;
  /** The parameter of the free-text query. */
  readonly queryPath: 'q' | 'query';
  readonly cursor: string | null | undefined;
}

const definitionBytes = new WeakMap<FieldSelection, Buffer>();

/**
 * `custom_field_definitions` of a selection as JSON; cached, because all requests without `fields` use the same
 * selection.
 */
export const definitionsJson = (selection: FieldSelection): Buffer => {
  let bytes = definitionBytes.get(selection);
  if (bytes === undefined) {
    bytes = Buffer.from(JSON.stringify(definitionsMap(selection.custom)));
    definitionBytes.set(selection, bytes);
  }
  return bytes;
};

/**
 * The `data` of a page.
 * @param records - comma-separated JSON, or records as bytes from the database, which are neither decoded nor parsed
 * @param more - further properties as JSON, each after a comma
 */
export const pageJson = (
  collection: string,
  records: string | readonly Buffer[],
  nextCursor: string | null,
  limit: number,
  more: readonly (string | Buffer)[] = [],
): JsonParts =>
  new JsonParts([
    `{"${collection}":[`,
    records,
    ']',
    ...more,
    `,"has_more":${nextCursor !== null},"next_cursor":${JSON.stringify(nextCursor)},"limit":${limit}}`,
  ]);

/**
 * Decodes the cursor of a valid request. With other errors it is not checked: it would not fit the corrected request.
 */
const decodeCursor = (
  context: Context,
  cursor: string | null | undefined,
  binding: CursorBinding,
  errors: ErrorCollector,
): CursorPosition | null => {
  errors.throwIfAny();
  return context.cursors.decode(cursor, binding);
};

/** The cursor of the next page; null on the last one. */
const encodeCursor = (context: Context, binding: CursorBinding, position: CursorPosition | null): string | null =>
  position === null ? null : context.cursors.encode(binding, position);

/** A page that was read after a cursor. */
export interface CursorPage<Page> {
  readonly page: Page;
  readonly nextCursor: string | null;
  readonly limit: number;
}

/**
 * Reads a page of a list whose cursors are bound to what the caller asked for.
 * @param errors - the errors of other parameters; nothing is read if there are any
 */
export const readByCursor = async <Page extends { readonly nextPosition: CursorPosition | null }>(
  context: Context,
  query: { readonly cursor?: string | undefined; readonly limit?: string | undefined },
  binding: Omit<CursorBinding, 'limit'>,
  read: (position: CursorPosition | null, limit: number) => Page | Promise<Page>,
  errors = new ErrorCollector(),
): Promise<CursorPage<Page>> => {
  const limit = parseLimit(query.limit, errors);
  const bound = { ...binding, limit };
  const page = await read(decodeCursor(context, query.cursor, bound, errors), limit);
  return { page, nextCursor: encodeCursor(context, bound, page.nextPosition), limit };
};

/** Says how to narrow a search: by its words if it has any, else by filters that fit the object. */
export const narrowMatch = ({ objectType, words }: PageRequest, queryPath: 'q' | 'query'): FieldErrors => {
  if (words.length > 0) return { [queryPath]: 'took too long: use longer or fewer words, or search with filters' };
  return objectType === 'opportunity'
    ? { filters: 'took too long: add a filter on a date, a stage, an owner or an exact value, or a pipeline_id' }
    : { filters: 'took too long: add a filter on a date or an exact value' };
};

/** Errors for the parameters that made a page too slow, which say how to narrow them; null if there are none. */
const narrowing = (input: PageInput, request: PageRequest): FieldErrors | null => {
  const isOfContactAlone = (input.contactId ?? null) !== null && (input.filters ?? null) === null;
  if (isOfContactAlone && request.words.length === 0)
    return { contact_id: 'took too long: search with a filter on a date or a stage too' };
  if (request.words.length > 0 || request.filters !== null) return narrowMatch(request, input.queryPath);
  const isSorted = (input.sort ?? null) !== null;
  return isSorted ? { sort: 'took too long: sort by created_at or updated_at, or add filters' } : null;
};

/**
 * Reads a page or summary. After a timeout the same request would time out again, so the response says how to narrow
 * it.
 * @param errors - how to narrow it, by the names under which it was sent; null if it cannot be narrowed
 * @throws ApiError `timeout` with `errors` and without `Retry-After`
 */
export const readOrNarrow = async <Result>(
  read: () => Promise<Result>,
  errors: FieldErrors | null,
  noun: 'search' | 'summary' = 'search',
): Promise<Result> => {
  try {
    return await read();
  } catch (error) {
    if (errors === null || !isFailure(error, 'timeout')) throw error;
    throw new ApiError('timeout', { message: `The ${noun} took too long: narrow it`, errors, cause: error });
  }
};

/** @throws ApiError `validation_failed` if the organization has no contact with the sent id */
export const checkContact = async (
  { database }: Context,
  organizationId: string,
  id: string | null | undefined,
): Promise<void> => {
  if ((id ?? null) === null || (await recordExists(database, organizationId, 'contact', id ?? ''))) return;
  throw validationError({ contact_id: 'is not a contact of this organization' });
};

/** Runs a list or search of records: parses the request, reads the page and returns it as JSON. */
export const readPage = async (context: Context, setup: OrganizationSetup, input: PageInput) => {
  const errors = new ErrorCollector();
  const { request: firstPage, requestedPipelineId } = await runInTurns(pageRequestSteps(setup, input, errors));
  const { objectType, limit, words, filters, sort, stageId, selection } = firstPage;
  const binding: CursorBinding = {
    organizationId: setup.organizationId,
    operation: input.operation,
    limit,
    words,
    filters,
    sort,
    pipelineId: requestedPipelineId,
    stageId,
  };
  const request = { ...firstPage, position: decodeCursor(context, input.cursor, binding, errors) };
  const definitions = definitionsJson(selection);
  // The definitions are part of the page, so they take room from its records.
  const bytes = maxPageBytes - definitions.length;
  const read = async () => listPage(context.database, await withLatestLabels(context.database, request), bytes);
  const page = await readOrNarrow(read, narrowing(input, request));
  if (page.records.length === 0) await checkContact(context, setup.organizationId, input.contactId);
  const nextCursor = encodeCursor(context, binding, page.nextPosition);
  const { many: collection } = objects[objectType];
  const more = [',"custom_field_definitions":', definitions];
  return {
    message: `Found ${collection}`,
    data: pageJson(collection, page.records, nextCursor, limit, more),
  };
};
