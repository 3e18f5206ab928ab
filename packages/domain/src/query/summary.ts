import type { ErrorCollector } from '../errors.js';
import { fail, ok, type Result } from '../result.js';
import { type FieldIndex, unknownFieldText } from './field-index.js';
import { fieldKey, type FieldRef, resolveField } from './field-ref.js';
import { filterKindOf } from './filter/operators.js';
import { quote } from './quote.js';

/** The units by which a summary groups dates, in UTC. A week begins on Monday, as in ISO 8601. */
export const dateUnits = ['day', 'week', 'month', 'quarter', 'year'] as const;

/** One of {@link dateUnits}. */
export type DateUnit = (typeof dateUnits)[number];

/** What a summary groups by. */
export interface SummaryGroup {
  /** The text that was sent, also the key in the response: `stage_id`, `close_date:month`. */
  readonly name: string;
  readonly field: FieldRef;
  /** Whether it is a field of the record's account. */
  readonly isOfAccount: boolean;
  /** Null for fields that are not dates. */
  readonly unit: DateUnit | null;
}

/** What a summary computes from the numbers of a group, besides its count. */
export const summaryFunctions = ['sum', 'avg', 'min', 'max', 'median', 'p90'] as const;

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
export const maxSummaryGroupings = 3;
/** The maximum number of measures in a summary. */
export const maxSummaryMeasures = 10;
/** The maximum number of medians and percentiles in a summary, because each of them sorts all matching records. */
export const maxSummaryPercentiles = 2;
/** The maximum number of groups in the response of a summary. */
export const maxSummaryGroups = 1_000;

/** The measure that every summary has, even if the request does not name it. */
const count = 'count';

const groupedSystemFields: ReadonlySet<string> = new Set([
  'stage_id',
  'outcome',
  'owner_id',
  'pipeline_id',
  'account_id',
  'currency',
  'industry',
  'employee_range',
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

/** The names of the fields that a summary can use. */
export interface SummaryFields {
  readonly own: FieldIndex;
  /** Those of the record's account; null for records without an account. */
  readonly account: FieldIndex | null;
}

/** The field of a name, or null. Hidden fields count as unknown, because a summary would reveal their values. */
const findField = (name: string, fieldIndex: FieldIndex): FieldRef | null => {
  const field = resolveField(fieldIndex, name);
  return field !== null && !(field.source === 'custom' && field.definition.isHidden) ? field : null;
};

const parseField = (name: string, fieldIndex: FieldIndex, errors: ErrorCollector): Result<FieldRef> => {
  const field = findField(name, fieldIndex);
  return field === null ? fail(unknownFieldText(fieldIndex, name, errors)) : ok(field);
};

const ofAccount = 'account.';

/** The field of a group. A name such as `account.city` may be a part of a custom field `account`, or a field of the account. */
const parseGroupField = (
  name: string,
  { own, account }: SummaryFields,
  errors: ErrorCollector,
): Result<Pick<SummaryGroup, 'field' | 'isOfAccount'>> => {
  const field = findField(name, own);
  if (account === null || !name.startsWith(ofAccount) || field?.source === 'relation') {
    const parsed = parseField(name, own, errors);
    return parsed.ok ? ok({ field: parsed.value, isOfAccount: false }) : parsed;
  }
  const rest = name.slice(ofAccount.length);
  const related = findField(rest, account);
  if (field !== null && related !== null) {
    return fail(`has two meanings: write custom__${name} or ${ofAccount}custom__${rest}`);
  }
  if (field !== null) return ok({ field, isOfAccount: false });
  return related === null
    ? fail(`of the account: ${unknownFieldText(account, rest, errors)}`)
    : ok({ field: related, isOfAccount: true });
};

const isDateUnit = (text: string): text is DateUnit => dateUnits.some((unit) => unit === text);
const isSummaryFunction = (text: string): text is SummaryFunction => summaryFunctions.some((one) => one === text);

const parseGroup = (text: string, fields: SummaryFields, errors: ErrorCollector): Result<SummaryGroup> => {
  const colon = text.lastIndexOf(':');
  const [name, unit] = colon < 0 ? [text, null] : [text.slice(0, colon), text.slice(colon + 1)];
  const found = parseGroupField(name, fields, errors);
  if (!found.ok) return found;
  switch (groupingOf(found.value.field)) {
    case null:
      return fail(
        `cannot group by ${quote(name)}: use an id, a select, radio or checkbox field, or a date with its unit`,
      );
    case 'value':
      return unit === null
        ? ok({ name: text, ...found.value, unit })
        : fail(`${quote(name)} holds no date, so it takes no unit`);
    case 'date':
      return unit !== null && isDateUnit(unit)
        ? ok({ name: text, ...found.value, unit })
        : fail(`must have one of the units ${dateUnits.join(', ')}, as in ${name}:month`);
  }
};

const parseMeasure = (
  text: string,
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
): Result<SummaryMeasure | typeof count> => {
  if (text === count) return ok(count);
  const colon = text.indexOf(':');
  const compute = text.slice(0, Math.max(colon, 0));
  if (!isSummaryFunction(compute)) {
    return fail(`must be count, or one of ${summaryFunctions.join(', ')} with a field, as in sum:amount`);
  }
  const name = text.slice(colon + 1);
  const field = parseField(name, fieldIndex, errors);
  if (!field.ok) return field;
  return field.value.source !== 'relation' && filterKindOf(field.value) === 'number'
    ? ok({ name: text, compute, field: field.value })
    : fail(`cannot compute the ${compute} of ${quote(name)}: it holds no number`);
};

/** Reads each text of a list. Rejects a second text with the same meaning, however it is spelled. */
const parseEach = <T>(
  texts: readonly string[],
  path: string,
  parse: (text: string) => Result<T>,
  identityOf: (parsed: T) => string,
  errors: ErrorCollector,
): readonly T[] => {
  const seen = new Set<string>();
  return texts.flatMap((text, index) => {
    const parsed = errors.read(`${path}[${index}]`, parse(text));
    if (parsed === undefined) return [];
    const identity = identityOf(parsed);
    if (seen.has(identity)) errors.add(`${path}[${index}]`, 'is given twice');
    seen.add(identity);
    return [parsed];
  });
};

const groupIdentity = ({ field, unit, isOfAccount }: SummaryGroup): string =>
  `${isOfAccount ? ofAccount : ''}${fieldKey(field)} ${unit ?? ''}`;

/**
 * Reads `group_by`: ids (`stage_id`, `owner_id`, `pipeline_id`, `account_id`), `outcome`, `currency`, `industry`, `employee_range`,
 * booleans, select, radio and checkbox fields, dates with a unit, such as `close_date:month`, and those of the account, such as
 * `account.industry`.
 *
 * @param errors collects errors on `group_by[0]` and so on
 */
export const parseGroupBy = (
  texts: readonly string[],
  fields: SummaryFields,
  errors: ErrorCollector,
): readonly SummaryGroup[] =>
  parseEach(texts, 'group_by', (text) => parseGroup(text, fields, errors), groupIdentity, errors);

/** Whether a measure needs the sorted values of a group. */
export const isPercentile = ({ compute }: SummaryMeasure): boolean => compute === 'median' || compute === 'p90';

/**
 * Reads `measures`: `count`, which every summary has anyway, and `sum:`, `avg:`, `min:`, `max:`, `median:` and `p90:` of a numeric
 * field.
 *
 * @param errors collects errors on `measures[0]` and so on
 */
export const parseMeasures = (
  texts: readonly string[],
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
): readonly SummaryMeasure[] => {
  const identityOf = (measure: SummaryMeasure | typeof count): string =>
    measure === count ? count : `${measure.compute} ${fieldKey(measure.field)}`;
  const parsed = parseEach(texts, 'measures', (text) => parseMeasure(text, fieldIndex, errors), identityOf, errors);
  const measures = parsed.filter((measure) => measure !== count);
  if (measures.filter(isPercentile).length > maxSummaryPercentiles) {
    errors.add('measures', `must have at most ${maxSummaryPercentiles} of median and p90`);
  }
  return measures;
};

/**
 * Whether a measure is money whose currency is in another field of the record. A custom currency field has one fixed
 * currency.
 */
export const hasCurrencyPerRecord = ({ field }: SummaryMeasure): boolean =>
  field.source === 'system' && ['amount', 'weighted_amount'].includes(field.field.name);
