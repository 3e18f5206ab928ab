import { fail, ok, type Result } from '@crm/domain';

import { compileDateFormat } from './date-format.js';
import { numberReader, readNumberFormat } from './number-format.js';

/** A value between a cell and a request. */
export type Scalar = string | number | boolean;

/** What a step does. Only `split` turns one text into several; later steps apply to each. */
type Action =
  | { readonly kind: 'text' | 'final'; readonly apply: (text: string) => Result<Scalar> }
  | { readonly kind: 'split'; readonly separator: string };

/** The argument of a transform in the mapping. `fallback` is the `default:` of a `map`. */
export interface TransformArgument {
  readonly value: unknown;
  readonly fallback?: unknown;
}

/** Reads the argument of a transform, or returns its fault. */
type Compile = (argument: TransformArgument) => Result<Action>;

const withoutArgument =
  (action: Action): Compile =>
  ({ value }) =>
    value === undefined || value === true ? ok(action) : fail('takes no argument');

const withText =
  (what: string, compile: (text: string) => Result<Action>): Compile =>
  ({ value }) =>
    typeof value === 'string' && value !== '' ? compile(value) : fail(`needs ${what}`);

/** Changes a text and cannot fail. */
type Rewrite = (text: string) => string;

const rewriting =
  (read: (argument: unknown) => Result<Rewrite>): Compile =>
  ({ value }) => {
    const rewrite = read(value);
    return rewrite.ok ? ok({ kind: 'text', apply: (text) => ok(rewrite.value(text)) }) : rewrite;
  };

const final = (reader: Result<(text: string) => Result<Scalar>>): Result<Action> =>
  reader.ok ? ok({ kind: 'final', apply: reader.value }) : reader;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Replaces texts in one pass, the longest first, so that replacements are not replaced again.
 *
 * `{ a: b, b: a }` turns `ab` into `ba`.
 */
const rewrite = (replacements: ReadonlyMap<string, string>): Rewrite => {
  const longestFirst = [...replacements.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'gu');
  return (text) => text.replace(pattern, (found) => replacements.get(found) ?? '');
};

/** Reads the argument of `strip`: `€`, or `['€', EUR]`. All occurrences of each text are removed. */
const readStrip = (argument: unknown): Result<Rewrite> => {
  const texts: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
  const isText = (text: unknown): text is string => typeof text === 'string' && text !== '';
  if (texts.length === 0 || !texts.every(isText)) return fail('needs the texts to remove, such as "€" or ["€", EUR]');
  return ok(rewrite(new Map(texts.map((text) => [text, '']))));
};

/** Reads the argument of `replace`: `{ '½': .5, ' Mio': '' }`, texts and their replacements. */
const readReplace = (argument: unknown): Result<Rewrite> => {
  if (typeof argument !== 'object' || argument === null || Array.isArray(argument)) {
    return fail('needs the texts and their replacements, such as { Corp.: Corporation }');
  }
  const replacements = new Map<string, string>();
  for (const [from, to] of Object.entries(argument as Record<string, unknown>)) {
    if (from === '') return fail('has an empty text to replace');
    if (to !== null && typeof to !== 'string' && typeof to !== 'number')
      return fail(`the replacement of "${from}" must be a text or a number`);
    replacements.set(from, to === null ? '' : String(to));
  }
  return replacements.size === 0 ? fail('names no text to replace') : ok(rewrite(replacements));
};

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value);

const compileMap: Compile = ({ value, fallback }) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fail('needs the values and their replacements, such as { GTXPro: GTX Pro }');
  }
  const entries = new Map<string, Scalar>();
  for (const [from, to] of Object.entries(value as Record<string, unknown>)) {
    if (to !== null && !isScalar(to))
      return fail(`the replacement of "${from}" must be a text, a number, true or false`);
    entries.set(from, to ?? '');
  }
  if (fallback === undefined) return ok(mapTo(entries, (text) => text));
  // An empty `default:` means that other values become empty.
  const otherwise = fallback ?? '';
  return isScalar(otherwise) ? ok(mapTo(entries, () => otherwise)) : fail('default must be one value');
};

const mapTo = (entries: ReadonlyMap<string, Scalar>, otherwise: (text: string) => Scalar): Action => ({
  kind: 'text',
  apply: (text) => ok(entries.get(text) ?? otherwise(text)),
});

const slugDomain = (text: string, suffix: string): Result<string> => {
  const label = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
  if (label === '') return fail(`"${text}" has no letter or digit for a domain`);
  return ok(`${label}.${suffix.replace(/^\.+/, '')}`);
};

const emailLocal = (text: string, domain: string): Result<string> => {
  // Drops accents, because the local part of an address is ASCII: José Núñez becomes jose.nunez.
  const ascii = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = ascii.split(/[^a-z0-9]+/).filter((word) => word !== '');
  if (words.length === 0 || /[^\0-\x7f]/.test(ascii))
    return fail(`"${text}" has letters that an email address cannot have`);
  return ok(`${words.join('.')}@${domain.replace(/^@/, '')}`);
};

const compileNumber: Compile = ({ value }) => {
  const format = readNumberFormat(value);
  return format.ok ? final(ok(numberReader(format.value))) : format;
};

const truths = new Map([
  ...['true', 'yes', 'y', '1'].map((text) => [text, true] as const),
  ...['false', 'no', 'n', '0'].map((text) => [text, false] as const),
]);

const readBoolean = (text: string): Result<boolean> => {
  const truth = truths.get(text.trim().toLowerCase());
  return truth === undefined ? fail(`"${text}" is neither true, yes, 1 nor false, no, 0`) : ok(truth);
};

const transforms = {
  trim: withoutArgument({ kind: 'text', apply: (text) => ok(text.trim()) }),
  lower: withoutArgument({ kind: 'text', apply: (text) => ok(text.toLowerCase()) }),
  strip: rewriting(readStrip),
  replace: rewriting(readReplace),
  map: compileMap,
  slug_domain: withText('the ending of the domains, such as .com', (suffix) =>
    ok({ kind: 'text', apply: (text) => slugDomain(text, suffix) }),
  ),
  email_local: withText('the domain of the addresses, such as example.com', (domain) =>
    ok({ kind: 'text', apply: (text) => emailLocal(text, domain) }),
  ),
  split: withText('the separator, such as ";"', (separator) => ok({ kind: 'split', separator })),
  number: compileNumber,
  boolean: withoutArgument({ kind: 'final', apply: readBoolean }),
  date: withText('the format, such as M/d/yyyy', (format) => final(compileDateFormat(format))),
} as const satisfies Readonly<Record<string, Compile>>;

/** The name of a transform in a mapping. */
export type TransformName = keyof typeof transforms;

/** All transforms. */
export const transformNames = Object.keys(transforms) as readonly TransformName[];

/** One step of a `transform:` list. */
export type Step = Action & { readonly name: TransformName };

/** Creates the step of a transform, or returns the fault of its argument. */
export const compileStep = (name: TransformName, argument: TransformArgument): Result<Step> => {
  const action = transforms[name](argument);
  return action.ok ? ok({ ...action.value, name }) : action;
};
