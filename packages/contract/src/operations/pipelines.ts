import { operation } from '../operation.js';
import { PipelinePage, StagePage } from '../schemas/pipeline.js';
import { idParams, PageQuery } from './shared.js';

/** `GET /v1/pipelines` */
export const listPipelines = operation(['listPipelines', 'GET /v1/pipelines', 'list', 'Pipelines'], {
  summary: 'List pipelines',
  description: 'Pages through the pipelines, in order.',
  query: PageQuery,
  data: PipelinePage,
});

/** `GET /v1/pipelines/{id}/stages` */
export const listPipelineStages = operation(
  ['listPipelineStages', 'GET /v1/pipelines/{id}/stages', 'list', 'Pipelines'],
  {
    summary: 'List the stages of a pipeline',
    description: 'Pages through the stages of a pipeline, in order.',
    params: idParams('pipeline'),
    query: PageQuery,
    data: StagePage,
    errors: [404],
  },
);
