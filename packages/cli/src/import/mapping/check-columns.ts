import { configurationError } from '../../errors.js';
import { fileError } from '../../yaml-file.js';
import { simplified } from '../init/column-names.js';
import { mappingHeading, type Mapping } from './mapping.js';

/**
 * Compares the mapping with the header of the CSV file, before the first request.
 *
 * @throws CliError (78) that names every place that uses a column that is missing or duplicated in the file.
 */
export const checkColumns = (mapping: Mapping, columns: readonly string[]): void => {
  const problems = mapping.columnUses.flatMap(({ column, place }) => {
    const times = columns.filter((name) => name === column).length;
    if (times === 1) return [];
    if (times > 1) return [`${place}: the CSV file has ${times} columns "${column}"`];
    const alike = columns.find((name) => simplified(name) === simplified(column));
    return [
      `${place}: the CSV file has no column "${column}"${alike === undefined ? '' : `; did you mean "${alike}"?`}`,
    ];
  });
  if (problems.length === 0) return;
  const hint =
    columns.length === 1
      ? 'The file has only one column. Give the separator between cells with --delimiter.'
      : `The columns of the file: ${columns.join(', ')}`;
  throw fileError(mappingHeading, [...problems, hint]);
};

/**
 * Checks the header of a file without a mapping. Every column is imported, so none may be duplicated. With a mapping,
 * {@link checkColumns} refuses duplicates only of columns that the mapping uses.
 *
 * @throws CliError (78) that names the duplicated columns.
 */
export const checkNoDuplicates = (file: string, columns: readonly string[]): void => {
  const twice = new Set(columns.filter((name, index) => columns.indexOf(name) !== index));
  if (twice.size === 0) return;
  const names = [...twice].map((name) => `"${name}"`).join(', ');
  throw configurationError(
    `The header line of ${file} has ${names} more than once. Rename or remove the extra columns.`,
  );
};
