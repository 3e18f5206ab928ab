import {
  maxSortKeys,
  maxSummaryGroupings,
  maxSummaryGroups,
  maxSummaryMeasures,
  maxSummaryPercentiles,
  summaryFunctions,
} from '@crm/domain';
import { Type, type Static, type TUnsafe } from 'typebox';
import { fieldsEntryLength, rawParameterLength } from '../bounds.js';
import { flag, integer, listOf, mapOf, nullable, optional, type SchemaOptions, text } from './build.js';
import { exampleIds } from './example-ids.js';
import { closed } from './input.js';
import { matchProperties, pipelineProperties, sortDirection } from './search.js';

const SummarySortKey = closed(
  { field: text('`count`, or a measure or group as the request names it.', 'count'), direction: sortDirection },
  { title: 'SummarySortKey', description: 'One key of the sort of groups.' },
);

const sort = Type.Unsafe<string | Record<string, unknown> | unknown[]>({
  type: ['string', 'object', 'array'],
  maxItems: maxSortKeys,
  maxLength: rawParameterLength,
  description:
    `Up to ${maxSortKeys} keys, before \`limit\` cuts: \`count\`, or a measure or group as the request names it. One key alone, ` +
    'and keys as texts, "sum:amount:desc", are accepted too. Nulls come last. Default: count:desc.',
  'x-document': { type: 'array', items: SummarySortKey, maxItems: maxSortKeys },
});

const summaryProperties = (groupBy: readonly string[], measures: readonly string[]) => ({
  ...matchProperties,
  group_by: optional(
    listOf(
      Type.String({ maxLength: fieldsEntryLength }),
      'What to group by: `stage_id`, `outcome`, `owner_id`, `pipeline_id`, `account_id`, `currency`, `industry`, ' +
        '`employee_range`, `is_freemail`, a select, radio or checkbox field, or a date with its unit, as in ' +
        '`close_date:month` (day, week, month, quarter or year). Also those of the account, as in `account.industry`.',
      groupBy,
      { maxItems: maxSummaryGroupings },
    ),
  ),
  measures: optional(
    listOf(
      Type.String({ maxLength: fieldsEntryLength }),
      '`sum:`, `avg:`, `min:`, `max:`, `median:` or `p90:` followed by a numeric field, as in `sum:amount`. `count` is always ' +
        `returned. At most ${maxSummaryPercentiles} of \`median:\` and \`p90:\`.`,
      measures,
      { maxItems: maxSummaryMeasures },
    ),
  ),
  sort: optional(sort),
  time_zone: optional(
    Type.String({
      maxLength: fieldsEntryLength,
      description:
        'The IANA time zone of the days, months and so on, such as `Europe/Berlin`. Default: UTC. Dates without a time stay on ' +
        'their day.',
    }),
  ),
  limit: optional(
    integer('Maximum number of groups in the response, in the order of `sort`. Totals cover all groups.', undefined, {
      minimum: 1,
      maximum: maxSummaryGroups,
      default: maxSummaryGroups,
    }),
  ),
});

const example = {
  group_by: ['created_at:month'],
  filters: { field: 'created_at', operator: 'gte', value: '2026-01-01' },
};

/** The body of the account and contact summaries. */
export const SummaryBody = closed(summaryProperties(example.group_by, ['count']), {
  title: 'SummaryBody',
  description: 'The records to count, the groups and the measures.',
  examples: [example],
});
export type SummaryBody = Static<typeof SummaryBody>;

/** The body of the opportunity summary. */
export const SummarizeOpportunitiesBody = closed(
  { ...pipelineProperties, ...summaryProperties(['stage_id', 'close_date:month'], ['count', 'sum:amount']) },
  {
    title: 'SummarizeOpportunitiesBody',
    description: 'The records to count, the groups and the measures.',
    examples: [{ pipeline_id: exampleIds.pipeline, group_by: ['stage_id'], measures: ['count', 'sum:amount'] }],
  },
);
export type SummarizeOpportunitiesBody = Static<typeof SummarizeOpportunitiesBody>;

/** Measures by the names in the request. */
export interface SummaryValues {
  [key: `${(typeof summaryFunctions)[number]}:${string}`]: string | null;
}

const count = integer('Records.', 12, { minimum: 0 });

/** An object with measures in addition to its properties. */
const withMeasures = <P extends Parameters<typeof Type.Object>[0]>(
  properties: P,
  options: SchemaOptions,
): TUnsafe<Static<ReturnType<typeof Type.Object<P>>> & SummaryValues> =>
  Type.Unsafe<Static<ReturnType<typeof Type.Object<P>>> & SummaryValues>(
    Type.Object(properties, {
      patternProperties: {
        [`^(${summaryFunctions.join('|')}):`]: {
          type: ['string', 'null'],
          description:
            'A measure: a decimal number as a string. Exact, except that averages and days are rounded to 8 decimals. Null if no ' +
            'record has a value.',
        },
      },
      ...options,
    }),
  );

const SummaryGroup = withMeasures(
  {
    key: mapOf(Type.Unsafe<string | boolean | null>({ type: ['string', 'boolean', 'null'] }), {
      description:
        'The values of the group, by the names in `group_by`; null for records without a value. A date is the first ' +
        'day of its unit. `currency` is added if a measure uses `amount` or `weighted_amount`.',
    }),
    label: mapOf(nullable(Type.String()), { description: 'The same values as display texts; null if there is none.' }),
    count,
  },
  { title: 'SummaryGroup', description: 'The records with the same key.' },
);

const SummaryTotal = withMeasures(
  { count },
  {
    title: 'SummaryTotal',
    description:
      'Totals of all matching records. A measure of `amount` is null if the amounts have several currencies.',
  },
);

const SummaryCurrencyTotal = withMeasures(
  {
    currency: nullable(text('ISO 4217 code; null for records without one.', 'EUR')),
    count,
  },
  { title: 'SummaryCurrencyTotal', description: 'Totals of all matching records with this currency.' },
);

/** `data` of a summary. */
export const Summary = Type.Object(
  {
    groups: listOf(SummaryGroup, 'The groups, in the order of `sort`.'),
    total: SummaryTotal,
    total_by_currency: listOf(SummaryCurrencyTotal, 'Totals per currency; empty without a measure of `amount`.'),
    truncated: flag('Whether there are more groups than `limit`.', false),
  },
  {
    title: 'Summary',
    description: 'Counts and measures of the matching records, by group.',
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
