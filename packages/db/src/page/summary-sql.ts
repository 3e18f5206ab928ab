import {
  type DateUnit,
  fieldKey,
  type FieldRef,
  type FilterKind,
  filterKindOf,
  type SummaryGroup,
  type SummaryMeasure,
} from '@crm/domain';
import type { TenantStatement } from '../database.js';
import { conditionsOf } from './conditions.js';
import { stageValues, tables } from './fields.js';
import { Parameters } from './parameters.js';
import { placeOf, withJoinedLists } from './plan.js';
import { matchConditions } from './plans/matches.js';
import type { SummaryRequest } from './summarize.js';

/** The text of a custom value, or of one part of it. */
const customText = (ref: FieldRef & { source: 'custom' }, parameters: Parameters): string => {
  const slug = `${parameters.add(ref.definition.slug)}::text`;
  return ref.part === undefined
    ? `(r.custom_fields->>${slug})`
    : `(r.custom_fields->${slug}->>${parameters.add(ref.part)}::text)`;
};

const valueText = (ref: FieldRef, parameters: Parameters): string => {
  if (ref.source === 'custom') return customText(ref, parameters);
  if (ref.source === 'system')
    return (stageValues as Readonly<Record<string, string>>)[ref.field.name] ?? `r.${ref.field.name}`;
  throw new Error('A summary reads no related record');
};

const dayMs = 86_400_000;

/**
 * The UTC day of Unix milliseconds. It computes with integers, because a double cannot represent the microseconds of the year 9999
 * exactly. `%` is negative for times before 1970; the second `%` makes it positive, so these days round down too.
 */
const dayOfMs = (ms: string): string =>
  `(date '1970-01-01' + ((${ms} - (${ms} % ${dayMs} + ${dayMs}) % ${dayMs}) / ${dayMs})::int)`;

/** The UTC day of a date or time field. */
const daySql = (ref: FieldRef, kind: FilterKind, parameters: Parameters): string => {
  const value = valueText(ref, parameters);
  if (kind === 'timestamp') return dayOfMs(`${value}::bigint`);
  if (kind === 'instant') {
    const isMs = ref.source === 'system' && ref.field.kind === 'epoch_ms';
    return isMs ? dayOfMs(value) : `(${value} AT TIME ZONE 'UTC')::date`;
  }
  // RFC 3339 texts are stored in UTC, so their first ten characters are the day.
  return kind === 'datetime' ? `left(${value}, 10)::date` : `${value}::date`;
};

/** The `to_char` format for the label of each unit. */
const labelFormats: Readonly<Record<DateUnit, string>> = {
  day: 'YYYY-MM-DD',
  week: 'IYYY-"W"IW',
  month: 'YYYY-MM',
  quarter: 'YYYY-"Q"Q',
  year: 'YYYY',
};

/** Lookups of the labels of ids. The statement reads the labels itself, because a cached setup may lack a new stage. */
const labelsOfIds: Readonly<Record<string, (id: string) => string>> = {
  stage_id: (id) => `SELECT x.label FROM stages x WHERE x.organization_id = $1 AND x.id = ${id}`,
  pipeline_id: (id) => `SELECT x.name FROM pipelines x WHERE x.organization_id = $1 AND x.id = ${id}`,
  owner_id: (id) => `SELECT x.email FROM members x WHERE x.organization_id = $1 AND x.id = ${id}`,
  account_id: (id) => `SELECT coalesce(x.name, x.domain) FROM accounts x WHERE x.organization_id = $1 AND x.id = ${id}`,
};

/** One key of a summary's groups. */
interface GroupKeySql {
  /** Over the record `r`. */
  readonly expression: string;
  /** The key of a group as text. @param column - the column with the value of the expression */
  text(column: string): string;
  /** The label of a group; SQL `NULL` if the database has no label for it. */
  label(column: string): string;
}

/**
 * The SQL of one group key.
 *
 * - `stage_id` → `r.stage_id`
 * - `created_at:month` → `date_trunc('month', ((r.created_at AT TIME ZONE 'UTC')::date)::timestamp)::date`
 * - `custom__tier` → `(r.custom_fields->>$2::text) COLLATE "C"`
 */
const groupKeySql = ({ field, unit }: SummaryGroup, parameters: Parameters): GroupKeySql => {
  const kind = filterKindOf(field);
  if (unit !== null) {
    const day = daySql(field, kind, parameters);
    return {
      expression: unit === 'day' ? day : `date_trunc('${unit}', (${day})::timestamp)::date`,
      text: (column) => `to_char(${column}, '${labelFormats.day}')`,
      label: (column) => `to_char(${column}, '${labelFormats[unit]}')`,
    };
  }
  const value = valueText(field, parameters);
  const labelOfId = field.source === 'system' ? labelsOfIds[field.field.name] : undefined;
  return {
    expression:
      kind === 'checkbox'
        ? `${value}::boolean`
        : kind === 'uuid' || kind === 'boolean'
          ? value
          : `${value} COLLATE "C"`,
    text: (column) => `${column}::text`,
    label: (column) => (labelOfId === undefined ? 'NULL' : `(${labelOfId(column)})`),
  };
};

/** The number that a measure aggregates. A custom number is read from its text, because its slot is a rounded double. */
const measureValueSql = ({ field }: SummaryMeasure, parameters: Parameters): string =>
  `${valueText(field, parameters)}::numeric`;

/** The SQL of a measure. */
interface MeasureSql {
  /** Columns of each group, aggregated over its records. */
  readonly columns: readonly (readonly [name: string, aggregate: string])[];
  /** The same columns, aggregated over groups. */
  readonly totals: readonly (readonly [name: string, aggregate: string])[];
  /** The value of the measure as text, computed from the columns. */
  readonly text: string;
}

/** Decimals of an average. All other measures are exact. */
export const averageDecimals = 8;

/** A factor that gives a quotient more decimals than are shown. Without it PostgreSQL computes fewer decimals for a large quotient. */
const divisible = '1.000000000000';

const measureSql = ({ compute }: SummaryMeasure, value: string, index: number): MeasureSql => {
  const name = `m_${index}`;
  if (compute !== 'avg') {
    return {
      columns: [[name, `${compute}(${value})`]],
      totals: [[name, `${compute}(${name})`]],
      text: `trim_scale(${name})::text`,
    };
  }
  const size = `n_${index}`;
  return {
    columns: [
      [name, `sum(${value})`],
      [size, `count(${value})`],
    ],
    totals: [
      [name, `sum(${name})`],
      [size, `sum(${size})`],
    ],
    text: `trim_scale(round(${name} * ${divisible} / nullif(${size}, 0), ${averageDecimals}))::text`,
  };
};

/** The SQL of all measures. Measures of one field share an expression with the same parameters, so that PostgreSQL computes it once. */
const measuresSql = (measures: readonly SummaryMeasure[], parameters: Parameters): readonly MeasureSql[] => {
  const values = new Map<string, string>();
  return measures.map((measure, index) => {
    const key = fieldKey(measure.field);
    const value = values.get(key) ?? measureValueSql(measure, parameters);
    values.set(key, value);
    return measureSql(measure, value, index + 1);
  });
};

const named = (columns: readonly (readonly [name: string, sql: string])[]): string[] =>
  columns.map(([name, sql]) => `${sql} AS ${name}`);

const textArray = (items: readonly string[]): string => `ARRAY[${items.join(', ')}]::text[]`;

/** The kinds of rows in a summary: a group, the total of a currency (if currencies are separated), and the total of all records. */
export type SummaryRowKind = 'group' | 'currency' | 'total';

const kindSql = (kind: SummaryRowKind): string => `'${kind}'::text`;

/** The totals, aggregated over `groups` instead of over the records. */
const totalsSql = (currency: string | null, columns: readonly string[]): string => {
  const kind =
    currency === null ? kindSql('total') : `CASE grouping(${currency}) WHEN 1 THEN 'total' ELSE 'currency' END`;
  const groupBy = currency === null ? '' : `GROUP BY GROUPING SETS ((${currency}), ())`;
  const all = [
    `${kind} AS kind`,
    `${currency ?? 'NULL::text'} AS currency`,
    'coalesce(sum(size), 0) AS size',
    ...columns,
  ];
  return `SELECT ${all.join(', ')} FROM groups ${groupBy}`;
};

/**
 * The statement of a summary. It groups the matching records once, and then aggregates the groups for the totals.
 *
 * Example: `group_by: ["stage_id"]`, `measures: ["sum:amount"]` in one pipeline. The currency becomes part of the key:
 *
 * ```sql
 * WITH groups AS MATERIALIZED (
 *   SELECT r.stage_id AS key_1, r.currency COLLATE "C" AS key_2, count(*) AS size, sum(r.amount::numeric) AS m_1
 *     FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid GROUP BY 1, 2),
 * shown AS (
 *   SELECT g.*, row_number() OVER (ORDER BY size DESC, key_1, key_2) AS place
 *     FROM groups g ORDER BY size DESC, key_1, key_2 LIMIT $3::int),
 * totals AS (
 *   SELECT CASE grouping(key_2) WHEN 1 THEN 'total' ELSE 'currency' END AS kind, key_2 AS currency,
 *          coalesce(sum(size), 0) AS size, sum(m_1) AS m_1
 *     FROM groups GROUP BY GROUPING SETS ((key_2), ()))
 * SELECT 'group'::text AS kind, place, ARRAY[…] AS keys, ARRAY[…] AS labels, NULL AS currency, size,
 *        ARRAY[trim_scale(m_1)::text]::text[] AS values FROM shown
 *  UNION ALL
 * SELECT kind, NULL, NULL, NULL, currency, size, ARRAY[trim_scale(m_1)::text]::text[] FROM totals
 *  ORDER BY place, size DESC, currency
 * ```
 */
export const summaryStatement = (request: SummaryRequest): TenantStatement => {
  const { groups, measures, currencyIndex } = request;
  const page = withJoinedLists(request.page);
  const scope = { setup: page.setup, objectType: page.objectType, parameters: new Parameters() };
  const { parameters } = scope;
  const keys = groups.map((group, index) => ({ ...groupKeySql(group, parameters), name: `key_${index + 1}` }));
  const names = keys.map(({ name }) => name);
  const computed = measuresSql(measures, parameters);
  const where = matchConditions(page, placeOf(page, parameters), conditionsOf(scope, page, []));
  const order = ['size DESC', ...names].join(', ');
  const values = textArray(computed.map(({ text }) => text));
  const columns = [
    ...keys.map(({ expression, name }) => `${expression} AS ${name}`),
    'count(*) AS size',
    ...computed.flatMap((measure) => named(measure.columns)),
  ];
  const currency = currencyIndex === null ? null : (names[currencyIndex] ?? null);
  const totals = totalsSql(
    currency,
    computed.flatMap((measure) => named(measure.totals)),
  );
  const limit = `${parameters.add(request.limit + 1)}::int`;
  const groupBy = keys.length === 0 ? '' : `GROUP BY ${keys.map((_key, index) => index + 1).join(', ')}`;
  const texts = textArray(keys.map((key) => key.text(key.name)));
  const labels = textArray(keys.map((key) => key.label(`shown.${key.name}`)));
  return parameters.statement(`
    WITH groups AS MATERIALIZED (
      SELECT ${columns.join(', ')} FROM ${tables[page.objectType]} r WHERE ${where.join(' AND ')} ${groupBy}),
    shown AS (
      SELECT g.*, row_number() OVER (ORDER BY ${order}) AS place FROM groups g ORDER BY ${order} LIMIT ${limit}),
    totals AS (${totals})
    SELECT ${kindSql('group')} AS kind, place, ${texts} AS keys, ${labels} AS labels, NULL AS currency, size, ${values} AS values
      FROM shown
     UNION ALL
    SELECT kind, NULL, NULL, NULL, currency, size, ${values} FROM totals
     ORDER BY place, size DESC, currency`);
};
