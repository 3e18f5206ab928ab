import type { FilterOf } from '@crm/client';
import { z } from 'zod';
import type { RecordKind, Setup } from './setup.js';
import { text, texts } from './tool.js';
import { allowedText, invalid } from './tool-error.js';

const listOperators = ['in', 'not_in', 'between', 'contains_all', 'contains_none'] as const;
const operators = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  ...listOperators,
  'empty',
  'not_empty',
] as const;

const condition = z.strictObject({ field: z.string(), operator: z.enum(operators), value: text(), values: texts() });

/** The arguments that select records. */
export const filterArguments = {
  query: text('words that all occur in the name, domain or email'),
  filters: z
    .array(condition)
    .describe(
      'All must match. `value` is text, as in "10000", "Won", "2026-12-31"; in, not_in, between, contains_all and contains_none take `values`',
    )
    .optional(),
  any_of: z.array(condition).describe('at least one must match').optional(),
};

/** The arguments of a page. */
export const pageArguments = {
  limit: z.int().min(1).max(50).describe('default 20').optional(),
  cursor: text('next_cursor of an earlier result with the same arguments'),
};

const related: Readonly<Record<RecordKind, readonly string[]>> = {
  deal: ['account.domain', 'account.name', 'contact.email'],
  account: [],
  contact: ['account.domain', 'account.name'],
};

/** Its names are checked at run time; `never` fits the names of every object. */
type Filter = FilterOf<never>;

/** What reading conditions needs, and the faults found so far. */
interface Reading {
  readonly setup: Setup;
  /** The types of fields by all their names. */
  readonly types: ReadonlyMap<string, string>;
  /** The names to propose for an unknown field. */
  readonly names: readonly string[];
  readonly faults: Record<string, string>;
}

const startReading = async (kind: RecordKind, setup: Setup): Promise<Reading> => {
  const types = new Map(related[kind].map((name) => [name, 'string']));
  const fields = (await setup.fields(kind)).filter(({ attribute_type: type }) => !type.endsWith('_list'));
  // A system field wins over a custom field with the same slug, which then has only the name `custom__…`.
  for (const field of fields) {
    types.set(field.property_name, field.attribute_type);
    if (!types.has(field.name)) types.set(field.name, field.attribute_type);
  }
  const names = fields.map((field) => field.property_name).filter((name) => !/^(?!external).*_id$/.test(name));
  return { setup, types, names: [...names, ...related[kind]], faults: {} };
};

/** The type of a field, of a field of a related record, or of a part of a field as in `term.start`. */
const typeOf = (field: string, { types }: Reading): string | undefined => {
  const [whole = '', part] = field.split('.');
  const wholeType = types.get(whole);
  if (types.has(field) || part === undefined) return types.get(field);
  if (wholeType === 'date_range') return 'date';
  return wholeType === 'location' ? (/^(lat|lng)$/.test(part) ? 'number' : 'string') : undefined;
};

/** The value that the API takes for a text. */
const readValue = async (sent: string, type: string, path: string, { setup, faults }: Reading): Promise<unknown> => {
  const value = sent.trim();
  if (/^(number|currency|percentage|rating)$/.test(type)) {
    if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
    faults[`${path}.value`] = `"${sent}" is not a number: write it as 10000 or 0.5`;
  } else if (type === 'checkbox') {
    if (/^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
    faults[`${path}.value`] = `"${sent}" is not known; ${allowedText(['true', 'false'])}`;
  } else if (type === 'team_members') {
    const members = await setup.members();
    const found = members.find(({ email, member_id: id }) => email === value.toLowerCase() || id === value);
    if (found !== undefined) return found.member_id;
    faults[`${path}.value`] = `"${sent}" is not a member; ${allowedText(members.map((member) => member.email))}`;
  } else if (/^(timestamp|datetime)$/.test(type) && /^-?\d+$/.test(value)) {
    return Number(value);
  }
  return sent;
};

const readCondition = async (sent: z.infer<typeof condition>, path: string, reading: Reading): Promise<Filter> => {
  const { field, operator } = sent;
  const { faults, names } = reading;
  const type = typeOf(field, reading);
  if (type === undefined) faults[`${path}.field`] = `unknown field "${field}"; ${allowedText(names)}`;
  if (
    sent.value !== undefined &&
    sent.values !== undefined &&
    !(sent.values.length === 1 && sent.values[0] === sent.value)
  )
    faults[`${path}.values`] = `differs from value "${sent.value}": send one of them`;
  const texts = sent.values ?? (sent.value === undefined ? [] : [sent.value]);
  const values = await Promise.all(texts.map((one) => readValue(one, type ?? 'string', path, reading)));
  if (operator === 'empty' || operator === 'not_empty') return { field: field as never, operator };
  const isSet = type === 'multi_select' || type === 'team_members';
  const isList = listOperators.some((one) => one === operator) || (isSet && operator === 'eq');
  if (values.length === 0) faults[`${path}.${isList ? 'values' : 'value'}`] = `is required for ${operator}`;
  else if (!isList && values.length > 1) faults[`${path}.value`] = `${operator} takes one value`;
  return { field: field as never, operator, value: isList ? values : values[0] };
};

/**
 * The part of a search body that selects records.
 * @throws ToolError that names every wrong condition
 */
export const readFilters = async (
  kind: RecordKind,
  { query, filters = [], any_of: anyOf = [] }: z.infer<z.ZodObject<typeof filterArguments>>,
  setup: Setup,
): Promise<{ readonly query?: string; readonly filters?: Filter[] }> => {
  const words = query === undefined ? {} : { query };
  if (filters.length + anyOf.length === 0) return words;
  const reading = await startReading(kind, setup);
  const readAll = (conditions: typeof filters, argument: string): Promise<Filter[]> =>
    Promise.all(conditions.map((sent, index) => readCondition(sent, `${argument}[${index}]`, reading)));
  const all = await readAll(filters, 'filters');
  const some = await readAll(anyOf, 'any_of');
  if (Object.keys(reading.faults).length > 0) throw invalid(reading.faults);
  return { ...words, filters: some.length === 0 ? all : [...all, { or: some }] };
};
