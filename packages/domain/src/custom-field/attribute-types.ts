import type { FilterKind } from '../query/filter/operators.js';
import { fail, ok, okIfStored, type Result } from '../result.js';
import { parseDate, parseTime, parseTimestamp } from './calendar.js';
import type { CustomValue, CustomValueReferences } from './custom-value.js';
import { amountLimits, checkDecimal, numberLimits } from './decimal.js';
import { defaultRatingMax, type CustomFieldDefinition, type FieldMetadata } from './definition.js';
import { parseDateRange, parseDatetime } from './values/date.js';
import { parseLocation } from './values/location.js';
import { parseOption, parseOptions } from './values/option.js';
import { parseTeamMembers } from './values/team-members.js';
import { parsePhone } from './values/phone.js';
import { parseEmail, parseString } from './values/text.js';
import { parseUrl, parseWebsite } from './values/web-address.js';

/** What a type of custom fields is. */
interface AttributeDescription {
  /** How its values compare, which decides the operators of filters, whether records sort by it, and its indexed column. */
  readonly kind: FilterKind;
  /** Parses a sent value into the form in which it is stored and read; see {@link parseCustomValue}. */
  readonly parse: (
    input: unknown,
    definition: CustomFieldDefinition,
    references: CustomValueReferences,
  ) => Result<CustomValue>;
  /** Its setting in the metadata of a definition. */
  readonly setting?: keyof FieldMetadata;
}

/** A number; 50 % is 50. */
const parseNumber = (input: unknown): Result<number> => checkDecimal(input, numberLimits);

/** An amount in the currency's main unit. */
const parseCurrency = (input: unknown): Result<number> => checkDecimal(input, amountLimits);

/** An integer from 0 to the definition's maximum. */
const parseRating = (input: unknown, definition: CustomFieldDefinition): Result<number> => {
  const max = definition.metadata?.max ?? defaultRatingMax;
  const fault = `must be an integer from 0 to ${max}`;
  if (typeof input !== 'number' || !Number.isSafeInteger(input) || input < 0) return fail(fault);
  // The maximum may have been higher.
  if (input > max) return okIfStored(input, fault);
  return ok(input === 0 ? 0 : input);
};

const parseCheckbox = (input: unknown): Result<boolean> =>
  typeof input === 'boolean' ? ok(input) : fail('must be true or false');

const described = {
  string: { kind: 'text', parse: parseString },
  number: { kind: 'number', parse: parseNumber },
  checkbox: { kind: 'checkbox', parse: parseCheckbox },
  date: { kind: 'date', parse: parseDate },
  date_range: { kind: 'whole', parse: parseDateRange },
  rating: { kind: 'number', parse: parseRating, setting: 'max' },
  timestamp: { kind: 'timestamp', parse: parseTimestamp },
  select: { kind: 'option', parse: parseOption, setting: 'options' },
  multi_select: { kind: 'option_set', parse: parseOptions, setting: 'options' },
  currency: { kind: 'number', parse: parseCurrency, setting: 'currency' },
  percentage: { kind: 'number', parse: parseNumber },
  location: { kind: 'whole', parse: parseLocation },
  time: { kind: 'time', parse: parseTime },
  datetime: { kind: 'datetime', parse: parseDatetime },
  // Not the kinds `email` and `domain`, which are for natural keys: these fields contain text that a person typed.
  email: { kind: 'text', parse: parseEmail },
  phone: { kind: 'text', parse: parsePhone },
  website: { kind: 'text', parse: parseWebsite },
  url: { kind: 'text', parse: parseUrl },
  radio: { kind: 'option', parse: parseOption, setting: 'options' },
  team_members: { kind: 'member_set', parse: parseTeamMembers },
} as const satisfies Readonly<Record<string, AttributeDescription>>;

/** A type of custom fields. */
export type AttributeType = keyof typeof described;

/** All of them. */
export const attributeTypes = Object.keys(described) as readonly AttributeType[];

/** What each of them is. */
export const attributeDescriptions: Readonly<Record<AttributeType, AttributeDescription>> = described;

/**
 * Parses a sent value into the form in which it is stored and read. Nothing is coerced: `"12"` is not a number. A
 * stored value is valid input for its record and comes back unchanged; `ifStored` of the result says what the record must
 * have for that. The caller handles `null`: it clears the field in an update and
 * means absent in a create.
 *
 * @returns the stored form, or the error text for the field's path.
 */
export const parseCustomValue = (
  definition: CustomFieldDefinition,
  input: unknown,
  references: CustomValueReferences,
): Result<CustomValue> => attributeDescriptions[definition.attributeType].parse(input, definition, references);
