import { fail, ok, type Result } from '@crm/domain';

import { monthsNamed } from './month-names.js';
import { plainDigits } from './plain-digits.js';

/** Converts a date text to epoch milliseconds. Texts without an offset are read as UTC. */
type DateReader = (text: string) => Result<number>;

type Unit = 'y' | 'M' | 'd' | 'H' | 'h' | 'm' | 's' | 'S' | 'a' | 'Z' | 'E';

/** The name of each unit, and the texts that its token matches by its length. */
const units: Readonly<Record<Unit, { readonly name: string; readonly patterns: Readonly<Record<number, string>> }>> = {
  y: { name: 'year', patterns: { 2: '\\d{2}', 4: '\\d{4}' } },
  M: { name: 'month', patterns: { 1: '\\d{1,2}', 2: '\\d{2}', 3: '\\p{L}[\\p{L}\\p{M}]*\\.?' } },
  d: { name: 'day', patterns: { 1: '\\d{1,2}', 2: '\\d{2}' } },
  H: { name: 'hour', patterns: { 1: '\\d{1,2}', 2: '\\d{2}' } },
  h: { name: 'hour', patterns: { 1: '\\d{1,2}', 2: '\\d{2}' } },
  m: { name: 'minute', patterns: { 1: '\\d{1,2}', 2: '\\d{2}' } },
  s: { name: 'second', patterns: { 1: '\\d{1,2}', 2: '\\d{2}' } },
  S: { name: 'fraction', patterns: { 1: '\\d{1,9}' } },
  a: { name: 'AM or PM', patterns: { 1: '[AaPp]\\.?[Mm]\\.?' } },
  Z: { name: 'offset', patterns: { 1: '(?:UTC|GMT|[Zz]|(?:UTC|GMT)?[+-]\\d{2}:?(?:\\d{2})?)' } },
  E: { name: 'weekday', patterns: { 1: '\\p{L}[\\p{L}\\p{M}]*\\.?' } },
};

const isUnit = (letter: string): letter is Unit => letter in units;

const dayMs = 86_400_000;
const maxEpochMs = 253_402_300_799_999;

/** Counts of days or milliseconds since a start, by the name of their format. Excel has a 29 February 1900. */
const counts: Readonly<
  Record<string, { readonly perCountMs: number; readonly startMs: number; readonly least: number }>
> = {
  excel: { perCountMs: dayMs, startMs: Date.UTC(1899, 11, 30), least: 61 },
  'excel-1904': { perCountMs: dayMs, startMs: Date.UTC(1904, 0, 1), least: 0 },
  unix: { perCountMs: 1000, startMs: 0, least: 0 },
  'unix-ms': { perCountMs: 1, startMs: 0, least: 0 },
};

/**
 * Compiles a date format such as `M/d/yyyy` or `yyyy-MM-dd[ HH:mm[:ss]]`.
 *
 * Tokens: `y` year, `M` month, `d` day, `H` hour (0–23), `h` hour (1–12) with `a` (AM or PM), `m` minute, `s` second,
 * `S` fraction of a second, `Z` offset (`Z`, `+02:00`), `E` weekday, which is ignored. One letter matches one or two
 * digits, two letters exactly two. `MMM` is the name of a month. `yyyy` matches four digits, and `yy` the years 1969 to
 * 2068, as in POSIX. Parts in square brackets may be missing. Other letters must be in single quotes. The whole text must
 * match and be an existing date.
 *
 * Other formats are `excel` and `excel-1904` (days), `unix` (seconds) and `unix-ms`.
 *
 * @returns the fault of the format, if it is invalid
 */
export const compileDateFormat = (format: string): Result<DateReader> => {
  const count = counts[format];
  if (count !== undefined) return ok(countReader(format, count));
  const used: Unit[] = [];
  let pattern = '';
  for (const [token = ''] of format.matchAll(/'[^']*'?|([A-Za-z])\1*|[[\]]|[^A-Za-z'[\]]+/g)) {
    const letter = token[0] ?? '';
    if (letter === "'") {
      if (token.length < 2 || !token.endsWith("'")) return fail(`the quote in "${format}" is not closed`);
      pattern += escapePattern(token.slice(1, -1));
    } else if (letter === '[' || letter === ']') pattern += letter === '[' ? '(?:' : ')?';
    else if (isUnit(letter)) {
      const length = letter === 'M' ? Math.min(token.length, 3) : letter === 'E' ? 1 : token.length;
      const matched = units[letter].patterns[length];
      if (matched === undefined) return fail(`"${token}" is not a token of date formats; years are yyyy or yy`);
      if (used.includes(letter)) return fail(`"${format}" has the ${units[letter].name} twice`);
      used.push(letter);
      pattern += `(${matched})`;
    } else if (/[A-Za-z]/.test(letter) && token !== 'T') {
      return fail(
        `"${token}" is not a token of date formats; use y, M, d, H, h, a, m, s, S, Z, E, and put other letters in single quotes`,
      );
    } else pattern += escapePattern(token).replace(/ +/g, '\\s+');
  }
  const missing = (['y', 'M', 'd'] as const).filter((unit) => !used.includes(unit));
  if (missing.length > 0) return fail(`"${format}" has no ${missing.map((unit) => units[unit].name).join(', no ')}`);
  if (used.includes('h') !== used.includes('a')) return fail(`"${format}" must have h and a (AM or PM) together`);
  try {
    return ok(dateReader(format, new RegExp(`^${pattern}$`, 'u'), used));
  } catch {
    return fail(`"${format}" has a square bracket that is not closed or not opened`);
  }
};

const countReader =
  (format: string, { perCountMs, startMs, least }: (typeof counts)[string]): DateReader =>
  (text) => {
    const plain = plainDigits(text);
    const count = Number(plain);
    const epochMs = Math.round(count * perCountMs) + startMs;
    if (!/^\d+([.]\d+)?$/.test(plain) || count < least || epochMs > maxEpochMs)
      return fail(`"${text}" is not a date of the form ${format}`);
    return ok(epochMs);
  };

const dateReader =
  (format: string, pattern: RegExp, used: readonly Unit[]): DateReader =>
  (text) => {
    const match = pattern.exec(plainDigits(text.normalize('NFC')));
    if (match === null) return fail(`"${text}" is not a date of the form ${format}`);
    const found = Object.fromEntries(used.map((unit, index) => [unit, match[index + 1]]));
    const year = Number(found['y']);
    const y = found['y']?.length === 2 ? year + (year < 69 ? 2000 : 1900) : year;
    const named = /\d/.test(found['M'] ?? '') ? [Number(found['M'])] : monthsNamed(found['M'] ?? '');
    if (named.length === 0) return fail(`"${text}" has no known name of a month`);
    if (named.length > 1) return fail(`"${text}" has a month that is number ${named.join(' or ')}, by its language`);
    const hour = hourOf(found);
    const time = [hour, ...(['m', 's'] as const).map((unit) => Number(found[unit] ?? 0))];
    const epochMs = hour === undefined ? undefined : epochOf([y, named[0] ?? 0, Number(found['d'])], time);
    if (epochMs === undefined) return fail(`"${text}" is not a date that exists`);
    const fraction = Number((found['S'] ?? '').slice(0, 3).padEnd(3, '0'));
    return ok(epochMs + fraction - offsetMs(found['Z'] ?? ''));
  };

const hourOf = ({ H, h, a }: Partial<Record<string, string>>): number | undefined => {
  if (h === undefined) return Number(H ?? 0);
  const hour = Number(h);
  return hour < 1 || hour > 12 ? undefined : (hour % 12) + (/^p/i.test(a ?? '') ? 12 : 0);
};

const offsetMs = (offset: string): number => {
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d{2}):?(\d{2})?$/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
};

const epochOf = (day: readonly number[], time: readonly (number | undefined)[]): number | undefined => {
  const [y = 0, month = 0, d = 0] = day;
  const [H = 0, m = 0, s = 0] = time;
  const date = new Date(0);
  // Not Date.UTC(), which reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(y, month - 1, d);
  date.setUTCHours(H, m, s);
  const exists =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === d &&
    date.getUTCHours() === H &&
    date.getUTCMinutes() === m &&
    date.getUTCSeconds() === s;
  return exists ? date.getTime() : undefined;
};

const escapePattern = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
