import { maxEpochMs, maxNameLength, minEpochMs, stageOutcomes } from '@crm/domain';
import { Type, type Static } from 'typebox';
import { dealDateText } from '../openapi/shown-checks.js';
import {
  checkedAs,
  instant,
  integer,
  listOf,
  nullable,
  number,
  oneOf,
  optional,
  responseObject,
  text,
  uuid,
} from './build.js';
import { exampleIds } from './example-ids.js';
import { closed } from './input.js';

const instantInput = (description: string, example: string) =>
  optional(
    Type.Unsafe<string | number>({
      type: ['number', 'string'],
      maxLength: maxNameLength,
      'x-document': {
        ...{ type: ['integer', 'string'], minimum: minEpochMs, maximum: maxEpochMs },
        ...{ maxLength: maxNameLength, pattern: dealDateText },
      },
      description,
      examples: [example],
      ...checkedAs('dealDate'),
    }),
  );

/** The body of the summary of stages. */
export const StageSummaryBody = closed(
  {
    pipeline_id: uuid('The pipeline whose stages to summarize.', 'pipeline'),
    from: instantInput(
      'Only stays that began at this time or later: RFC 3339, YYYY-MM-DD (UTC) or Unix milliseconds.',
      '2026-07-01',
    ),
    to: instantInput('Only stays that began before this time. A date is its first instant, in UTC.', '2026-10-01'),
  },
  {
    title: 'StageSummaryBody',
    description: 'A pipeline and a period.',
    examples: [{ pipeline_id: exampleIds.pipeline, from: '2026-07-01', to: '2026-10-01' }],
  },
);
export type StageSummaryBody = Static<typeof StageSummaryBody>;

const StageMoves = responseObject('StageMoves', 'How many of the stays in a stage ended with a move to another one.', {
  stage_id: nullable(uuid('The next stage; null if the deal left for none, or was merged into another one.', 'second')),
  stage_name: nullable(text('Its label; null without a stage, or if it was deleted since.', 'Proposal')),
  count: integer('The number of stays.', 12, { minimum: 0 }),
  rate: number('`count` divided by `entered`.', 0.6, { minimum: 0, maximum: 1 }),
});

const StageFigures = responseObject('StageFigures', 'The stays in one stage that began in the period.', {
  stage_id: uuid('Id of the stage.', 'stage'),
  stage_name: text('Its label.', 'Qualified'),
  outcome: oneOf(stageOutcomes, 'Whether deals in it are open, won or lost.', 'open'),
  entered: integer('The number of stays. A deal that enters the stage twice has two.', 20, { minimum: 0 }),
  left: integer('How many of them have ended.', 15, { minimum: 0 }),
  median_seconds: nullable(
    number('Median length of the ended ones, in seconds; null if none has.', 172800, { minimum: 0 }),
  ),
  p90_seconds: nullable(number('The 90th percentile of their lengths, in seconds.', 604800, { minimum: 0 })),
  moves: listOf(StageMoves, 'Where the ended ones went, the most frequent first.'),
});

/** `data` of the summary of stages. */
export const StageSummary = responseObject('StageSummary', 'How deals went through the stages of a pipeline.', {
  stages: listOf(StageFigures, 'The stages of the pipeline in their order, archived ones too.'),
  complete_from: nullable(
    instant('The stays since this time are complete: the creation of the first deal; null without deals.'),
  ),
});
export type StageSummary = Static<typeof StageSummary>;
