import { Type, type Static } from 'typebox';
import { instant, responseObject, nullable, uuid } from './build.js';
import { pageProperties } from './pagination.js';

/** A pipeline in the list of pipelines. */
export const Pipeline = responseObject('Pipeline', 'A sequence of stages that deals go through.', {
  pipeline_id: uuid('Id of the pipeline.', 'pipeline'),
  name: Type.String({ description: 'Name.', examples: ['Sales'] }),
  is_active: Type.Boolean({ description: 'Whether it accepts new deals; false if it is archived.', examples: [true] }),
  created_at: instant('When it was created.'),
});
export type Pipeline = Static<typeof Pipeline>;

/** `data` of a page of pipelines. */
export const PipelinePage = responseObject('PipelinePage', 'A page of pipelines.', {
  pipelines: Type.Array(Pipeline, { description: 'The records of this page.' }),
  ...pageProperties,
});

/** A stage in the list of stages. */
export const Stage = responseObject('Stage', 'A step of a pipeline.', {
  stage_id: uuid('Id of the stage.', 'stage'),
  pipeline_id: uuid('Its pipeline.', 'pipeline'),
  label: Type.String({ description: 'Display text: `stage_name` of an opportunity.', examples: ['Qualified'] }),
  stage_order: Type.Integer({ description: 'Position in the pipeline, from 1.', examples: [2] }),
  color: Type.String({ description: 'Display colour.', examples: ['#2563eb'] }),
  is_active: Type.Boolean({ description: 'Whether it is in use.', examples: [true] }),
  is_default: Type.Boolean({ description: 'Whether new opportunities start here.', examples: [false] }),
  probability: nullable(
    Type.Number({ minimum: 0, maximum: 100, description: 'Chance of winning, in percent.', examples: [40] }),
  ),
});
export type Stage = Static<typeof Stage>;

/** `data` of a page of stages. */
export const StagePage = responseObject('StagePage', 'A page of stages.', {
  stages: Type.Array(Stage, { description: 'The stages of this page, in order.' }),
  ...pageProperties,
});
