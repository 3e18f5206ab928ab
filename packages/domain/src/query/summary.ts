import type { ErrorCollector } from '../errors.js';
import { type FieldIndex, quote, unknownFieldText } from './field-index.js';
import { fieldKey, type FieldRef, resolveField } from './field-ref.js';
import { filterKindOf } from './filter/operators.js';

/** The units by which a summary groups dates, in UTC. A week begins on Monday, as in ISO 8601. */
export const dateUnits = ['day', 'week', 'month', 'quarter', 'year'] as const;

/** One of {@link dateUnits}. */
export type DateUnit = (typeof dateUnits)[number];

/** What a summary groups by. */
export interface SummaryGroup {
  /** The text that was sent, also the key in the response: `stage_id`, `close_date:month`. */
  readonly name: string;
  readonly field: FieldRef;
  /** Null for fields that are not dates. */
  readonly unit: DateUnit | null;
}

/** What a summary computes from the numbers of a group, besides its count. */
export const summaryFunctions = ['sum', 'avg', 'min', 'max'] as const;

/** One of {@link summaryFunctions}. */
export type SummaryFunction = (typeof summaryFunctions)[number];

/** One number that a summary computes for each group. */
export interface SummaryMeasure {
  /** The text that was sent, also the key in the response: `sum:amount`. */
  readonly name: string;
  readonly compute: SummaryFunction;
  readonly field: FieldRef;
}

/** The maximum number of fields that a summary groups by. */
export const maxSummaryGroupings = 2;
/** The maximum number of measures in a summary. */
export const maxSummaryMeasures = 10;
/** The maximum number of groups in the response of a summary. */
export const maxSummaryGroups = 1_000;

/** The measure that every summary has, even if the request does not name it. */
const count = 'count';

const groupedSystemFields: ReadonlySet<string> = new Set([
  'stage_id',
  'owner_id',
  'pipeline_id',
  'account_id',
  'currency',
]);

/** How a field is grouped: by value, or by day, month and so on; null if it cannot be grouped. */
const groupingOf = (field: FieldRef): 'value' | 'date' | null => {
  if (field.source === 'relation') return null;
  const kind = filterKindOf(field);
  if (kind === 'instant' || kind === 'timestamp' || kind === 'datetime' || kind === 'date') return 'date';
  if (field.source === 'system')
    return groupedSystemFields.has(field.field.name) || kind === 'boolean' ? 'value' : null;
  return kind === 'option' || kind === 'checkbox' ? 'value' : null;
};

/** The field of a name. Hidden fields count as unknown, because a summary would reveal their values. */
const findField = (name: string, path: string, fieldIndex: FieldIndex, errors: ErrorCollector): FieldRef | null => {
  const field = resolveField(fieldIndex, name);
  if (field !== null && !(field.source === 'custom' && field.definition.isHidden)) return field;
  errors.add(path, unknownFieldText(fieldIndex, name));
  return null;
};

const isDateUnit = (text: string): text is DateUnit => dateUnits.some((unit) => unit === text);
const isSummaryFunction = (text: string): text is SummaryFunction => summaryFunctions.some((one) => one === text);

/** Splits `close_date:month` at its last colon; the second part is null without one. */
const splitUnit = (text: string): readonly [name: string, unit: string | null] => {
  const colon = text.lastIndexOf(':');
  return colon < 0 ? [text, null] : [text.slice(0, colon), text.slice(colon + 1)];
};

const parseGroup = (
  text: string,
  path: string,
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
): SummaryGroup | null => {
  const [name, unit] = splitUnit(text);
  const field = findField(name, path, fieldIndex, errors);
  if (field === null) return null;
  const grouping = groupingOf(field);
  if (grouping === null) {
    errors.add(
      path,
      `cannot group by ${quote(name)}: use an id, a select, radio or checkbox field, or a date with its unit`,
    );
    return null;
  }
  if (grouping === 'value') {
    if (unit === null) return { name: text, field, unit };
    errors.add(path, `${quote(name)} holds no date, so it takes no unit`);
    return null;
  }
  if (unit !== null && isDateUnit(unit)) return { name: text, field, unit };
  errors.add(path, `must have one of the units ${dateUnits.join(', ')}, as in ${name}:month`);
  return null;
};

const parseMeasure = (
  text: string,
  path: string,
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
): SummaryMeasure | null => {
  const colon = text.indexOf(':');
  const compute = text.slice(0, Math.max(colon, 0));
  if (!isSummaryFunction(compute)) {
    errors.add(path, `must be count, or one of ${summaryFunctions.join(', ')} with a field, as in sum:amount`);
    return null;
  }
  const name = text.slice(colon + 1);
  const field = findField(name, path, fieldIndex, errors);
  if (field === null) return null;
  if (field.source !== 'relation' && filterKindOf(field) === 'number') return { name: text, compute, field };
  errors.add(path, `cannot compute the ${compute} of ${quote(name)}: it holds no number`);
  return null;
};

/** Parses each text of a list. Rejects a second text with the same meaning, however it is spelled. */
const parseEach = <T>(
  texts: readonly string[],
  path: string,
  identityOf: (parsed: T) => string,
  parse: (text: string, path: string) => T | null,
  errors: ErrorCollector,
): readonly T[] => {
  const seen = new Set<string>();
  return texts.flatMap((text, index) => {
    const parsed = parse(text, `${path}[${index}]`);
    if (parsed === null) return [];
    const identity = identityOf(parsed);
    if (seen.has(identity)) errors.add(`${path}[${index}]`, 'is given twice');
    seen.add(identity);
    return [parsed];
  });
};

/**
 * Reads `group_by`: ids (`stage_id`, `owner_id`, `pipeline_id`, `account_id`), `currency`, booleans, select, radio and
 * checkbox fields, and dates with a unit, such as `close_date:month`.
 *
 * @param errors collects errors on `group_by[0]` and so on
 */
export const parseGroupBy = (
  texts: readonly string[],
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
): readonly SummaryGroup[] =>
  parseEach(
    texts,
    'group_by',
    ({ field, unit }) => `${fieldKey(field)} ${unit ?? ''}`,
    (text, path) => parseGroup(text, path, fieldIndex, errors),
    errors,
  );

/**
 * Reads `measures`: `count`, which every summary has anyway, and `sum:`, `avg:`, `min:` and `max:` of a numeric field.
 *
 * @param errors collects errors on `measures[0]` and so on
 */
export const parseMeasures = (
  texts: readonly string[],
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
): readonly SummaryMeasure[] =>
  parseEach<SummaryMeasure | typeof count>(
    texts,
    'measures',
    (measure) => (measure === count ? count : `${measure.compute} ${fieldKey(measure.field)}`),
    (text, path) => (text === count ? count : parseMeasure(text, path, fieldIndex, errors)),
    errors,
  ).filter((measure) => measure !== count);

/**
 * Whether a measure is money whose currency is in another field of the record. A custom currency field has one fixed
 * currency.
 */
export const hasCurrencyPerRecord = ({ field }: SummaryMeasure): boolean =>
  field.source === 'system' && field.field.name === 'amount';
