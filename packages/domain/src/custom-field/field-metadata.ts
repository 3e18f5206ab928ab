import { blankFault } from '../natural-key/name.js';
import { fail, ok, type Result } from '../result.js';
import { normalizeForSearch } from '../text.js';
import { defaultRatingMax, type AttributeType, type FieldMetadata, type FieldOption } from './definition.js';
import { parseCurrencyCode } from './decimal.js';
import { parseTrimmedText } from './values/text.js';
import { findUnknownKey, isJsonObject, ownValue } from './values/json-object.js';
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

const parseOptionColor = (input: unknown, index: number): Result<string> => {
  if (input === undefined || input === null) return ok(optionColors[index % optionColors.length] ?? optionColors[0]);
  if (typeof input !== 'string') return fail('color: must be a string');
  const color = parseColor(input);
  return color.ok ? color : fail(`color: ${color.message}`);
};

const parseFieldOption = (input: unknown, index: number): Result<FieldOption> => {
  if (!isJsonObject(input)) return fail('must be an object with label, value and color');
  const unknownKey = findUnknownKey(input, ['label', 'value', 'color', 'archived']);
  if (unknownKey !== null) return fail(unknownKey);
  const label = parseTrimmedText(ownValue(input, 'label'), maxOptionTextLength, blankFault);
  if (!label.ok) return fail(`label: ${label.message}`);
  const value = parseTrimmedText(ownValue(input, 'value') ?? label.value, maxOptionTextLength, blankFault);
  if (!value.ok) return fail(`value: ${value.message}`);
  const color = parseOptionColor(ownValue(input, 'color'), index);
  if (!color.ok) return color;
  const archived = ownValue(input, 'archived') ?? false;
  if (typeof archived !== 'boolean') return fail('archived: must be true or false');
  const option = { label: label.value, value: value.value, color: color.value };
  return ok(archived ? { ...option, archived } : option);
};

/**
 * The error text for the first label or value that an earlier option already has, or null. Labels of archived options
 * may be reused. The label is checked first: an option that was sent without a value has its label as value, so the
 * error names the field that was sent.
 */
const findRepetition = (options: readonly FieldOption[]): string | null => {
  const values = new Set<string>();
  const normalizedLabels = new Set<string>();
  for (const [index, { value, label, archived }] of options.entries()) {
    const normalizedLabel = normalizeForSearch(label);
    if (archived !== true && normalizedLabels.has(normalizedLabel))
      return `options[${index}]: label: is used by another option: "${echo(label)}"`;
    if (values.has(value)) return `options[${index}]: value: is used by another option: "${echo(value)}"`;
    values.add(value);
    if (archived !== true) normalizedLabels.add(normalizedLabel);
  }
  return null;
};

const parseOptionsMetadata = (input: Readonly<Record<string, unknown>>): Result<FieldMetadata> => {
  const list = ownValue(input, 'options');
  if (!Array.isArray(list) || list.length === 0) return fail('options: must be an array of at least one option');
  if (list.length > maxOptions) return fail(`options: must have at most ${maxOptions} options`);
  const options: FieldOption[] = [];
  for (const [index, entry] of (list as readonly unknown[]).entries()) {
    const option = parseFieldOption(entry, index);
    if (!option.ok) return fail(`options[${index}]: ${option.message}`);
    options.push(option.value);
  }
  const repetition = findRepetition(options);
  return repetition === null ? ok({ options }) : fail(repetition);
};

const parseCurrencyMetadata = (input: Readonly<Record<string, unknown>>): Result<FieldMetadata | null> => {
  const currency = ownValue(input, 'currency');
  if (currency === undefined || currency === null) return ok(null);
  const code = parseCurrencyCode(currency);
  return code.ok ? ok({ currency: code.value }) : fail(`currency: ${code.message}`);
};

const parseRatingMetadata = (input: Readonly<Record<string, unknown>>): Result<FieldMetadata> => {
  const max = ownValue(input, 'max') ?? defaultRatingMax;
  if (typeof max !== 'number' || !Number.isInteger(max) || max < 1 || max > maxRatingMax) {
    return fail(`max: must be an integer from 1 to ${maxRatingMax}`);
  }
  return ok({ max });
};

type MetadataRule = {
  readonly keys: readonly string[];
  readonly parse: (input: Readonly<Record<string, unknown>>) => Result<FieldMetadata | null>;
};

const optionsRule: MetadataRule = { keys: ['options'], parse: parseOptionsMetadata };
const rules: Readonly<Partial<Record<AttributeType, MetadataRule>>> = {
  select: optionsRule,
  radio: optionsRule,
  multi_select: optionsRule,
  currency: { keys: ['currency'], parse: parseCurrencyMetadata },
  rating: { keys: ['max'], parse: parseRatingMetadata },
};

/**
 * Reads the settings of a definition's type and fills in every default: option colours, an option's value if only its
 * label is given, a rating's maximum. Absent metadata counts as an empty object. Types without settings accept none and
 * give null. The result is valid input and then comes back unchanged.
 */
export const parseFieldMetadata = (attributeType: AttributeType, input: unknown): Result<FieldMetadata | null> => {
  const given = input ?? {};
  if (!isJsonObject(given)) return fail('must be an object or null');
  const rule = rules[attributeType];
  const misplaced = Object.keys(given).find((key) => rule?.keys.includes(key) !== true);
  if (misplaced !== undefined) return fail(`${echo(misplaced)}: does not apply to fields of the type ${attributeType}`);
  return rule === undefined ? ok(null) : rule.parse(given);
};
