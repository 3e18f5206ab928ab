import { slugFromName } from '@crm/domain';
import { stringify } from 'yaml';

import { requiredTargets, type ImportObject } from '../targets.js';
import type { CustomField } from '../../setup/lookup.js';
import { matchColumns, simplified, type Columns, type MatchedColumn } from './column-names.js';
import { guessTransforms } from './guess-transforms.js';

/** The file that a mapping is guessed from. */
export interface InitSource {
  /** The file name, for the first line of the mapping. */
  readonly name: string;
  readonly object: ImportObject;
  readonly columns: Columns;
  /** The custom fields of the organization; empty if it is not known. */
  readonly customFields: readonly CustomField[];
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

const customName = ({ name: slug }: CustomField): string => `custom_fields.${slug}`;

const fieldLines = ({ object, columns, customFields }: InitSource, { field, column }: MatchedColumn): string[] => {
  const type = customFields.find((custom) => customName(custom) === field)?.attribute_type;
  const { transform, remark } = guessTransforms(object, field, columns.get(column) ?? [], type);
  const empty = requiredTargets(object).includes(field) ? ['    empty: reject'] : [];
  const line = transform === '' ? [] : [`    transform: ${transform}${remarkOf(remark)}`];
  const at = transform === '' ? remarkOf(remark) : '';
  return [`  ${field}:${at}`, `    column: ${scalar(column)}`, ...line, ...empty];
};

const missingLines = (missing: readonly string[], columns: Columns): string[] =>
  missing.flatMap((field) => [
    `  ${field}: # CHECK: no matching column found; name one, or join several with template: '{A} {B}'`,
    `    column: ${scalar([...columns.keys()][0] ?? '')}`,
    ...(field === 'domain' ? ['    transform: [{ slug_domain: .com }] # turns Acme into acme.com'] : []),
    '    empty: reject',
  ]);

/** A suggestion for the account of a deal if the file has company names only. */
const companyHint = ({ column }: MatchedColumn): string[] => [
  '  # The file has company names but neither domains nor emails. This turns Acme into acme.com:',
  '  # account_domain:',
  `  #   column: ${scalar(column)}`,
  '  #   transform: [{ slug_domain: .com }]',
  '  # account_name:',
  `  #   column: ${scalar(column)}`,
];

/** Suggests custom fields as comments, because they have to be defined first. */
const restLines = ({ object }: InitSource, rest: readonly string[]): string[] => {
  if (rest.length === 0) return [];
  if (object === 'note') return [`  # Not imported: ${rest.map(scalar).join(', ')}`];
  return [
    '  # Not imported. To import one, define the custom field (crm field define) and remove the #:',
    ...rest.flatMap((column) => [
      `  # custom_fields.${slugFromName(column) ?? 'field'}:`,
      `  #   column: ${scalar(column)}`,
    ]),
  ];
};

/** Guesses a mapping from the header and first rows of a file. Lines that the user must check are marked CHECK. */
export const guessMapping = (source: InitSource): InitMapping => {
  const { object, columns, customFields } = source;
  const custom = customFields.map((field): [string, string] => [
    customName(field),
    `${simplified(field.name)} ${simplified(field.current_name)}`,
  ]);
  const matched = matchColumns(object, columns, Object.fromEntries(custom));
  const has = (name: string): boolean => matched.some(({ field }) => field === name);
  // Without a domain or an email, a deal has no account to name.
  const company = matched.find(
    ({ field }) => field === 'account_name' && !has('account_domain') && !has('primary_contact_email'),
  );
  const fields = matched.filter((one) => one !== company);
  const rest = [...columns.keys()].filter((name) => !matched.some(({ column }) => column === name));
  const missing = requiredTargets(object).filter((name) => !has(name));
  const lines = [
    `# Guessed by crm import init from ${source.name}. Check every field, above all the lines marked CHECK.`,
    `object: ${object}`,
    ...(object === 'opportunity' ? ['# pipeline: NAME (or give --pipeline)'] : []),
    'fields:',
    ...missingLines(missing, columns),
    ...fields.flatMap((field) => fieldLines(source, field)),
    ...(company === undefined ? [] : companyHint(company)),
    ...restLines(source, rest),
  ];
  return { text: `${lines.join('\n')}\n`, fields, missing };
};
