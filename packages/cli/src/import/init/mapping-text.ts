import { stringify } from 'yaml';

import { requiredTargets, type ImportObject } from '../targets.js';
import { matchColumns, simplified, type MatchedColumn } from './column-names.js';
import { guessTransforms } from './guess-transforms.js';

/** The file that a mapping is guessed from. */
export interface InitSource {
  /** The file name, for the first line of the mapping. */
  readonly name: string;
  readonly object: ImportObject;
  readonly columns: readonly string[];
  /** The values of a column in the first rows. */
  readonly valuesOf: (column: string) => readonly string[];
}

/** A guessed mapping. */
export interface InitMapping {
  readonly text: string;
  readonly fields: readonly MatchedColumn[];
  /** Required fields for which no column was found. */
  readonly missing: readonly string[];
}

const scalar = (text: string): string => stringify(text, { lineWidth: 0 }).trim();

const remarkOf = (remark: string): string => (remark === '' ? '' : ` # CHECK: ${remark}`);

const fieldLines = ({ object, valuesOf }: InitSource, { field, column }: MatchedColumn): string[] => {
  const { transform, remark } = guessTransforms(object, field, valuesOf(column));
  const empty = requiredTargets(object).includes(field) ? ['    empty: reject'] : [];
  const line = transform === '' ? [] : [`    transform: ${transform}${remarkOf(remark)}`];
  const at = transform === '' ? remarkOf(remark) : '';
  return [`  ${field}:${at}`, `    column: ${scalar(column)}`, ...line, ...empty];
};

const missingLines = (missing: readonly string[], columns: readonly string[]): string[] =>
  missing.flatMap((field) => [
    `  ${field}: # CHECK: no matching column found; name one, or join several with template: '{A} {B}'`,
    `    column: ${scalar(columns[0] ?? '')}`,
    '    empty: reject',
  ]);

/** A suggestion for the account of a deal if the file has company names only. */
const companyHint = ({ object, columns }: InitSource, isTaken: (column: string) => boolean): string[] => {
  const company = columns.find((column) => /^(company|account|organi[sz]ation)(name)?$/.test(simplified(column)));
  if (object !== 'opportunity' || company === undefined || isTaken(company)) return [];
  return [
    '  # The file has company names but no domains. This turns Acme into acme.com:',
    '  # account_domain:',
    `  #   column: ${scalar(company)}`,
    '  #   transform: [{ slug_domain: .com }]',
  ];
};

const slugOf = (column: string): string =>
  column
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '') || 'field';

/** Suggests custom fields as comments, because they have to be defined first. */
const restLines = ({ object }: InitSource, rest: readonly string[]): string[] => {
  if (rest.length === 0) return [];
  if (object === 'note') return [`  # Not imported: ${rest.map(scalar).join(', ')}`];
  return [
    '  # Not imported. To import one, define the custom field (crm field define) and remove the #:',
    ...rest.flatMap((column) => [`  # custom_fields.${slugOf(column)}:`, `  #   column: ${scalar(column)}`]),
  ];
};

/** Guesses a mapping from the header and first rows of a file. Lines that the user must check are marked CHECK. */
export const guessMapping = (source: InitSource): InitMapping => {
  const { object, columns } = source;
  const fields = matchColumns(object, columns);
  const isTaken = (column: string): boolean => fields.some((matched) => matched.column === column);
  const missing = requiredTargets(object).filter((name) => !fields.some(({ field }) => field === name));
  const lines = [
    `# Guessed by crm import init from ${source.name}. Check every field, above all the lines marked CHECK.`,
    `object: ${object}`,
    ...(object === 'opportunity' ? ['# pipeline: NAME (or give --pipeline)'] : []),
    'fields:',
    ...missingLines(missing, columns),
    ...fields.flatMap((field) => fieldLines(source, field)),
    ...companyHint(source, isTaken),
    ...restLines(
      source,
      columns.filter((column) => !isTaken(column)),
    ),
  ];
  return { text: `${lines.join('\n')}\n`, fields, missing };
};
