import { formatInstant, isCalendarDate, parseDate, parseMoment, parseTime } from '../../custom-field/calendar.js';
import { parseCustomValue } from '../../custom-field/attribute-types.js';
import type { CustomValueReferences } from '../../custom-field/custom-value.js';
import type { CustomFieldDefinition } from '../../custom-field/definition.js';
import { maxLocationPartLength } from '../../custom-field/values/bounds.js';
import { findOption, optionsByLabel } from '../../custom-field/values/option.js';
import { readMemberId } from '../../custom-field/values/team-members.js';
import { parseTrimmedText } from '../../custom-field/values/text.js';
import { normalizeDomain } from '../../natural-key/domain.js';
import { normalizeEmail } from '../../natural-key/email.js';
import { valueReaders } from '../../objects/value-readers.js';
import { fail, ok, type Result } from '../../result.js';
import { codePointLength, findTextFault, isBlank, normalizeForSearch } from '../../text.js';
import type { FieldRef } from '../field-ref.js';
import { knownText } from '../known-labels.js';
import { quote } from '../quote.js';
import { relationReader } from '../system-fields.js';
import type { FilterKind, Operator } from './operators.js';
import type { FilterScalar } from './tree.js';

/**
 * The range that a filter value covers: one point (`low` equals `high`), or all instants of one UTC day, both ends
 * included.
 */
export interface Operand {
  readonly low: FilterScalar;
  readonly high: FilterScalar;
}

/** The maximum length of one value, in code points. */
export const maxValueLength = 2_000;

const emptyFault = 'must not be empty: use the operator empty or not_empty';
const blankFault = 'must not be blank: use the operator empty or not_empty';
const dayMs = 86_400_000;
const noReferences: CustomValueReferences = { findMemberId: () => undefined };
/** The instant 0. Writes refuse the number, which may mean "no date" there. */
const epochStart = '1970-01-01T00:00:00Z';
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const point = (value: FilterScalar): Operand => ({ low: value, high: value });

const toPoint = (result: Result<FilterScalar>): Result<Operand> => (result.ok ? ok(point(result.value)) : result);

/**
 * Reads one value for one field and operator into its comparison form; nothing is coerced.
 * @param kind the field's, as `filterKindOf` gives it
 * @param operator decides whether the text is a whole natural key, which is normalized, or a part of one
 */
export const parseOperand = (
  input: unknown,
  field: FieldRef,
  kind: FilterKind,
  operator: Operator,
): Result<Operand> => {
  if (input === null) return fail('must not be null: use the operator empty or not_empty');
  if (typeof input === 'string') {
    if (input === '') return fail(emptyFault);
    if (codePointLength(input) > maxValueLength) return fail(`must have at most ${maxValueLength} characters`);
    const fault = findTextFault(input);
    if (fault !== null) return fail(fault);
  }
  return kind === 'instant' || kind === 'timestamp' || kind === 'datetime'
    ? readInstant(input, kind)
    : toPoint(readPoint(input, field, kind, operator));
};

const readPoint = (input: unknown, field: FieldRef, kind: FilterKind, operator: Operator): Result<FilterScalar> => {
  switch (kind) {
    case 'number':
      // Adding 0 turns -0, which JSON can spell, into 0.
      return typeof input === 'number' && Number.isFinite(input) ? ok(input + 0) : fail('must be a number');
    case 'boolean':
      return typeof input === 'boolean' ? ok(input) : fail('must be true or false');
    case 'checkbox':
      return typeof input === 'boolean' ? ok(input ? 1 : 0) : fail('must be true or false');
    case 'date':
      return parseDate(input === 0 ? epochStart.slice(0, 10) : input);
    case 'time':
      return parseTime(input);
    default:
      return typeof input === 'string' ? readText(input, field, kind, operator) : fail('must be a string');
  }
};

const pieceOperators: ReadonlySet<Operator> = new Set(['contains', 'not_contains', 'starts_with', 'ends_with']);

const readText = (text: string, field: FieldRef, kind: FilterKind, operator: Operator): Result<FilterScalar> => {
  switch (kind) {
    case 'uuid':
      return readUuid(text, 'must be a valid UUID');
    case 'member_set':
      return readMemberId(text, (field.source === 'custom' ? field.members : undefined) ?? noReferences);
    case 'option':
    case 'option_set':
      return field.source === 'custom' ? readOption(text, field.definition) : ok(text);
    default:
      return pieceOperators.has(operator) ? ok(normalizeForSearch(text)) : readWholeText(text, field, kind);
  }
};

const readWholeText = (text: string, field: FieldRef, kind: FilterKind): Result<FilterScalar> => {
  if (kind === 'email') {
    const email = normalizeEmail(text);
    if (!email.ok) return email;
    const labels = field.source === 'system' ? field.labels : undefined;
    return labels?.read(email.value.email) ?? ok(email.value.email);
  }
  if (kind === 'domain') {
    const domain = normalizeDomain(text);
    return domain.ok ? ok(domain.value.domain) : domain;
  }
  if (field.source === 'system' && field.labels !== undefined) return field.labels.read(text);
  const stored = storedForm(text, field);
  if (!stored.ok || (field.source === 'system' && field.isExact === true)) return stored;
  return ok(normalizeForSearch(stored.value));
};

/**
 * The text as a write of the field would store it, so that a filter by a sent value finds the record. A text that a write refuses is
 * compared as it is. A text that a write takes for no value is an error, since it could find nothing.
 */
const storedForm = (text: string, field: FieldRef): Result<string> => {
  const stored = readAsWritten(text, field);
  if (stored?.ok === true && typeof stored.value === 'string') return ok(stored.value);
  return stored !== null && isBlank(text) ? fail(blankFault) : ok(text);
};

/** What a write of the field would read; null if it has no form of its own. */
const readAsWritten = (text: string, field: FieldRef): Result<unknown> | null => {
  if (field.source === 'relation') return valueReaders[relationReader](text as never);
  if (field.source === 'system') return field.field.reader && valueReaders[field.field.reader](text as never);
  const { definition, part } = field;
  if (part !== undefined) return parseTrimmedText(text, maxLocationPartLength);
  return parseCustomValue(definition, text, noReferences);
};

const readUuid = (text: string, message: string): Result<FilterScalar> => {
  const uuid = text.toLowerCase();
  return uuidPattern.test(uuid) ? ok(uuid) : fail(message);
};

/**
 * The option that a write of the text would store. Archived options count, because stored values may use them.
 */
const readOption = (text: string, definition: CustomFieldDefinition): Result<FilterScalar> => {
  const options = definition.metadata?.options ?? [];
  const option = findOption(options, text);
  if (option.ok) return ok(option.value.value);
  const labelled = optionsByLabel(options, text);
  if (labelled.length > 1) return fail(`${quote(text)} is the label of several options: use an option's value`);
  const known = options.map(({ value, label }) => (label === value ? value : `${value} (${label})`));
  return fail(`${quote(text)} is no option of ${quote(definition.slug)}; ${knownText(known)}`);
};

const readInstant = (input: unknown, kind: 'instant' | 'timestamp' | 'datetime'): Result<Operand> => {
  const instant = parseMoment(input === 0 ? epochStart : input);
  if (!instant.ok) return instant;
  const lowMs = instant.value;
  const highMs = typeof input === 'string' && isCalendarDate(input) ? lowMs + dayMs - 1 : lowMs;
  return ok(
    kind === 'datetime' ? { low: formatInstant(lowMs), high: formatInstant(highMs) } : { low: lowMs, high: highMs },
  );
};
