import { fail, ok, type Result } from '@crm/domain';

/** Changes a text and cannot fail. */
export type Rewrite = (text: string) => string;

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
export const readStrip = (argument: unknown): Result<Rewrite> => {
  const texts: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
  const isText = (text: unknown): text is string => typeof text === 'string' && text !== '';
  if (texts.length === 0 || !texts.every(isText)) return fail('needs the texts to remove, such as "€" or ["€", EUR]');
  return ok(rewrite(new Map(texts.map((text) => [text, '']))));
};

/** Reads the argument of `replace`: `{ '½': .5, ' Mio': '' }`, texts and their replacements. */
export const readReplace = (argument: unknown): Result<Rewrite> => {
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
