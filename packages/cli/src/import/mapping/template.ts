import { fail, isBlank, ok, type Result, trimText } from '@crm/domain';

/** A text with placeholders for columns, such as `{product} {opportunity_id}`. */
export interface Template {
  readonly columns: readonly string[];
  /**
   * Fills the placeholders. Returns an empty text if all columns are empty, so that a name never consists of
   * punctuation alone.
   */
  readonly fill: (column: (name: string) => string) => string;
}

/** Compiles a template. `{Column Name}` is a placeholder; `{{` and `}}` are literal braces. */
export const compileTemplate = (source: string): Result<Template> => {
  const parts: { readonly text: string; readonly isColumn: boolean }[] = [];
  for (const [token = ''] of source.matchAll(/\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+/g)) {
    if (token === '{' || token === '}')
      return fail(`"${source}" has a single ${token}; write ${token}${token} for the character`);
    if (token === '{{' || token === '}}') parts.push({ text: token.charAt(0), isColumn: false });
    else if (token.startsWith('{')) parts.push({ text: token.slice(1, -1).trim(), isColumn: true });
    else parts.push({ text: token, isColumn: false });
  }
  const columns = [...new Set(parts.filter((part) => part.isColumn).map((part) => part.text))];
  if (columns.length === 0) return fail(`"${source}" names no column; use value: for a constant`);
  if (columns.includes('')) return fail(`"${source}" has an empty placeholder {}`);
  const fill: Template['fill'] = (column) => {
    if (columns.every((name) => isBlank(column(name)))) return '';
    return trimText(parts.map((part) => (part.isColumn ? column(part.text) : part.text)).join(''));
  };
  return ok({ columns, fill });
};
