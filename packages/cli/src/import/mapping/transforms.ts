import { fail, ok, type Result } from '@crm/domain';

import { compileDateFormat } from './date-format.js';
import { numberReader, readNumberFormat } from './number-format.js';
import { readReplace, readStrip, type Rewrite } from './replacements.js';

/** A value between a cell and a request. */
export type Scalar = string | number | boolean;

/** One step of a `transform:` list. Only `split` turns one text into several; later steps apply to each. */
export type Step =
  | { readonly kind: 'text' | 'final'; readonly name: TransformName; readonly apply: (text: string) => Result<Scalar> }
  | { readonly kind: 'split'; readonly name: TransformName; readonly separator: string };

/** All transforms. */
export const transformNames = [
  'trim',
  'lower',
  'strip',
  'replace',
  'map',
  'slug_domain',
  'email_local',
  'split',
  'number',
  'boolean',
  'date',
] as const;

/** One of {@link transformNames}. */
export type TransformName = (typeof transformNames)[number];

/** The argument of a transform in the mapping. `fallback` is the `default:` of a `map`. */
export interface TransformArgument {
  readonly value: unknown;
  readonly fallback?: unknown;
}

/** Creates the step of a transform, or returns the fault of its argument. */
export const compileStep = (name: TransformName, argument: TransformArgument): Result<Step> => {
  switch (name) {
    case 'trim':
      return textStep(name, argument, (text) => ok(text.trim()));
    case 'lower':
      return textStep(name, argument, (text) => ok(text.toLowerCase()));
    case 'strip':
      return rewriteStep(name, readStrip(argument.value));
    case 'replace':
      return rewriteStep(name, readReplace(argument.value));
    case 'number':
      return numberStep(argument);
    case 'boolean':
      return finalStep(name, argument, readBoolean);
    case 'map':
      return mapStep(argument);
    case 'slug_domain':
      return withText(argument, 'the ending of the domains, such as .com', (suffix) =>
        ok({ kind: 'text', name, apply: (text) => slugDomain(text, suffix) }),
      );
    case 'email_local':
      return withText(argument, 'the domain of the addresses, such as example.com', (domain) =>
        ok({ kind: 'text', name, apply: (text) => emailLocal(text, domain) }),
      );
    case 'split':
      return withText(argument, 'the separator, such as ";"', (separator) => ok({ kind: 'split', name, separator }));
    case 'date':
      return withText(argument, 'the format, such as M/d/yyyy', (format) => {
        const reader = compileDateFormat(format);
        return reader.ok ? ok({ kind: 'final', name, apply: reader.value }) : reader;
      });
  }
};

type Apply = (text: string) => Result<Scalar>;

const textStep = (name: TransformName, argument: TransformArgument, apply: Apply): Result<Step> =>
  hasArgument(argument) ? fail(`${name} takes no argument`) : ok({ kind: 'text', name, apply });

const finalStep = (name: TransformName, argument: TransformArgument, apply: Apply): Result<Step> =>
  hasArgument(argument) ? fail(`${name} takes no argument`) : ok({ kind: 'final', name, apply });

const rewriteStep = (name: TransformName, read: Result<Rewrite>): Result<Step> =>
  read.ok ? ok({ kind: 'text', name, apply: (text) => ok(read.value(text)) }) : read;

const hasArgument = (argument: TransformArgument): boolean => argument.value !== undefined && argument.value !== true;

const withText = (argument: TransformArgument, what: string, make: (text: string) => Result<Step>): Result<Step> =>
  typeof argument.value === 'string' && argument.value !== '' ? make(argument.value) : fail(`needs ${what}`);

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value);

const mapStep = ({ value, fallback }: TransformArgument): Result<Step> => {
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

const mapTo = (entries: ReadonlyMap<string, Scalar>, otherwise: (text: string) => Scalar): Step => ({
  kind: 'text',
  name: 'map',
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

const numberStep = ({ value }: TransformArgument): Result<Step> => {
  const format = readNumberFormat(value);
  return format.ok ? ok({ kind: 'final', name: 'number', apply: numberReader(format.value) }) : format;
};

const truths = new Map([
  ...['true', 'yes', 'y', '1'].map((text) => [text, true] as const),
  ...['false', 'no', 'n', '0'].map((text) => [text, false] as const),
]);

const readBoolean = (text: string): Result<boolean> => {
  const truth = truths.get(text.trim().toLowerCase());
  return truth === undefined ? fail(`"${text}" is neither true, yes, 1 nor false, no, 0`) : ok(truth);
};
