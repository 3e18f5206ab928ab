import { type DateUnit, filterKindOf, type SummaryGroup } from '@crm/domain';
import { dayMs, type SummaryValues } from './summary-values.js';

/**
 * The UTC day of Unix milliseconds. It computes with integers, because a double cannot represent the microseconds of the year 9999
 * exactly. `%` is negative for times before 1970; the second `%` makes it positive, so these days round down too.
 */
const dayOfMs = (ms: string): string =>
  `(date '1970-01-01' + ((${ms} - (${ms} % ${dayMs} + ${dayMs}) % ${dayMs}) / ${dayMs})::int)`;

/** The days of moments in a time zone; in UTC without one. */
interface DayReader {
  readonly values: SummaryValues;
  /** A placeholder; null for UTC. */
  readonly timeZone: string | null;
}

/**
 * The day of Unix milliseconds in a time zone. `close_date` and `next_action_date` take days, which are stored as midnight in UTC: in
 * all time zones, these are still the same day.
 */
const dayOfMsIn = (timeZone: string, ms: string): string => {
  const rest = `(${ms} % ${dayMs} + ${dayMs}) % ${dayMs}`;
  const moment = `(${dayOfMs(ms)}::timestamp + ${rest} * interval '1 millisecond')`;
  return `(${moment} AT TIME ZONE 'UTC' AT TIME ZONE ${timeZone})::date`;
};

/** The day of a date or time field. */
const daySql = ({ field, isOfAccount }: SummaryGroup, { values, timeZone }: DayReader): string => {
  const kind = filterKindOf(field);
  const value = values.valueOf(field, isOfAccount);
  if (kind === 'date') return `${value}::date`;
  const isMs = kind === 'timestamp' || (field.source === 'system' && field.field.kind === 'epoch_ms');
  if (isMs) {
    const ms = kind === 'timestamp' ? `${value}::bigint` : value;
    if (timeZone === null) return dayOfMs(ms);
    const moved = dayOfMsIn(timeZone, ms);
    return kind === 'timestamp' ? moved : `(CASE WHEN ${ms} % ${dayMs} = 0 THEN ${dayOfMs(ms)} ELSE ${moved} END)`;
  }
  if (kind === 'instant') return `(${value} AT TIME ZONE ${timeZone ?? "'UTC'"})::date`;
  // RFC 3339 texts are stored in UTC, so their first ten characters are the day.
  return timeZone === null ? `left(${value}, 10)::date` : `(${value}::timestamptz AT TIME ZONE ${timeZone})::date`;
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

/** The order of stages: that of their pipelines, and in each as the pipeline has them. Other ids are in the order of their labels. */
const placesOfStage = (id: string): readonly string[] => {
  const pipeline = 'pipelines p WHERE p.organization_id = $1 AND p.id = x.pipeline_id';
  const stage = `stages x WHERE x.organization_id = $1 AND x.id = ${id}`;
  return [`(SELECT (SELECT p.position FROM ${pipeline}) FROM ${stage})`, `(SELECT x.position FROM ${stage})`];
};

/** One key of a summary's groups. */
export interface GroupKeySql {
  /** Over the record. */
  readonly expression: string;
  /** The key of a group as text. @param column - the column with the value of the expression */
  text(column: string): string;
  /** The label of a group; SQL `NULL` if the database has no label for it. */
  label(column: string): string;
  /** What to sort groups by. */
  order(column: string): readonly string[];
}

/** A date as text; one before the year 1, such as a day of that year in a time zone west of UTC, ends with `BC`. */
const dateText = (column: string, format: string): string =>
  `to_char(${column}, CASE WHEN ${column} < date '0001-01-01' THEN '${format} BC' ELSE '${format}' END)`;

const dateKeySql = (unit: DateUnit, day: string): GroupKeySql => ({
  expression: unit === 'day' ? day : `date_trunc('${unit}', (${day})::timestamp)::date`,
  text: (column) => dateText(column, labelFormats.day),
  label: (column) => dateText(column, labelFormats[unit]),
  order: (column) => [column],
});

/**
 * The SQL of one group key.
 *
 * - `stage_id` → `r.stage_id`
 * - `created_at:month` → `date_trunc('month', ((r.created_at AT TIME ZONE 'UTC')::date)::timestamp)::date`
 * - `custom__tier` → `(r.custom_fields->>$2::text) COLLATE "C"`
 */
export const groupKeySql = (group: SummaryGroup, days: DayReader): GroupKeySql => {
  const { field, unit, isOfAccount } = group;
  if (unit !== null) return dateKeySql(unit, daySql(group, days));
  const kind = filterKindOf(field);
  const value = days.values.valueOf(field, isOfAccount);
  const name = field.source === 'system' ? field.field.name : '';
  const labelOfId = labelsOfIds[name];
  const isPlain = kind === 'uuid' || kind === 'boolean';
  return {
    expression: kind === 'checkbox' ? `${value}::boolean` : isPlain ? value : `${value} COLLATE "C"`,
    text: (column) => `${column}::text`,
    label: (column) => (labelOfId === undefined ? 'NULL' : `(${labelOfId(column)})`),
    order: (column) => {
      if (name === 'stage_id') return placesOfStage(column);
      return [labelOfId === undefined ? column : `lower((${labelOfId(column)})) COLLATE "C"`];
    },
  };
};
