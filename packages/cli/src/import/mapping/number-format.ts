import { fail, ok, type Result } from '@crm/domain';

import { plainDigits } from './plain-digits.js';

/** The number format of a column. The default is a point and no groups. */
export interface NumberFormat {
  /** `٫` is the Arabic decimal separator. */
  readonly decimal?: '.' | ',' | '٫';
  /** The separator between groups of digits; `''` for none. Every space matches every other. */
  readonly group?: string;
  /**
   * Texts before or after the digits, and the power of ten that each multiplies by: `{ €: 1, k: 1000, CR: -1 }`. `()`
   * is a pair of brackets, and `-` a minus after the digits.
   */
  readonly units?: Readonly<Record<string, number>>;
}

/** The digits of a text without its units, and what the units multiply by. */
interface Measured {
  readonly digits: string;
  readonly isNegative: boolean;
  /** The power of ten of the units. */
  readonly exponent: number;
}

/**
 * Returns the reader of a format, or its fault. Groups must be in their usual places: `1.234.567,89` or, as in India,
 * `12,34,567`. Separators and units must be declared, because a guess could alter amounts: with the group `.`, `1.5` is
 * refused and not read as 15.
 */
export const numberReader = ({
  decimal = '.',
  group = '',
  units = {},
}: NumberFormat): Result<(text: string) => Result<number>> => {
  // With "." for both, 1.5 would read as 15.
  if (group === decimal) return fail(`decimal and group must differ; decimal is "${decimal}"`);
  const wrong = Object.entries(units).find(([, factor]) => !Number.isInteger(Math.log10(Math.abs(factor))));
  if (wrong !== undefined) return fail(`"${wrong[0]}" must be a power of ten such as 1, 1000 or -1`);
  const separator = /\p{Zs}/u.test(group) ? ' ' : /[’‘]/.test(group) ? "'" : group;
  const grouped = separator === '' ? '' : `|${groupedPattern(characterPattern(separator))}`;
  const pattern = new RegExp(`^[+-]?(?:\\d+${grouped})(?:${characterPattern(decimal)}\\d+)?$`, 'u');
  const example = `1${group}234${decimal}50`;
  return ok((text) => {
    const { digits, isNegative, exponent } = withoutUnits(plainDigits(text), units);
    if (!pattern.test(digits)) return fail(`"${text}" is not a number such as ${example}`);
    const plain = (separator === '' ? digits : digits.replaceAll(separator, '')).replace(decimal, '.');
    if (plain.replace(/\D/g, '').replace(/^0+/, '').length > 15) return fail(`"${text}" has more than 15 digits`);
    // The parser shifts the decimal point exactly, which a multiplication would not: 1.005 * 1000 is 1004.9999999999999.
    const value = Number(`${plain}e${exponent}`);
    return ok(isNegative && value !== 0 ? -value : value);
  });
};

/** Removes each unit at most once: `-€1.5k` → `-1.5`. A unit counts only as a whole: with `k`, `5 kg` stays. */
const withoutUnits = (text: string, units: Readonly<Record<string, number>>): Measured => {
  const left = new Map(Object.entries(units).sort(([one], [other]) => other.length - one.length));
  let [rest, sign, factor] = [text, '', 1];
  for (;;) {
    const signed = left.size > 0 ? /^([+-])(?![\d.,])\s*(.*)$/s.exec(rest) : null;
    if (signed !== null && sign === '') [sign, rest] = [signed[1] ?? '', signed[2] ?? ''];
    const unit = [...left.keys()].find((name) => withoutUnit(rest, name) !== undefined);
    if (unit === undefined) break;
    rest = withoutUnit(rest, unit) ?? rest;
    factor *= left.get(unit) ?? 1;
    left.delete(unit);
  }
  return { digits: sign + rest, isNegative: factor < 0, exponent: Math.round(Math.log10(Math.abs(factor))) };
};

const withoutUnit = (text: string, unit: string): string | undefined => {
  if (unit === '()') return /^\((.*)\)$/s.exec(text)?.[1]?.trim();
  if (text.endsWith(unit)) return text.slice(0, -unit.length).trim();
  return unit !== '-' && text.startsWith(unit) ? text.slice(unit.length).trim() : undefined;
};

/** The first group cannot start with 0: `0.500` is a fraction in another format, not 500. */
const groupedPattern = (group: string): string =>
  `[1-9]\\d{0,2}(?:${group}\\d{3})+|[1-9]\\d?(?:${group}\\d{2})+${group}\\d{3}`;

const characterPattern = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;
