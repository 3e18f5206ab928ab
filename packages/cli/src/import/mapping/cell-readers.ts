import { fail, ok, type Result, trimText } from '@crm/domain';

/** The words for yes and no. No word is both in two languages. */
const yesWords =
  `true t yes y on 1 ja j wahr oui o vrai v sí si verdadero sì vero sim s verdadeiro tak prawda ano igen kyllä
  waar evet doğru да д истина так ναι はい 是 예 네 có ya`.split(/\s+/);
const noWords = `false f no n off 0 nein falsch non faux falso não nao nee onwaar nej nei nie fałsz ne nem ei hayır
  yanlış нет н ложь ні όχι いいえ 否 아니오 아니요 không tidak`.split(/\s+/);

/** Reads a word for yes or no. */
export const readBoolean = (cell: string): Result<boolean> => {
  const word = trimText(cell.normalize('NFC')).toLowerCase();
  if (yesWords.includes(word)) return ok(true);
  if (noWords.includes(word)) return ok(false);
  return fail(`"${cell}" is neither true, yes, 1 nor false, no, 0`);
};

/**
 * Takes the address out of `Ann Abel <ann@example.com>`, `Ann Abel (ann@example.com)`, `mailto:ann@example.com` or
 * `ann@example.com (Ann)`. Other texts stay, so that the gateway can say what is wrong with them.
 */
export const emailOf = (cell: string): Result<string> => {
  const text = trimText(cell);
  const [, address = text] =
    [/^[^<>]*<([^<>]*)>$/, /^([^\s()]+@[^\s()]+)\s*\([^()]*\)$/, /^[^()@]*\(([^\s()]+@[^\s()]+)\)$/]
      .map((form) => form.exec(text))
      .find((match) => match !== null) ?? [];
  return ok(trimText(address.replace(/^mailto:/i, '')));
};

/** Splits a full name at its last space. A single word is a first name. */
export const nameParts = (cell: string, part: 'first' | 'last'): Result<string> => {
  const name = trimText(cell).replace(/\s+/g, ' ');
  // `Abel, Ann` has the last name first, and `Ann Abel, PhD` has not.
  if (/[,;]/.test(name)) return fail(`"${cell}" has a comma, so that its first and last name cannot be found`);
  const at = name.lastIndexOf(' ');
  if (at === -1) return ok(part === 'first' ? name : '');
  return ok(part === 'first' ? name.slice(0, at) : name.slice(at + 1));
};
