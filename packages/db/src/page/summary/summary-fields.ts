import {
  type DateUnit,
  type FieldRef,
  type FilterKind,
  filterKindOf,
  type SummaryGroup,
  type SummaryMeasure,
} from '@crm/domain';
import type { Parameters } from '../parameters.js';

/** The text of a custom value, or of one part of it. */
const customText = (ref: FieldRef & { source: 'custom' }, parameters: Parameters): string => {
  const slug = `${parameters.add(ref.definition.slug)}::text`;
  return ref.part === undefined
    ? `(r.custom_fields->>${slug})`
    : `(r.custom_fields->${slug}->>${parameters.add(ref.part)}::text)`;
};

const valueText = (ref: FieldRef, parameters: Parameters): string => {
  if (ref.source === 'custom') return customText(ref, parameters);
  if (ref.source === 'system') return `r.${ref.field.name}`;
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
export interface GroupKeySql {
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
export const groupKeySql = ({ field, unit }: SummaryGroup, parameters: Parameters): GroupKeySql => {
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
export const measureValueSql = ({ field }: SummaryMeasure, parameters: Parameters): string =>
  `${valueText(field, parameters)}::numeric`;
