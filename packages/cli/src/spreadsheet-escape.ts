/**
 * Matches a text that a spreadsheet program would run as a formula, or that looks as if it had been escaped already. Some programs also
 * take the full-width forms `＝＋－＠`.
 */
const formula = /^'*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/;
const escapedFormula = /^'+[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/;

/**
 * Adds an apostrophe before a formula, so that spreadsheet programs treat it as text: `=1+1` → `'=1+1`, `'=1` → `''=1`.
 */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** Removes the apostrophe that {@link escapeFormula} added. */
export const unescapeFormula = (text: string): string => (escapedFormula.test(text) ? text.slice(1) : text);
