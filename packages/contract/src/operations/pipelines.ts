import type { OperationContract } from '../operation.js';
import { PipelinePage, StagePage } from '../schemas/pipeline.js';
import { idParams, PageQuery } from './shared.js';

/** `GET /v1/pipelines` */
export const listPipelines = {
  id: 'listPipelines',
  gateway: 'read',
  method: 'get',
  path: '/v1/pipelines',
  group: 'list',
  tag: 'Pipelines',
  summary: 'List pipelines',
  description: 'Pages through the pipelines, in order.',
  query: PageQuery,
  data: PipelinePage,
} as const satisfies OperationContract;

/** `GET /v1/pipelines/{id}/stages` */
export const listPipelineStages = {
  id: 'listPipelineStages',
  gateway: 'read',
  method: 'get',
  path: '/v1/pipelines/{id}/stages',
  group: 'list',
  tag: 'Pipelines',
  summary: 'List the stages of a pipeline',
  description: 'Pages through the stages of a pipeline, in order.',
  params: idParams('pipeline'),
  query: PageQuery,
  data: StagePage,
  errors: [404],
} as const satisfies OperationContract;
