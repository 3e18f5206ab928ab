/** Rows of the table after the comment `<!-- checked: name -->` in a Markdown text, without its header. */
export const readCheckedTable = (markdown: string, name: string): string[][] => {
  const from = markdown.indexOf(`<!-- checked: ${name} -->`);
  if (from < 0) throw new Error(`No table is marked ${name}`);
  const [, table = ''] = markdown.slice(from).split('\n\n');
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
};

/** The texts between backticks, in order. */
export const codesOf = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
