import { fail, ok, type Result } from '@crm/domain';

/** The number format of a column. The default is a point and no groups. */
export interface NumberFormat {
  readonly decimal?: '.' | ',';
  /** The separator between groups of digits; `''` for none. */
  readonly group?: string;
}

/**
 * Returns the reader of a format, or its fault. Groups must be in their usual places: `1.234.567,89` or, as in India,
 * `12,34,567`. Separators must be declared, because a guess could alter amounts: with the group `.`, `1.5` is refused
 * and not read as 15.
 */
export const numberReader = ({ decimal = '.', group = '' }: NumberFormat): Result<(text: string) => Result<number>> => {
  // With "." for both, 1.5 would read as 15.
  if (group === decimal) return fail(`decimal and group must differ; decimal is "${decimal}"`);
  const grouped = group === '' ? '' : `|${groupedPattern(characterPattern(group))}`;
  const pattern = new RegExp(`^[+-]?(?:\\d+${grouped})(?:${characterPattern(decimal)}\\d+)?$`, 'u');
  const example = `1${group}234${decimal}50`;
  return ok((text) => {
    const trimmed = text.trim();
    if (!pattern.test(trimmed)) return fail(`"${text}" is not a number such as ${example}`);
    const plain = (group === '' ? trimmed : trimmed.replaceAll(group, '')).replace(decimal, '.');
    if (plain.replace(/\D/g, '').replace(/^0+/, '').length > 15) return fail(`"${text}" has more than 15 digits`);
    return ok(Number(plain));
  });
};

/** The first group cannot start with 0: `0.500` is a fraction in another format, not 500. */
const groupedPattern = (group: string): string =>
  `[1-9]\\d{0,2}(?:${group}\\d{3})+|[1-9]\\d?(?:${group}\\d{2})+${group}\\d{3}`;

const characterPattern = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;
