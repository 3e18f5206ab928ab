import { closed, oneOf } from '@crm/contract';
import { fail, findTextFault, formatInstant, isBlank, ok, parseInstant, type Result, trimText } from '@crm/domain';
import { type Static, type TSchema, Type } from 'typebox';

import { compileDateFormat } from './date-format.js';
import { numberReader } from './number-format.js';
import { emailOf, nameParts, readBoolean } from './cell-readers.js';

/** A value between a cell and a request. */
export type Scalar = string | number | boolean;

/** Changes a text, or splits it into several values. */
type Apply = (text: string) => Result<Scalar | readonly Scalar[]>;

/** Fails for the faults of an argument that its schema does not find. */
type Compile<Argument> = (argument: Argument, fallback: Scalar | null | undefined) => Result<Apply>;

/** A transform: the schema of its argument, and its function for an argument and the `default:` beside it. */
const transform = <T extends TSchema>(argument: T, compile: Compile<Static<T>>) => ({
  argument,
  compile: compile as Compile<unknown>,
});

const noArgument = closed({}, {});
const text = Type.String({ minLength: 1 });
const texts = Type.Unsafe<string | readonly string[]>({ ...text, type: ['string', 'array'], minItems: 1, items: text });
const mapOf = <T>(...types: string[]) =>
  Type.Unsafe<Record<string, T | null>>({ type: 'object', additionalProperties: { type: [...types, 'null'] } });
const NumberFormat = closed(
  {
    decimal: Type.Optional(oneOf(['.', ',', '٫'])),
    // One character that is neither a digit nor a sign.
    group: Type.Optional(Type.String({ pattern: '^[^\\p{N}+-]?$' })),
    units: Type.Optional(Type.Record(Type.String({ pattern: '^[^\\p{N}]+$' }), Type.Number())),
  },
  {},
);

const escaped = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Replaces texts in one pass, the longest first, so that replacements are not replaced again.
 *
 * `{ a: b, b: a }` turns `ab` into `ba`.
 */
const replacing = (replacements: ReadonlyMap<string, string>): Result<Apply> => {
  if (replacements.size === 0 || replacements.has('')) return fail('needs texts to replace, none of them empty');
  const longestFirst = [...replacements.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'gu');
  return ok((cell) => ok(cell.replace(pattern, (found) => replacements.get(found) ?? '')));
};

const mapping: Compile<Readonly<Record<string, Scalar | null>>> = (values, fallback) => {
  const entries = new Map(Object.entries(values));
  // An empty `default:` means that other values become empty.
  return ok((cell) => ok((entries.has(cell) ? entries.get(cell) : fallback === undefined ? cell : fallback) ?? ''));
};

const slugDomain = (name: string, suffix: string): Result<string> => {
  const label = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
  if (label === '') return fail(`"${name}" has no letter or digit for a domain`);
  return ok(`${label}.${suffix.replace(/^\.+/, '')}`);
};

const emailLocal = (name: string, domain: string): Result<string> => {
  // Drops accents, because the local part of an address is ASCII: José Núñez becomes jose.nunez.
  const ascii = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = ascii.split(/[^a-z0-9]+/).filter((word) => word !== '');
  if (words.length === 0 || /[^\0-\x7f]/.test(ascii))
    return fail(`"${name}" has letters that an email address cannot have`);
  return ok(`${words.join('.')}@${domain.replace(/^@/, '')}`);
};

/** The value of the one listed text that a cell contains: `{ €: EUR, $: USD }` turns `5 €` into `EUR`. */
const finding: Compile<Readonly<Record<string, Scalar | null>>> = (values) => {
  const entries = Object.entries(values);
  return ok((cell) => {
    const found = entries.filter(([text]) => cell.includes(text));
    // `US$` also contains `$`.
    const longest = found.filter(([text]) => !found.some(([other]) => other !== text && other.includes(text)));
    if (longest.length > 1) return fail(`"${cell}" contains both ${longest[0]?.[0]} and ${longest[1]?.[0]}`);
    return ok(longest[0]?.[1] ?? '');
  });
};

/** The gateways take the milliseconds of the first years after 1970 for seconds, so that these instants are sent as texts. */
const dating = (format: string): Result<Apply> => {
  const read = compileDateFormat(format);
  if (!read.ok) return read;
  return ok((cell) => {
    const instant = read.value(cell);
    return instant.ok && !parseInstant(instant.value).ok ? ok(formatInstant(instant.value)) : instant;
  });
};

const partsOf = (cell: string, separator: string): string[] => cell.split(separator).map(trimText);

const transforms = {
  trim: transform(noArgument, () => ok((cell) => ok(trimText(cell)))),
  lower: transform(noArgument, () => ok((cell) => ok(cell.toLowerCase()))),
  strip: transform(texts, (removed) => replacing(new Map([removed].flat().map((one) => [one, ''])))),
  replace: transform(mapOf<string | number>('string', 'number'), (given) =>
    replacing(new Map(Object.entries(given).map(([from, to]) => [from, String(to ?? '')]))),
  ),
  map: transform(mapOf<Scalar>('string', 'number', 'boolean'), mapping),
  slug_domain: transform(text, (suffix) => ok((cell) => slugDomain(cell, suffix))),
  email_local: transform(text, (domain) => ok((cell) => emailLocal(cell, domain))),
  find: transform(mapOf<Scalar>('string', 'number', 'boolean'), finding),
  email: transform(noArgument, () => ok(emailOf)),
  split_name: transform(oneOf(['first', 'last']), (part) => ok((cell) => nameParts(cell, part))),
  first_of: transform(text, (separator) =>
    ok((cell) => ok(partsOf(cell, separator).find((part) => part !== '') ?? '')),
  ),
  split: transform(text, (separator) => ok((cell) => ok(partsOf(cell, separator)))),
  number: transform(NumberFormat, numberReader),
  boolean: transform(noArgument, () => ok(readBoolean)),
  date: transform(text, dating),
};

/** The name of a transform in a mapping. */
export type TransformName = keyof typeof transforms;

/** All transforms. */
export const transformNames = Object.keys(transforms) as readonly TransformName[];

/** The transforms that a mapping may name without an argument. */
export const bareTransforms: readonly TransformName[] = ['trim', 'lower', 'email', 'number', 'boolean'];

/** The transforms whose values are no texts. */
export const finalTransforms: readonly TransformName[] = ['number', 'boolean', 'date'];

/** A transform with its argument: `{ map: { GTXPro: GTX Pro }, default: Other }`. */
export const StepEntry = Type.Unsafe<
  Readonly<Partial<Record<TransformName, unknown>>> & { readonly default?: Scalar | null }
>(
  closed(
    {
      ...Object.fromEntries(transformNames.map((name) => [name, Type.Optional(transforms[name].argument)])),
      default: Type.Optional(Type.Unsafe({ type: ['string', 'number', 'boolean', 'null'] })),
    },
    {},
  ),
);

/** One step of a `transform:` list. */
export interface Step {
  readonly name: TransformName;
  readonly apply: Apply;
}

/** Creates the step of a transform, or returns the fault of its argument. `fallback` is the `default:` of a `map`. */
export const compileStep = (name: TransformName, argument: unknown, fallback?: Scalar | null): Result<Step> => {
  const apply = transforms[name].compile(argument, fallback);
  return apply.ok ? ok({ name, apply: apply.value }) : apply;
};

/** Applies steps to a value. A blank text gives no value. */
export const applySteps = (steps: readonly Step[], start: Scalar): Result<readonly Scalar[]> => {
  const fault = typeof start === 'string' ? findTextFault(start) : null;
  if (fault !== null) return fail(fault);
  let values: readonly Scalar[] = [start].filter(hasContent);
  for (const { apply } of steps) {
    const next: Scalar[] = [];
    for (const value of values) {
      const applied = typeof value === 'string' ? apply(value) : ok(value);
      if (!applied.ok) return applied;
      next.push(...[applied.value].flat());
    }
    values = next.filter(hasContent);
  }
  return ok(values);
};

const hasContent = (value: Scalar): boolean => typeof value !== 'string' || !isBlank(value);
