import type { Catalog } from '@crm/db';
import { ApiError, type ErrorCollector } from '@crm/domain';

/** Where a list or search of opportunities looks; all null for other objects. */
export interface Scope {
  /** The pipeline that the request named: definitions and cursors go by it. */
  readonly requestedPipelineId: string | null;
  /** The pipeline to look in: the one named, or that of the stage named. */
  readonly pipelineId: string | null;
  readonly stageId: string | null;
}

/**
 * Resolves the pipeline and stage of a request. An unknown stage is noted in `errors` on `stage_id`.
 * @throws ApiError `not_found` for an unknown pipeline
 */
export const resolveScope = (
  catalog: Catalog,
  input: { readonly pipelineId?: string | null | undefined; readonly stageId?: string | null | undefined },
  errors: ErrorCollector,
): Scope => {
  const pipeline = (input.pipelineId ?? null) === null ? null : catalog.findPipeline(input.pipelineId ?? '');
  if (pipeline === undefined) throw new ApiError('not_found');
  const requestedPipelineId = pipeline?.id ?? null;
  const stageId = input.stageId ?? null;
  if (stageId === null) return { requestedPipelineId, pipelineId: requestedPipelineId, stageId };
  const stage = catalog.findStage(stageId);
  if (stage === undefined || (pipeline !== null && stage.pipelineId !== pipeline.id)) {
    errors.add('stage_id', pipeline === null ? 'Is not a stage of any pipeline' : 'Is not a stage of this pipeline');
    return { requestedPipelineId, pipelineId: requestedPipelineId, stageId: null };
  }
  return { requestedPipelineId, pipelineId: stage.pipelineId, stageId: stage.id };
};
