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

const condition = z.strictObject({
  field: z.string(),
  operator: z.enum(operators),
  value: text(),
  values: texts(),
});

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

/** Turns the texts of conditions into the values that the API takes for the types of their fields. */
class ConditionReader {
  readonly #types: ReadonlyMap<string, string>;
  readonly #names: readonly string[];
  readonly #setup: Setup;
  readonly faults: Record<string, string> = {};

  private constructor(setup: Setup, types: ReadonlyMap<string, string>, names: readonly string[]) {
    this.#setup = setup;
    this.#types = types;
    this.#names = names;
  }

  static async create(kind: RecordKind, setup: Setup): Promise<ConditionReader> {
    const types = new Map(related[kind].map((name) => [name, 'string']));
    const fields = (await setup.fields(kind)).filter(({ attribute_type: type }) => type !== 'contact_list');
    // A system field wins over a custom field with the same slug, which then has only the name `custom__…`.
    for (const field of fields) {
      types.set(field.property_name, field.attribute_type);
      if (!types.has(field.name)) types.set(field.name, field.attribute_type);
    }
    const names = fields.map((field) => field.property_name).filter((name) => !/^(?!external).*_id$/.test(name));
    return new ConditionReader(setup, types, [...names, ...related[kind]]);
  }

  async read(sent: z.infer<typeof condition>, path: string): Promise<Filter> {
    const { field, operator } = sent;
    const type = this.#typeOf(field);
    if (type === undefined) this.faults[`${path}.field`] = `unknown field "${field}"; ${allowedText(this.#names)}`;
    const texts = sent.values ?? (sent.value === undefined ? [] : [sent.value]);
    const values = await Promise.all(texts.map((one) => this.#readValue(one, type, path)));
    if (operator === 'empty' || operator === 'not_empty') return { field: field as never, operator };
    const isList = listOperators.some((one) => one === operator) || (values.length > 1 && type === 'multi_select');
    if (values.length === 0) this.faults[`${path}.${isList ? 'values' : 'value'}`] = `is required for ${operator}`;
    else if (!isList && values.length > 1) this.faults[`${path}.value`] = `${operator} takes one value`;
    return { field: field as never, operator, value: isList ? values : values[0] };
  }

  /** The type of a field, of a field of a related record, or of a part of a field as in `term.start`. */
  #typeOf(field: string): string | undefined {
    const [whole, part] = field.split('.');
    const type = this.#types.get(field);
    if (type !== undefined || part === undefined) return type;
    const wholeType = this.#types.get(whole ?? '');
    if (wholeType === 'date_range') return 'date';
    return wholeType === 'location' ? (/^(lat|lng)$/.test(part) ? 'number' : 'string') : undefined;
  }

  async #readValue(sent: string, type: string | undefined, path: string): Promise<unknown> {
    const value = sent.trim();
    if (type !== undefined && /^(number|currency|percentage|rating)$/.test(type)) {
      if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
      this.faults[`${path}.value`] = `"${sent}" is not a number: write it as 10000 or 0.5`;
    } else if (type === 'checkbox') {
      if (/^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
      this.faults[`${path}.value`] = `"${sent}" is not known; ${allowedText(['true', 'false'])}`;
    } else if (type === 'team_members') {
      const members = await this.#setup.members();
      const found = members.find(({ email, member_id: id }) => email === value.toLowerCase() || id === value);
      if (found !== undefined) return found.member_id;
      this.faults[`${path}.value`] = `"${sent}" is not a member; ${allowedText(members.map((member) => member.email))}`;
    } else if (type !== undefined && /^(timestamp|datetime)$/.test(type) && /^-?\d+$/.test(value)) {
      return Number(value);
    }
    return sent;
  }
}

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
  const reader = await ConditionReader.create(kind, setup);
  const all = await Promise.all(filters.map((sent, index) => reader.read(sent, `filters[${index}]`)));
  const some = await Promise.all(anyOf.map((sent, index) => reader.read(sent, `any_of[${index}]`)));
  if (Object.keys(reader.faults).length > 0) throw invalid(reader.faults);
  return { ...words, filters: some.length === 0 ? all : [...all, { or: some }] };
};
