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

/** Whether a text may be one that {@link escapeFormula} made. */
export const looksEscaped = (text: string): boolean => escapedFormula.test(text);

/** Removes the apostrophe that {@link escapeFormula} added. */
export const unescapeFormula = (text: string): string => (looksEscaped(text) ? text.slice(1) : text);
