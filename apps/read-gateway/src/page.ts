import { type Catalog, listPage, type Pipeline } from '@crm/db';
import {
  type CursorBinding,
  type CursorPosition,
  defaultSort,
  definitionsMap,
  ErrorCollector,
  type FieldCatalogue,
  type ObjectType,
  parseFieldSelection,
  parseLimit,
  parseSearchQuery,
} from '@crm/domain';
import { JsonText } from '@crm/http';
import type { Context } from './context.js';

/** What a list or search asks for, as it came: everything is read and checked here. */
export interface PageInput {
  /** Id of the operation; cursors are bound to it. */
  readonly operation: string;
  readonly objectType: ObjectType;
  /** The key of the records in the answer, as `opportunities`. */
  readonly collection: string;
  readonly pipeline: Pipeline | null;
  readonly stageId: string | undefined;
  readonly queryText: string | undefined;
  /** The name under which the text was sent. */
  readonly queryPath: 'q' | 'query';
  readonly cursor: string | undefined;
  readonly limit: string | undefined;
  readonly fields: readonly string[] | undefined;
}

/** A page as text: the records come from the database as JSON and are never parsed. */
const pageText = (
  collection: string,
  catalogueJson: string,
  limit: number,
  records: readonly string[],
  nextCursor: string | null,
): JsonText =>
  new JsonText(
    `{"${collection}":[${records.join(',')}],"custom_field_definitions":${catalogueJson},` +
      `"has_more":${nextCursor !== null},"next_cursor":${JSON.stringify(nextCursor)},"limit":${limit}}`,
  );

const readStageId = (pipeline: Pipeline | null, stageId: string | undefined, errors: ErrorCollector): string | null => {
  if (stageId === undefined) return null;
  const stage = pipeline?.stages.find(({ id }) => id === stageId.toLowerCase());
  if (stage === undefined) errors.add('stage_id', 'Is not a stage of this pipeline');
  return stage?.id ?? null;
};

const decodeCursor = (
  context: Context,
  input: PageInput,
  binding: CursorBinding,
  errors: ErrorCollector,
): CursorPosition | null => {
  // A cursor is only worth judging for a request that is otherwise good: it would not fit a mended one either.
  errors.throwIfAny();
  return context.cursors.decode(input.cursor, binding);
};

/** The core of every list and search: definitions, selection and cursor, one statement, and the page as text. */
export const readPage = async (context: Context, catalog: Catalog, input: PageInput) => {
  const errors = new ErrorCollector();
  const pipelineId = input.pipeline?.id ?? null;
  const fields: FieldCatalogue = catalog.fieldCatalogue(input.objectType, pipelineId);
  const limit = parseLimit(input.limit, errors);
  const words = parseSearchQuery(input.queryText, input.queryPath, errors);
  const selection = parseFieldSelection(input.fields, fields, errors);
  const stageId = readStageId(input.pipeline, input.stageId, errors);
  const binding: CursorBinding = {
    organizationId: catalog.organizationId,
    operation: input.operation,
    limit,
    words,
    sort: defaultSort(fields, 'created_at'),
    pipelineId,
    stageId,
  };
  const position = decodeCursor(context, input, binding, errors);
  const { organizationId } = catalog;
  const { objectType } = input;
  const page = await listPage(context.database, {
    organizationId,
    objectType,
    pipelineId,
    stageId,
    words,
    position,
    limit,
    selection,
  });
  const nextCursor = page.nextPosition === null ? null : context.cursors.encode(binding, page.nextPosition);
  const definitions = JSON.stringify(definitionsMap(selection.custom));
  return {
    message: `Found ${input.collection}`,
    data: pageText(input.collection, definitions, limit, page.records, nextCursor),
  };
};
