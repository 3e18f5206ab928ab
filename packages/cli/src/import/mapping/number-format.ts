import { fail, ok, type Result } from '@crm/domain';

/** The number format of a column. */
export interface NumberFormat {
  readonly decimal: '.' | ',';
  /** The separator between groups of digits; `''` for none. */
  readonly group: string;
}

/**
 * Reads the argument of the `number` transform: nothing, or `{ decimal: ",", group: "." }`.
 *
 * @returns the fault of the argument, if it is invalid
 */
export const readNumberFormat = (argument: unknown): Result<NumberFormat> => {
  const signs = argument === undefined || argument === true ? {} : argument;
  if (typeof signs !== 'object' || signs === null) return fail('takes no argument, or { decimal: ",", group: "." }');
  const { decimal = '.', group = '', ...others } = signs as Record<string, unknown>;
  if (Object.keys(others).length > 0 || (decimal !== '.' && decimal !== ',') || typeof group !== 'string') {
    return fail('takes only decimal ("." or ",") and group (a text)');
  }
  // With "." for both, 1.5 would read as 15.
  if (group === decimal) return fail(`decimal and group must differ; decimal is "${decimal}"`);
  if (group !== '' && !/^[^\p{N}+-]$/u.test(group)) return fail('group must be one character, not a digit or a sign');
  return ok({ decimal, group });
};

/**
 * Returns the reader of a format. Groups must be in their usual places: `1.234.567,89` or, as in India, `12,34,567`.
 * Separators must be declared, because a guess could alter amounts: with the group `.`, `1.5` is refused and not read
 * as 15.
 */
export const numberReader = ({ decimal, group }: NumberFormat): ((text: string) => Result<number>) => {
  const grouped = group === '' ? '' : `|${groupedPattern(characterPattern(group))}`;
  const pattern = new RegExp(`^[+-]?(?:\\d+${grouped})(?:${characterPattern(decimal)}\\d+)?$`, 'u');
  const example = `1${group}234${decimal}50`;
  return (text) => {
    const trimmed = text.trim();
    if (!pattern.test(trimmed)) return fail(`"${text}" is not a number such as ${example}`);
    const plain = (group === '' ? trimmed : trimmed.replaceAll(group, '')).replace(decimal, '.');
    if (plain.replace(/\D/g, '').replace(/^0+/, '').length > 15) return fail(`"${text}" has more than 15 digits`);
    return ok(Number(plain));
  };
};

/** The first group cannot start with 0: `0.500` is a fraction in another format, not 500. */
const groupedPattern = (group: string): string =>
  `[1-9]\\d{0,2}(?:${group}\\d{3})+|[1-9]\\d?(?:${group}\\d{2})+${group}\\d{3}`;

const characterPattern = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;
