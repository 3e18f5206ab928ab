/** Clauses that start a line, and the indentation that aligns them with SELECT. */
const clauses: Readonly<Record<string, string>> = {
  'FROM ': '  ',
  'WHERE ': ' ',
  'CROSS JOIN ': ' ',
  'WINDOW ': '',
  'ORDER BY ': ' ',
  'LIMIT ': ' ',
  'OFFSET ': ' ',
  'UNION ALL ': '',
};

/** A subselect with more characters than this gets its own lines. */
const longestInline = 70;
/** A line with more characters than this is broken before the next AND. */
const longestLine = 80;

const closingAt = (sql: string, opening: number): number => {
  let depth = 0;
  for (let at = opening; at < sql.length; at += 1) {
    if (sql[at] === '(') depth += 1;
    if (sql[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return sql.length;
};

const indented = (sql: string, margin: string): string => {
  let lines = margin;
  const breakLine = (indent: string): void => {
    lines = `${lines.trimEnd()}\n${margin}${indent}`;
  };
  for (let at = 0; at < sql.length; at += 1) {
    const rest = sql.slice(at);
    const clause = lines.endsWith(' ') ? Object.keys(clauses).find((start) => rest.startsWith(start)) : undefined;
    const isLongLine = lines.length - lines.lastIndexOf('\n') > longestLine;
    if (clause !== undefined && at > 0) breakLine(clauses[clause] ?? '');
    else if (rest.startsWith('AND ') && isLongLine) breakLine('   ');
    else if (rest.startsWith('SELECT ') && /(UNION ALL|\)) $/.test(lines)) breakLine('');
    if (sql[at] !== '(') {
      lines += sql[at] ?? '';
      continue;
    }
    const end = closingAt(sql, at);
    const inner = sql.slice(at + 1, end);
    const isBlock = /^\(*(SELECT|WITH) /.test(inner) && inner.length > longestInline;
    lines += isBlock ? `(\n${indented(inner, `${margin}    `)}\n${margin})` : `(${inner})`;
    at = end;
  }
  return lines;
};

/** Formats generated SQL, with clauses and long subselects on their own lines. Changes only white space. */
export const formatSql = (sql: string): string =>
  indented(sql.replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim(), '');
