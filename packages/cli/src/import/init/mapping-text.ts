import { slugFromName } from '@crm/domain';

import { requiredTargets, type ImportObject } from '../targets.js';
import type { CustomField } from '../../setup/lookup.js';
import { yamlText } from '../../yaml-file.js';
import { fullName, matchColumns, simplified, type Columns, type MatchedColumn } from './column-names.js';
import { currenciesOf, likelyUnits } from './formats.js';
import { guessTransforms, unitsIn } from './guess-transforms.js';

/** The file that a mapping is guessed from. */
export interface InitSource {
  /** The file name, for the first line of the mapping. */
  readonly name: string;
  readonly object: ImportObject;
  readonly columns: Columns;
  /** The custom fields of the organization; empty if it is not known. */
  readonly customFields: readonly CustomField[];
  /** The lines about the file and the pipeline. */
  readonly settings: readonly string[];
}

/** A guessed mapping. */
export interface InitMapping {
  readonly text: string;
  readonly fields: readonly MatchedColumn[];
  /** Required fields for which no column was found. */
  readonly missing: readonly string[];
  /** Columns that are not imported. */
  readonly leftOut: readonly string[];
}

/** A text as YAML on one line. */
export const scalar = (text: string): string => yamlText(text).trim();

/** The mark at a line that the user must decide. Without doubts, the notes alone. */
export const remark = (doubts: readonly string[], notes: readonly string[] = []): string => {
  const text = [...doubts, ...notes].join('; ').replace(/\s+/g, ' ');
  return text === '' ? '' : ` # ${doubts.length > 0 ? 'CHECK: ' : ''}${text}`;
};

const customName = ({ name: slug }: CustomField): string => `custom_fields.${slug}`;

const cellsOf = (columns: Columns, column = ''): readonly string[] => columns.get(column) ?? [];

/** The currency that the amounts themselves name, or the name of their column. */
const currencyLines = (column: string, cells: readonly string[], signs: ReadonlyMap<string, string>): string[] => {
  const named = unitsIn(/[([](.*?)[)\]]/.exec(column)?.[1] ?? '').filter((word) => currenciesOf(word) !== undefined);
  const all = new Map([...named.map((word): [string, string] => [word, column]), ...signs]);
  const codes = [...new Set([...all.keys()].flatMap((sign) => currenciesOf(sign)?.slice(0, 1) ?? []))];
  const meanings = [...all].map(([sign, cell]) => `${JSON.stringify(cell)} is ${currenciesOf(sign)?.join(' or ')}`);
  const bare = cells.find((cell) => /\d/.test(cell) && ![...all.keys()].some((sign) => (cell + column).includes(sign)));
  const doubts = bare === undefined ? [] : [`${JSON.stringify(bare)} names no currency`];
  const isClear = [...all.keys()].every((sign) => currenciesOf(sign)?.length === 1);
  if (codes.length === 0) return [];
  if (codes.length === 1)
    return [`  currency:${remark([...(isClear ? [] : meanings), ...doubts])}`, `    value: ${codes[0] ?? ''}`];
  const map = [...all.keys()].map((sign) => `${scalar(sign)}: ${currenciesOf(sign)?.[0]}`).join(', ');
  const transform = `    transform: [{ find: { ${map} } }]${remark([...meanings, ...doubts])}`;
  return ['  currency:', `    column: ${scalar(column)}`, transform];
};

/** Names that would make one record of rows with different ids. They get their ids, if the user agrees. */
const nameLines = (columns: Columns, fields: readonly MatchedColumn[], name: string): string[] | undefined => {
  const columnOf = (field: string): string | undefined => fields.find((one) => one.field === field)?.column;
  const keys = ['account_domain', 'account_external_id', 'primary_contact_email'].map(columnOf);
  const ids = cellsOf(columns, columnOf('external_id'));
  const rows = new Map<string, number[]>();
  cellsOf(columns, name).forEach((text, row) => {
    const owners = keys.map((column) => (cellsOf(columns, column)[row] ?? '').replace(/^.*@/, ''));
    const key = [text.trim(), ...owners].join('\0');
    if (text.trim() !== '') rows.set(key, [...(rows.get(key) ?? []), row]);
  });
  const [repeated] = [...rows.values()].filter((same) => same.length > 1);
  if (repeated === undefined) return undefined;
  const [first = 0] = repeated;
  const cell = `${JSON.stringify(cellsOf(columns, name)[first])} is the name of ${repeated.length} rows`;
  const id = columnOf('external_id');
  if (id === undefined || new Set(repeated.map((row) => ids[row])).size === 1)
    return [`    column: ${scalar(name)}${remark([`${cell}, which become one deal`])}`];
  const braced = (column: string): string => `{${column}}`;
  const template = scalar(`${braced(name)} ${braced(id)}`);
  const result = JSON.stringify(`${cellsOf(columns, name)[first]} ${ids[first]}`);
  return [`    template: ${template}${remark([`${cell} with different ids: this makes ${result} of the first`])}`];
};

const fieldLines = (
  { object, columns, customFields }: InitSource,
  { field, column }: MatchedColumn,
  fields: readonly MatchedColumn[],
): string[] => {
  const cells = cellsOf(columns, column);
  const source = `    column: ${scalar(column)}`;
  if (field === fullName) {
    const cell = JSON.stringify(cells.find((text) => /\s/.test(text.trim())) ?? 'Ann Abel');
    return (['first', 'last'] as const).flatMap((part) => [
      `  ${part}_name:${part === 'first' ? remark([`${cell} is split at its last space`]) : ''}`,
      ...[source, `    transform: [{ split_name: ${part} }]`],
    ]);
  }
  const type = customFields.find((custom) => customName(custom) === field)?.attribute_type;
  const { transform, doubts, notes, signs } = guessTransforms(object, field, cells, type);
  const unit = /[([](.*?)[)\]]|\b(in .*)$/i.exec(column)?.slice(1).join('') ?? '';
  const isScaled = unitsIn(unit).some((word) => word in likelyUnits) || /thousand|million|tausend|tsd/i.test(unit);
  const scale = signs !== undefined && isScaled ? [`the name of the column has ${JSON.stringify(unit)}`] : [];
  const said = remark([...scale, ...doubts], notes);
  const names = object === 'opportunity' && field === 'name' ? nameLines(columns, fields, column) : undefined;
  const takesCurrency = field === 'amount' && !fields.some((one) => one.field === 'currency');
  return [
    `  ${field}:${transform === '' ? said : ''}`,
    ...(names ?? [source]),
    ...(transform === '' ? [] : [`    transform: ${transform}${said}`]),
    ...(requiredTargets(object).includes(field) ? ['    empty: reject'] : []),
    ...(takesCurrency ? currencyLines(column, cells, signs ?? new Map()) : []),
  ];
};

/** Placeholders for required fields. A name stands in for a domain, because an id is none. */
const missingLines = ({ columns, object }: InitSource, missing: readonly string[], named: string): string[] =>
  missing.flatMap((field) => {
    const empty = matchColumns(object, new Map([...columns.keys()].map((column) => [column, []])));
    const column = empty.find((one) => one.field === field)?.column;
    const cells = cellsOf(columns, column);
    const filled = cells.filter((text) => text.trim() !== '').length;
    const found = column === undefined || filled * 10 >= cells.length;
    const why = found
      ? 'no matching column found'
      : `${cells.length - filled} of ${cells.length} cells of ${scalar(column)} are empty`;
    return [
      `  ${field}: # CHECK: ${why}; name one, or join several with template: '{A} {B}'`,
      `    column: ${scalar(named)}`,
      ...(field === 'domain' ? ['    transform: [{ slug_domain: .com }] # turns Acme into acme.com'] : []),
      '    empty: reject',
    ];
  });

/** A suggestion for the account of a deal if the file has company names only. */
const companyHint = ({ column }: MatchedColumn): string[] => [
  '  # The file has company names but neither domains nor emails. This turns Acme into acme.com:',
  ...['  # account_domain:', `  #   column: ${scalar(column)}`, '  #   transform: [{ slug_domain: .com }]'],
  ...['  # account_name:', `  #   column: ${scalar(column)}`],
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
  const find = (...names: string[]): MatchedColumn | undefined => matched.find(({ field }) => names.includes(field));
  // Without a key of its account, a deal has no account to name.
  const company = find('account_domain', 'primary_contact_email') === undefined ? find('account_name') : undefined;
  const fields = matched.filter((one) => one !== company);
  const leftOut = [...columns.keys()].filter((name) => !fields.some(({ column }) => column === name));
  const missing = requiredTargets(object).filter((name) => find(name) === undefined);
  const stood = find('name', 'account_name', fullName, 'last_name')?.column;
  const other = [...columns.keys()].find((name) => name !== find('external_id')?.column);
  const lines = [
    `# Guessed by crm import init from ${source.name}. Decide each line marked CHECK, and remove the mark.`,
    `object: ${object}`,
    ...source.settings,
    'fields:',
    ...missingLines(source, missing, stood ?? other ?? ''),
    ...fields.flatMap((field) => fieldLines(source, field, fields)),
    ...(company === undefined || find('account_external_id') !== undefined ? [] : companyHint(company)),
    ...restLines(
      source,
      leftOut.filter((name) => name !== company?.column),
    ),
  ];
  return { text: `${lines.join('\n')}\n`, fields, missing, leftOut };
};
