import type { WriteAnswer } from '../answer.js';
import { listOf, type Listing } from '../listing.js';
import type { CallOptions, ReadOptions } from '../options.js';
import { pathOf, type Send } from '../transport.js';
import type * as types from '../types.js';
import { setupOf } from './setup.js';

/** The calls for pipelines and their stages. Changes need the permission `setup`. */
export interface Pipelines {
  list(query?: types.PageQuery, options?: ReadOptions): Listing<types.Pipeline, types.PipelinePage>;
  /** The stages of a pipeline, in order. */
  stages(pipelineId: string, query?: types.PageQuery, options?: ReadOptions): Listing<types.Stage, types.StagePage>;
  /** Creates a pipeline with its stages. */
  create(body: types.CreatePipeline, options?: CallOptions): Promise<WriteAnswer<types.PipelineDetail>>;
  /** Absent properties stay; `is_active: false` archives, `true` restores. */
  update(id: string, body: types.UpdatePipeline, options?: CallOptions): Promise<WriteAnswer<types.PipelineDetail>>;
  /** Adds a stage to a pipeline: at its position, or at the end. */
  createStage(
    pipelineId: string,
    body: types.CreateStage,
    options?: CallOptions,
  ): Promise<WriteAnswer<types.StageDetail>>;
  /** Absent properties stay. Archiving a stage with opportunities needs `move_opportunities_to`. */
  updateStage(stageId: string, body: types.UpdateStage, options?: CallOptions): Promise<WriteAnswer<types.StageDetail>>;
  /** Deletes a stage without opportunities. */
  deleteStage(stageId: string, options?: CallOptions): Promise<WriteAnswer<types.Deleted>>;
}

const folder = '/v1/inbound/pipelines';

/** Creates the calls for pipelines. */
export const createPipelines = (send: Send): Pipelines => {
  const { create, update, remove } = setupOf(send);
  return {
    list: (query, options) => listOf(send, '/v1/pipelines', 'pipelines', query, options),
    stages: (pipelineId, query, options) =>
      listOf(send, `${pathOf('/v1/pipelines', pipelineId)}/stages`, 'stages', query, options),
    create: (body, options) => create(folder, body, options),
    update: async (id, body, options) => update(pathOf(folder, id), body, options),
    createStage: async (pipelineId, body, options) => create(`${pathOf(folder, pipelineId)}/stages`, body, options),
    updateStage: async (stageId, body, options) => update(pathOf('/v1/inbound/stages', stageId), body, options),
    deleteStage: async (stageId, options) => remove(pathOf('/v1/inbound/stages', stageId), options),
  };
};
