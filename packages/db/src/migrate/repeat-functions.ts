/** The lines that start with `-- FOR`, and the function below them. */
const repeatedFunction = /((?:^-- FOR .+\n)+)(CREATE OR REPLACE FUNCTION [^]*?^\$\$;$)/gm;

/** `{name}` becomes the value of the name, and `{n.columns}` becomes `n.domain, n.name` if `columns` is `domain,name`. */
const fillIn = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(/\{(\w+\.)?(\w+)\}/g, (braces, prefix: string | undefined, name: string) => {
    const value = values.get(name);
    return value === undefined
      ? braces
      : value
          .split(',')
          .map((part) => `${prefix ?? ''}${part}`)
          .join(', ');
  });

/**
 * Repeats a function for each line above it that starts with `-- FOR`, with the values of the line for the names in braces:
 *
 *     -- FOR object=account objects=accounts
 *     CREATE OR REPLACE FUNCTION read_{object}(p_id uuid) RETURNS {objects} …
 */
export const repeatFunctions = (source: string): string =>
  source.replace(repeatedFunction, (_all, lines: string, text: string) => {
    const each = [...lines.matchAll(/^-- FOR (.+)$/gm)].map(([, values = '']) =>
      fillIn(text, new Map([...values.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]))),
    );
    return each.join('\n\n');
  });
