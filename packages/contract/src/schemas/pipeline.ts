import { Type, type Static } from 'typebox';
import { instant, nullable, uuid } from './build.js';
import { exampleIds } from './example-ids.js';
import { pageProperties } from './pagination.js';

/** A pipeline, for examples. */
export const examplePipeline = {
  pipeline_id: exampleIds.pipeline,
  name: 'Sales',
  is_active: true,
  created_at: '2026-01-05T08:00:00.000Z',
};

/** A pipeline in the list of pipelines. */
export const Pipeline = Type.Object(
  {
    pipeline_id: uuid('Id of the pipeline.', 'pipeline'),
    name: Type.String({ description: 'Name.', examples: ['Sales'] }),
    is_active: Type.Boolean({ description: 'Whether it accepts new deals; false if it is archived.' }),
    created_at: instant('When it was created.'),
  },
  { title: 'Pipeline', description: 'A sequence of stages that deals go through.', examples: [examplePipeline] },
);
export type Pipeline = Static<typeof Pipeline>;

/** `data` of a page of pipelines. */
export const PipelinePage = Type.Object(
  { pipelines: Type.Array(Pipeline, { description: 'The records of this page.' }), ...pageProperties },
  {
    title: 'PipelinePage',
    description: 'A page of pipelines.',
    examples: [{ pipelines: [examplePipeline], has_more: false, next_cursor: null, limit: 100 }],
  },
);
export type PipelinePage = Static<typeof PipelinePage>;

/** A stage, for examples. */
export const exampleStage = {
  stage_id: exampleIds.stage,
  pipeline_id: exampleIds.pipeline,
  label: 'Qualified',
  stage_order: 2,
  color: '#2563eb',
  is_active: true,
  is_default: false,
  probability: 40,
};

/** A stage in the list of stages. */
export const Stage = Type.Object(
  {
    stage_id: uuid('Id of the stage.', 'stage'),
    pipeline_id: uuid('Its pipeline.', 'pipeline'),
    label: Type.String({ description: 'Display text: `stage_name` of an opportunity.', examples: ['Qualified'] }),
    stage_order: Type.Integer({ description: 'Position in the pipeline, from 1.', examples: [2] }),
    color: Type.String({ description: 'Display colour.', examples: ['#2563eb'] }),
    is_active: Type.Boolean({ description: 'Whether it is in use.' }),
    is_default: Type.Boolean({ description: 'Whether new opportunities start here.' }),
    probability: nullable(
      Type.Number({ minimum: 0, maximum: 100, description: 'Chance of winning, in percent.', examples: [40] }),
    ),
  },
  { title: 'Stage', description: 'A step of a pipeline.', examples: [exampleStage] },
);
export type Stage = Static<typeof Stage>;

/** `data` of a page of stages. */
export const StagePage = Type.Object(
  { stages: Type.Array(Stage, { description: 'The stages of this page, in order.' }), ...pageProperties },
  {
    title: 'StagePage',
    description: 'A page of stages.',
    examples: [{ stages: [exampleStage], has_more: false, next_cursor: null, limit: 100 }],
  },
);
export type StagePage = Static<typeof StagePage>;
