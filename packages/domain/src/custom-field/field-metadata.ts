import type { ErrorCollector } from '../errors.js';
import { blankFault, comparableName } from '../natural-key/name.js';
import { fail, ok, type Result } from '../result.js';
import { attributeDescriptions, type AttributeType } from './attribute-types.js';
import { defaultRatingMax, type FieldMetadata, type FieldOption } from './definition.js';
import { parseCurrencyCode } from './currency.js';
import { parseTrimmedText } from './values/text.js';
import { echo } from './values/bounds.js';

/** The maximum number of options of one field, including archived ones. */
export const maxOptions = 500;

/** The maximum length of an option's label and of its value, in characters. */
export const maxOptionTextLength = 255;

/** The upper limit for the maximum of a rating. */
export const maxRatingMax = 100;

/** The accepted names of colours. Options without a colour get them in turn. */
export const optionColors = [
  'blue',
  'green',
  'yellow',
  'orange',
  'red',
  'purple',
  'pink',
  'teal',
  'brown',
  'gray',
] as const;

const hexColorPattern = /^#[0-9a-f]{6}$/i;

/** Reads the colour of a stage or option: one of {@link optionColors}, or `#rrggbb`. */
export const parseColor = (input: string): Result<string> => {
  if (hexColorPattern.test(input)) return ok(input.toLowerCase());
  const named = optionColors.find((color) => color === input);
  return named === undefined ? fail(`must be #rrggbb or one of: ${optionColors.join(', ')}`) : ok(named);
};

/** An option as sent. Its type is checked before. */
export interface SentOption {
  readonly label: string;
  /** By default the label. */
  readonly value?: string | null;
  readonly color?: string | null;
  readonly archived?: boolean;
}

/** The settings of a type as sent. Null counts as absent. */
export interface SentSettings {
  readonly options?: readonly SentOption[] | null | undefined;
  readonly currency?: string | null | undefined;
  readonly max?: number | null | undefined;
}

const parseOptionText = (text: string): Result<string> => parseTrimmedText(text, maxOptionTextLength, blankFault);

const readOption = (sent: SentOption, index: number, errors: ErrorCollector): FieldOption | null => {
  const path = `options[${index}]`;
  const label = errors.read(`${path}.label`, parseOptionText(sent.label));
  const value = label === undefined ? label : errors.read(`${path}.value`, parseOptionText(sent.value ?? label));
  const inTurn = optionColors[index % optionColors.length] ?? optionColors[0];
  const color = errors.read(`${path}.color`, parseColor(sent.color ?? inTurn));
  if (label === undefined || value === undefined || color === undefined) return null;
  return { label, value, color, ...(sent.archived === true && { archived: true }) };
};

const usedBy = (text: string): string => `is used by another option: "${echo(text)}"`;

/**
 * Refuses a label that is the value of another option: records would store a value that reads as the label of another.
 * The fault is that of the later option, which a request added.
 */
const checkLabelsAgainstValues = (options: readonly (FieldOption | null)[], errors: ErrorCollector): void => {
  const active = [...options.entries()].flatMap(([index, option]) =>
    option === null || option.archived === true ? [] : [{ index, ...option }],
  );
  const values = new Map(active.map(({ index, value }) => [comparableName(value), { index, value }]));
  for (const { index, label } of active) {
    const holder = values.get(comparableName(label));
    if (holder === undefined || holder.index === index) continue;
    if (index > holder.index) errors.add(`options[${index}].label`, `is the value of another option: "${echo(label)}"`);
    else errors.add(`options[${holder.index}].value`, `is the label of another option: "${echo(label)}"`);
  }
};

/**
 * Reads options. No two may have the same value, and no two that are not archived the same label, nor one the value of the
 * other as its label. An option that was sent without a value has its label as value, so then only the fault of the label
 * is reported.
 */
const readOptions = (sent: readonly SentOption[], errors: ErrorCollector): readonly FieldOption[] => {
  if (sent.length === 0) errors.add('options', 'must be an array of at least one option');
  if (sent.length > maxOptions) {
    errors.add('options', `must have at most ${maxOptions} options`);
    return [];
  }
  const values = new Set<string>();
  const labels = new Set<string>();
  const options = sent.map((one, index) => {
    const option = readOption(one, index, errors);
    if (option === null) return null;
    const { label, value } = option;
    const comparable = comparableName(label);
    const isLabelTaken = option.archived !== true && labels.has(comparable);
    const isValueTaken = values.has(value) && !(isLabelTaken && (one.value ?? null) === null);
    if (isLabelTaken) errors.add(`options[${index}].label`, usedBy(label));
    if (isValueTaken) errors.add(`options[${index}].value`, usedBy(value));
    values.add(value);
    if (option.archived !== true) labels.add(comparable);
    return option;
  });
  if (errors.isEmpty) checkLabelsAgainstValues(options, errors);
  return options.filter((option) => option !== null);
};

const parseRatingMax = (max: number): Result<number> =>
  Number.isInteger(max) && max >= 1 && max <= maxRatingMax
    ? ok(max)
    : fail(`must be an integer from 1 to ${maxRatingMax}`);

/**
 * Reads the settings of a definition's type and fills in every default: option colours, an option's value if only its
 * label is given, a rating's maximum. Types without settings accept none and give null. The result is valid input and
 * then comes back unchanged.
 * @param errors - collects errors on paths such as `options[2].color`; use the result only if there are none
 */
export const parseFieldMetadata = (
  attributeType: AttributeType,
  sent: SentSettings,
  errors: ErrorCollector,
): FieldMetadata | null => {
  const own = attributeDescriptions[attributeType].setting;
  const misplaced = Object.entries(sent).filter(([name, value]) => name !== own && (value ?? null) !== null);
  for (const [name] of misplaced) errors.add(name, `does not apply to fields of the type ${attributeType}`);
  if (own === undefined || misplaced.length > 0) return null;
  if (own === 'options') return { options: readOptions(sent.options ?? [], errors) };
  if (own === 'max') {
    const max = errors.read('max', parseRatingMax(sent.max ?? defaultRatingMax));
    return max === undefined ? null : { max };
  }
  if (sent.currency === undefined || sent.currency === null) return null;
  const currency = errors.read('currency', parseCurrencyCode(sent.currency));
  return currency === undefined ? null : { currency };
};
