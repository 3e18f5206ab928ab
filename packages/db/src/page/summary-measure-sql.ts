import { fieldKey, isPercentile, type SummaryMeasure } from '@crm/domain';
import { dayMs, type SummaryValues } from './summary-values.js';

type Column = readonly [name: string, aggregate: string];

/** The SQL of a measure. */
export interface MeasureSql {
  /** The number that it aggregates, over the record. */
  readonly value: Column;
  /** Columns of each group, aggregated over its records. */
  readonly columns: readonly Column[];
  /** The same columns, aggregated over groups. Percentiles of groups give no percentile of all records, so they have none. */
  readonly totals: readonly Column[];
  /** The value of the measure, computed from the columns. */
  readonly number: string;
}

/** Decimals of averages and days. All other measures are exact. */
const roundedDecimals = 8;

/** A factor that gives a quotient more decimals than are shown. Without it PostgreSQL computes fewer decimals for a large quotient. */
const divisible = '1.000000000000';

const rounded = (dividend: string, divisor: string): string =>
  `round(${dividend} * ${divisible} / ${divisor}, ${roundedDecimals})`;

/**
 * The median is the mean of the two values in the middle, which are one if their number is odd. Both are exact, unlike those of
 * `percentile_cont`. Of up to 500 million values, the second share finds the next one if the half of their number is whole.
 */
const halves = 'ARRAY[0.5, 0.500000001]::float8[]';

const aggregates: Readonly<Record<Exclude<SummaryMeasure['compute'], 'avg'>, (value: string) => string>> = {
  sum: (value) => `sum(${value})`,
  min: (value) => `min(${value})`,
  max: (value) => `max(${value})`,
  median: (value) => `(percentile_disc(${halves}) WITHIN GROUP (ORDER BY ${value}))`,
  p90: (value) => `percentile_disc(0.9::float8) WITHIN GROUP (ORDER BY ${value})`,
};

const isInDays = ({ field }: SummaryMeasure): boolean =>
  field.source === 'system' && field.field.name === 'days_to_close';

const measureSql = (measure: SummaryMeasure, value: Column, index: number): MeasureSql => {
  const { compute } = measure;
  const [valueName] = value;
  const name = `m_${index}`;
  const isInMs = isInDays(measure);
  if (compute === 'avg') {
    const size = `n_${index}`;
    const divisor = isInMs ? `nullif(${size} * ${dayMs}, 0)` : `nullif(${size}, 0)`;
    return {
      value,
      columns: [
        [name, `sum(${valueName})`],
        [size, `count(${valueName})`],
      ],
      totals: [
        [name, `sum(${name})`],
        [size, `sum(${size})`],
      ],
      number: rounded(name, divisor),
    };
  }
  const found = compute === 'median' ? `((${name}[1] + ${name}[2]) * 0.5)` : name;
  return {
    value,
    columns: [[name, aggregates[compute](valueName)]],
    totals: isPercentile(measure) ? [] : [[name, aggregates[compute](name)]],
    number: isInMs ? rounded(found, String(dayMs)) : found,
  };
};

/**
 * The SQL of all measures. Measures of one field share a column, so that PostgreSQL computes it once. A custom number is read from its
 * text, because its slot is a rounded double.
 */
export const measuresSql = (measures: readonly SummaryMeasure[], values: SummaryValues): readonly MeasureSql[] => {
  const columns = new Map<string, Column>();
  return measures.map((measure, index) => {
    const key = fieldKey(measure.field);
    const number = values.valueOf(measure.field);
    const exact = isInDays(measure) ? number : `${number}::numeric`;
    const value = columns.get(key) ?? ([`v_${columns.size + 1}`, exact] as const);
    columns.set(key, value);
    return measureSql(measure, value, index + 1);
  });
};
