import {
  type DefaultSortField,
  type ErrorCollector,
  type ObjectType,
  parseFieldSelection,
  parseFilters,
  parseSort,
  unknownPipeline,
} from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';
import type { PageRequest } from './page-request.js';

/** The unparsed input of a list or search. */
export interface PageRequestInput {
  readonly objectType: ObjectType;
  readonly pipelineId?: string | null | undefined;
  readonly stageId?: string | null | undefined;
  readonly readWords: (errors: ErrorCollector) => readonly string[];
  readonly filters?: unknown;
  readonly sort?: unknown;
  readonly defaultSort: DefaultSortField;
  /** Reads the page size, which query strings and bodies represent differently. */
  readonly readLimit: (errors: ErrorCollector) => number;
  readonly fields?: unknown;
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

/**
 * Parses and validates the input of a list or search. The gateway and `crm explain` share it.
 *
 * @param errors - collects the errors of all parts of the request; use the result only if there are none
 * @throws ApiError `not_found` for an unknown pipeline
 */
export const parsePageRequest = (
  setup: OrganizationSetup,
  input: PageRequestInput,
  errors: ErrorCollector,
): ParsedPageRequest => {
  const { requestedPipelineId, pipelineId, stageId } = resolveScope(setup, input, errors);
  const fields = setup.fieldIndex(input.objectType, requestedPipelineId);
  const request: PageRequest = {
    ...{ setup, objectType: input.objectType, pipelineId, stageId, position: null },
    limit: input.readLimit(errors),
    words: input.readWords(errors),
    filters: parseFilters(input.filters, fields, errors),
    sort: parseSort(input.sort, fields, input.defaultSort, errors),
    selection: parseFieldSelection(input.fields, fields, errors),
  };
  return { request, requestedPipelineId };
};
