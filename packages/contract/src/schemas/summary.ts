import { summaryFunctions } from '@crm/domain';
import { Type, type Static, type TUnsafe } from 'typebox';
import { fieldsEntryLength, summaryGroupings, summaryGroups, summaryMeasures } from '../bounds.js';
import { mapOf, nullable, optional, type SchemaOptions } from './build.js';
import { exampleIds } from './example-ids.js';
import { closed } from './input.js';
import { matchProperties, pipelineProperties } from './search.js';

const summaryProperties = {
  ...matchProperties,
  group_by: optional(
    Type.Array(Type.String({ maxLength: fieldsEntryLength }), {
      maxItems: summaryGroupings,
      description:
        'What to group by: `stage_id`, `owner_id`, `pipeline_id`, `account_id`, `currency`, a select, radio or checkbox ' +
        'field, or a date with its unit, as `close_date:month` (day, week, month, quarter or year, in UTC).',
      examples: [['stage_id', 'close_date:month']],
    }),
  ),
  measures: optional(
    Type.Array(Type.String({ maxLength: fieldsEntryLength }), {
      maxItems: summaryMeasures,
      description:
        '`sum:`, `avg:`, `min:` and `max:` of a field that holds numbers, as `sum:amount`. `count` is always answered.',
      examples: [['count', 'sum:amount']],
    }),
  ),
  limit: optional(
    Type.Integer({
      minimum: 1,
      maximum: summaryGroups,
      default: summaryGroups,
      description: 'Most groups in the answer, the largest first. Totals are of all groups.',
    }),
  ),
};

const example = {
  group_by: ['created_at:month'],
  filters: [{ field: 'created_at', operator: 'gte', value: '2026-01-01' }],
};

/** The body of the account and contact summaries. */
export const SummaryBody = closed(summaryProperties, {
  title: 'SummaryBody',
  description: 'What to count and compute.',
  examples: [example],
});
export type SummaryBody = Static<typeof SummaryBody>;

/** The body of the opportunity summary. */
export const SummarizeOpportunitiesBody = closed(
  { ...pipelineProperties, ...summaryProperties },
  {
    title: 'SummarizeOpportunitiesBody',
    description: 'What to count and compute.',
    examples: [{ pipeline_id: exampleIds.pipeline, group_by: ['stage_id'], measures: ['count', 'sum:amount'] }],
  },
);
export type SummarizeOpportunitiesBody = Static<typeof SummarizeOpportunitiesBody>;

/** Measures by the names under which they were asked for. */
export interface SummaryValues {
  [key: `${(typeof summaryFunctions)[number]}:${string}`]: string | null;
}

const count = Type.Integer({ minimum: 0, description: 'Records.', examples: [12] });

/** An object that has measures beside its properties. */
const withMeasures = <P extends Parameters<typeof Type.Object>[0]>(
  properties: P,
  options: SchemaOptions,
): TUnsafe<Static<ReturnType<typeof Type.Object<P>>> & SummaryValues> =>
  Type.Unsafe<Static<ReturnType<typeof Type.Object<P>>> & SummaryValues>(
    Type.Object(properties, {
      additionalProperties: false,
      patternProperties: {
        [`^(${summaryFunctions.join('|')}):`]: {
          type: ['string', 'null'],
          description:
            'A measure: a decimal number as text, exact but for averages, which have up to 8 decimals. Null if no record has a value.',
        },
      },
      ...options,
    }),
  );

const SummaryGroup = withMeasures(
  {
    key: mapOf(Type.Unsafe<string | boolean | null>({ type: ['string', 'boolean', 'null'] }), {
      description:
        'Values by the names of `group_by`; null for records without one. A date is the first day of its unit. `currency` is ' +
        'added where a measure is of `amount`.',
    }),
    label: mapOf(nullable(Type.String()), { description: 'The same to show to people; null if there is none.' }),
    count,
  },
  { title: 'SummaryGroup', description: 'Records that have the same key.' },
);

const SummaryTotal = withMeasures(
  { count },
  {
    title: 'SummaryTotal',
    description: 'All matching records. A measure of `amount` is null if the amounts have several currencies.',
  },
);

const SummaryCurrencyTotal = withMeasures(
  {
    currency: nullable(Type.String({ description: 'ISO 4217 code; null for records without one.', examples: ['EUR'] })),
    count,
  },
  { title: 'SummaryCurrencyTotal', description: 'All matching records of one currency.' },
);

/** `data` of a summary. */
export const Summary = Type.Object(
  {
    groups: Type.Array(SummaryGroup, { description: 'The groups with the most records first.' }),
    total: SummaryTotal,
    total_by_currency: Type.Array(SummaryCurrencyTotal, {
      description: 'Totals of each currency; empty without a measure of `amount`.',
    }),
    truncated: Type.Boolean({ description: 'Whether there are more groups than `limit`.', examples: [false] }),
  },
  {
    title: 'Summary',
    description: 'Matching records, counted and computed by group.',
    examples: [
      {
        groups: [
          {
            key: { stage_id: exampleIds.stage, currency: 'EUR' },
            label: { stage_id: 'Won', currency: 'EUR' },
            count: 12,
            'sum:amount': '48250.5',
          },
        ],
        total: { count: 12, 'sum:amount': '48250.5' },
        total_by_currency: [{ currency: 'EUR', count: 12, 'sum:amount': '48250.5' }],
        truncated: false,
      },
    ],
  },
);
export type Summary = Static<typeof Summary>;
