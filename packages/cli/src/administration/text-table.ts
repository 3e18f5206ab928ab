/** A line break or tab in a name would look like another row or column. */
const onOneLine = (cell: string): string => cell.replace(/[\n\r\t\u2028\u2029]/g, '\uFFFD');

/** Formats rows as a table with a header. Returns `whenEmpty` if there are no rows. */
export const textTable = (
  header: readonly string[],
  rows: readonly (readonly string[])[],
  whenEmpty: string,
): string => {
  if (rows.length === 0) return whenEmpty;
  const lines = [header, ...rows.map((cells) => cells.map(onOneLine))];
  const widths = header.map((_, index) => Math.max(...lines.map((cells) => cells[index]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
