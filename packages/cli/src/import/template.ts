import { fail, ok, type Result } from '@crm/domain';

/** A text with places for columns, as `{product} {opportunity_id}`. */
export interface Template {
  readonly columns: readonly string[];
  /** Fills the places; empty when every column in it is empty, so that a name never consists of punctuation alone. */
  readonly fill: (column: (name: string) => string) => string;
}

/** Compiles a template. `{Column Name}` is a place; `{{` and `}}` are the brackets themselves. */
export const compileTemplate = (source: string): Result<Template> => {
  const parts: { readonly text: string; readonly isColumn: boolean }[] = [];
  for (const [token = ''] of source.matchAll(/\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+/g)) {
    if (token === '{' || token === '}')
      return fail(`"${source}" has a lone ${token}; write ${token}${token} to mean the bracket`);
    if (token === '{{' || token === '}}') parts.push({ text: token.charAt(0), isColumn: false });
    else if (token.startsWith('{')) parts.push({ text: token.slice(1, -1).trim(), isColumn: true });
    else parts.push({ text: token, isColumn: false });
  }
  const columns = [...new Set(parts.filter((part) => part.isColumn).map((part) => part.text))];
  if (columns.length === 0) return fail(`"${source}" names no column; use value: for a constant`);
  if (columns.includes('')) return fail(`"${source}" has an empty place {}`);
  const fill: Template['fill'] = (column) => {
    if (columns.every((name) => column(name).trim() === '')) return '';
    return parts
      .map((part) => (part.isColumn ? column(part.text) : part.text))
      .join('')
      .trim();
  };
  return ok({ columns, fill });
};
