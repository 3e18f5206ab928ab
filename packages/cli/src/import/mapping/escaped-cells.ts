import { looksEscaped, unescapeFormula } from '../../spreadsheet-escape.js';
import type { Row, RowProblem } from './convert-row.js';
import { detectObject, unknownColumns } from './exported-record.js';

/**
 * Whether only `crm export` writes such a header: all columns are those of an export, and one of them has a name that other programs do
 * not use. The cells of such a file are escaped.
 */
export const isExportHeader = (columns: readonly string[]): boolean => {
  const object = detectObject(columns);
  if (object === undefined || unknownColumns(object, columns).length > 0 || !columns.includes('id')) return false;
  return columns.some((name) => name === 'version' || name.startsWith('custom_fields.'));
};

const doubt = (cell: string): string =>
  `${JSON.stringify(cell)} may be ${JSON.stringify(unescapeFormula(cell))}, escaped for spreadsheets, or begin with an apostrophe: ` +
  'write escaped_formulas: true or false in the mapping';

/**
 * Reads the cells of a file with a mapping. `crm export` puts an apostrophe before formulas, and other programs do too.
 * @param isEscaped - whether the file has such apostrophes; undefined if that is not known
 * @param used - the columns that the mapping uses
 * @returns a function that reads a row, or says which cells have two readings
 */
export const cellReader =
  (isEscaped: boolean | undefined, used: ReadonlySet<string>) =>
  (row: Row): Row | readonly RowProblem[] => {
    if (isEscaped === false) return row;
    if (isEscaped === true) return new Map([...row].map(([column, cell]) => [column, unescapeFormula(cell)]));
    const doubtful = [...row].filter(([column, cell]) => used.has(column) && looksEscaped(cell));
    return doubtful.length === 0 ? row : doubtful.map(([field, cell]) => ({ field, reason: doubt(cell) }));
  };
