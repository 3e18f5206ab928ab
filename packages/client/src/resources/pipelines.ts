import type { Listing } from '../listing.js';
import type { ReadOptions } from '../options.js';
import type { PageQuery } from '../queries.js';
import type { Send } from '../transport.js';
import type { Pipeline, PipelinePage, Stage, StagePage } from '../types.js';
import { listOf, pathOf } from './lists.js';

/** What can be done with pipelines. */
export interface Pipelines {
  list(query?: PageQuery, options?: ReadOptions): Listing<Pipeline, PipelinePage>;
  /** The stages of a pipeline, in their order. */
  stages(pipelineId: string, query?: PageQuery, options?: ReadOptions): Listing<Stage, StagePage>;
}

/** Makes the calls for pipelines. */
export const createPipelines = (send: Send): Pipelines => ({
  list: (query, options) => listOf<Pipeline, PipelinePage>(send, '/v1/pipelines', 'pipelines', query, options),
  stages: (pipelineId, query, options) =>
    listOf<Stage, StagePage>(send, `${pathOf('/v1/pipelines', pipelineId)}/stages`, 'stages', query, options),
});
