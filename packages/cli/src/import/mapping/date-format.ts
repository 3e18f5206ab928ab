import { fail, ok, type Result } from '@crm/domain';

/** Converts a date text to epoch milliseconds. Texts are read as UTC. */
type DateReader = (text: string) => Result<number>;

type Unit = 'y' | 'M' | 'd' | 'H' | 'm' | 's';
type Parts = Record<Unit, number>;

/** Letters that need no quotes, because ISO 8601 uses them. */
const plainLetters = new Set(['T', 'Z']);
const unitNames: Record<Unit, string> = { y: 'year', M: 'month', d: 'day', H: 'hour', m: 'minute', s: 'second' };

const isUnit = (letter: string): letter is Unit => letter in unitNames;

/**
 * Compiles a date format such as `M/d/yyyy` or `yyyy-MM-dd HH:mm:ss`.
 *
 * Tokens: `y` year, `M` month, `d` day, `H` hour (0–23), `m` minute, `s` second. One letter matches one or two digits,
 * two letters exactly two. `yyyy` matches four digits, and `yy` the years 1969 to 2068, as in POSIX. Other letters must
 * be in single quotes. The whole text must match and be an existing date.
 *
 * @returns the fault of the format, if it is invalid
 */
export const compileDateFormat = (format: string): Result<DateReader> => {
  const units: Unit[] = [];
  let pattern = '';
  for (const [token = ''] of format.matchAll(/'[^']*'?|([A-Za-z])\1*|[^A-Za-z']+/g)) {
    const letter = token[0] ?? '';
    if (letter === "'") {
      if (token.length < 2 || !token.endsWith("'")) return fail(`the quote in "${format}" is not closed`);
      pattern += escapePattern(token.slice(1, -1));
    } else if (isUnit(letter)) {
      const digits = digitsOf(letter, token.length);
      if (digits === undefined) return fail(`"${token}" is not a token of date formats; years are yyyy or yy`);
      if (units.includes(letter)) return fail(`"${format}" has the ${unitNames[letter]} twice`);
      units.push(letter);
      pattern += `(\\d${digits})`;
    } else if (/[A-Za-z]/.test(letter) && !plainLetters.has(letter)) {
      return fail(
        `"${token}" is not a token of date formats; use y, M, d, H, m, s, and put other letters in single quotes`,
      );
    } else {
      pattern += escapePattern(token);
    }
  }
  const missing = (['y', 'M', 'd'] as const).filter((unit) => !units.includes(unit));
  if (missing.length > 0) return fail(`"${format}" has no ${missing.map((unit) => unitNames[unit]).join(', no ')}`);
  return ok(dateReader(format, new RegExp(`^${pattern}$`), units));
};

const digitsOf = (unit: Unit, length: number): string | undefined => {
  if (unit === 'y') return length === 4 || length === 2 ? `{${length}}` : undefined;
  if (length === 1) return '{1,2}';
  return length === 2 ? '{2}' : undefined;
};

const dateReader =
  (format: string, pattern: RegExp, units: readonly Unit[]): DateReader =>
  (text) => {
    const match = pattern.exec(text.trim());
    if (match === null) return fail(`"${text}" is not a date of the form ${format}`);
    const parts: Parts = { y: 0, M: 1, d: 1, H: 0, m: 0, s: 0 };
    units.forEach((unit, index) => (parts[unit] = Number(match[index + 1])));
    if (/(^|[^y])yy([^y]|$)/.test(format)) parts.y += parts.y < 69 ? 2000 : 1900;
    return epochMs(parts) ?? fail(`"${text}" is not a date that exists`);
  };

const epochMs = (parts: Parts): Result<number> | undefined => {
  const date = new Date(0);
  // Not Date.UTC(), which reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(parts.y, parts.M - 1, parts.d);
  date.setUTCHours(parts.H, parts.m, parts.s);
  const exists =
    date.getUTCMonth() === parts.M - 1 &&
    date.getUTCDate() === parts.d &&
    date.getUTCHours() === parts.H &&
    date.getUTCMinutes() === parts.m &&
    date.getUTCSeconds() === parts.s;
  return exists ? ok(date.getTime()) : undefined;
};

const escapePattern = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
