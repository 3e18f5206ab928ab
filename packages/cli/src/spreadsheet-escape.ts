/** A text that a spreadsheet program would run as a formula, or one that looks as if it had been escaped already. */
const formula = /^'*[=+\-@\t\r\n]/;
const escapedFormula = /^'+[=+\-@\t\r\n]/;

/** Puts an apostrophe before a formula, which makes it a text: `=1+1` → `'=1+1`, `'=1` → `''=1`. */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** Takes the apostrophe of {@link escapeFormula} away. */
export const unescapeFormula = (text: string): string => (escapedFormula.test(text) ? text.slice(1) : text);
