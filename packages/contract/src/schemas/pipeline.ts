import { stageOutcomes } from '@crm/domain';
import type { Static } from 'typebox';
import { flag, instant, integer, listOf, nullable, number, oneOf, responseObject, text, uuid } from './build.js';
import { pageOf } from './pagination.js';

/** A pipeline in the list of pipelines. */
export const Pipeline = responseObject('Pipeline', 'A sequence of stages that deals go through.', {
  pipeline_id: uuid('Id of the pipeline.', 'pipeline'),
  name: text('Name.', 'Sales'),
  is_active: flag('Whether it accepts new deals; false if it is archived.', true),
  created_at: instant('When it was created.'),
});
export type Pipeline = Static<typeof Pipeline>;

/** `data` of a page of pipelines. */
export const PipelinePage = pageOf('PipelinePage', 'A page of pipelines.', {
  pipelines: listOf(Pipeline, 'The records of this page.'),
});

/** A stage in the list of stages. */
export const Stage = responseObject('Stage', 'A step of a pipeline.', {
  stage_id: uuid('Id of the stage.', 'stage'),
  pipeline_id: uuid('Its pipeline.', 'pipeline'),
  label: text('Display text: `stage_name` of an opportunity.', 'Qualified'),
  stage_order: integer('Position in the pipeline, from 1.', 2),
  color: text('Display colour.', '#2563eb'),
  is_active: flag('Whether it is in use.', true),
  is_default: flag('Whether new opportunities start here.', false),
  probability: nullable(number('Chance of winning, in percent.', 40, { minimum: 0, maximum: 100 })),
  outcome: oneOf(stageOutcomes, 'Whether deals in it are open, won or lost.', 'open'),
});
export type Stage = Static<typeof Stage>;

/** `data` of a page of stages. */
export const StagePage = pageOf('StagePage', 'A page of stages.', {
  stages: listOf(Stage, 'The stages of this page, in order.'),
});
