import {
  type CursorPosition,
  type DefaultSortField,
  type ErrorCollector,
  type FieldIndex,
  type FieldSelection,
  type FilterNode,
  type ObjectType,
  parseFieldSelection,
  filterSteps,
  parseSort,
  resolveField,
  runAtOnce,
  type SortKey,
  type Steps,
  unknownPipeline,
} from '@crm/domain';
import type { Queries } from '../database.js';
import { loadSetup, type OrganizationSetup } from '../organization-setup.js';
import { labelField } from './fields.js';
import { conjuncts } from './filter-sql.js';

/** A page to read. */
export interface PageRequest {
  /** The organization's setup. A sort by labels needs the latest one, which `withLatestLabels` loads. */
  readonly setup: OrganizationSetup;
  readonly objectType: ObjectType;
  /** Null for all pipelines, and for objects without pipelines. */
  readonly pipelineId: string | null;
  readonly stageId: string | null;
  /** Normalized words that must all occur. */
  readonly words: readonly string[];
  readonly filters: FilterNode | null;
  readonly sort: readonly SortKey[];
  /** The end of the previous page: the sort keys of its last record as text. */
  readonly position: CursorPosition | null;
  readonly limit: number;
  readonly selection: FieldSelection;
}

/** The unparsed input of a list or search. */
export interface PageRequestInput {
  readonly objectType: ObjectType;
  readonly pipelineId?: string | null | undefined;
  readonly stageId?: string | null | undefined;
  /** Only opportunities of this contact, as the filter `contact_id` selects them. */
  readonly contactId?: string | null | undefined;
  readonly readWords: (errors: ErrorCollector) => readonly string[];
  readonly filters?: unknown;
  readonly sort?: unknown;
  readonly defaultSort: DefaultSortField;
  /** Reads the page size, which query strings and bodies represent differently. */
  readonly readLimit: (errors: ErrorCollector) => number;
  readonly fields?: string | readonly string[] | null | undefined;
}

/** A request for the first page, and the pipeline that the caller named. Field definitions and cursors depend on that pipeline. */
export interface ParsedPageRequest {
  readonly request: PageRequest;
  readonly requestedPipelineId: string | null;
}

/** The named pipeline, the pipeline to read (the named one, else that of the stage) and the stage. All are null for other objects. */
const resolveScope = (setup: OrganizationSetup, input: PageRequestInput, errors: ErrorCollector) => {
  const pipeline = (input.pipelineId ?? null) === null ? null : setup.findPipeline(input.pipelineId ?? '');
  if (pipeline === undefined) throw unknownPipeline();
  const requestedPipelineId = pipeline?.id ?? null;
  const stageId = input.stageId ?? null;
  if (stageId === null) return { requestedPipelineId, pipelineId: requestedPipelineId, stageId };
  const stage = setup.findStage(stageId);
  if (stage === undefined || (pipeline !== null && stage.pipelineId !== pipeline.id)) {
    errors.add('stage_id', pipeline === null ? 'is not a stage of any pipeline' : 'is not a stage of this pipeline');
    return { requestedPipelineId, pipelineId: requestedPipelineId, stageId: null };
  }
  return { requestedPipelineId, pipelineId: stage.pipelineId, stageId: stage.id };
};

/** Filters that also select the opportunities of a contact. */
const ofContact = (
  contactId: string | null | undefined,
  filters: FilterNode | null,
  fields: FieldIndex,
): FilterNode | null => {
  const field = typeof contactId === 'string' ? resolveField(fields, 'contact_id') : null;
  if (typeof contactId !== 'string' || field === null) return filters;
  const leaf: FilterNode = { kind: 'leaf', field, operator: 'in', value: [contactId.toLowerCase()] };
  return filters === null ? leaf : { kind: 'and', nodes: [leaf, ...conjuncts(filters)] };
};

/**
 * Parses and validates the input of a list or search, in steps. The gateway and `crm explain` share it.
 *
 * @param errors - collects the errors of all parts of the request; use the result only if there are none
 * @throws ApiError `not_found` for an unknown pipeline
 */
export function* pageRequestSteps(
  setup: OrganizationSetup,
  input: PageRequestInput,
  errors: ErrorCollector,
): Steps<ParsedPageRequest> {
  const { requestedPipelineId, pipelineId, stageId } = resolveScope(setup, input, errors);
  const fields = setup.fieldIndex(input.objectType, requestedPipelineId);
  const request: PageRequest = {
    setup,
    objectType: input.objectType,
    pipelineId,
    stageId,
    limit: input.readLimit(errors),
    words: input.readWords(errors),
    filters: ofContact(input.contactId, yield* filterSteps(input.filters, fields, errors), fields),
    sort: parseSort(input.sort, fields, input.defaultSort, errors),
    position: null,
    selection: parseFieldSelection(input.fields, fields, errors),
  };
  return { request, requestedPipelineId };
}

/** Runs {@link pageRequestSteps} at once. */
export const parsePageRequest = (...input: Parameters<typeof pageRequestSteps>): ParsedPageRequest =>
  runAtOnce(pageRequestSteps(...input));

/**
 * Prepares a request for `listPage`. A request that sorts by labels (of stages, pipelines or owners) gets the latest setup, because a
 * page sorted by cached labels would lack the records of new labels.
 * @param database - the server that serves the page
 */
export const withLatestLabels = async (database: Queries, request: PageRequest): Promise<PageRequest> => {
  const { setup, sort } = request;
  if (sort.every(({ field }) => labelField(setup, field) === null)) return request;
  return { ...request, setup: await loadSetup(database, setup.organizationId) };
};
