import { slugFromName } from '@crm/domain';

import { requiredTargets, type ImportObject } from '../targets.js';
import type { CustomField } from '../../setup/lookup.js';
import { yamlText } from '../../yaml-file.js';
import { type Columns, isAlmostEmpty, matchColumns, type MatchedColumn, simplified } from './column-names.js';
import { currenciesOf, likelyUnits } from './formats.js';
import { guessTransforms, unitsIn } from './guess-transforms.js';
import { fullName } from './headers.js';

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

/** An entry of `fields:`. Its values are YAML on one line. */
interface FieldEntry {
  readonly field: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly doubts?: readonly string[];
  readonly notes?: readonly string[];
}

/** A value as YAML on one line. */
export const scalar = (value: unknown): string => yamlText(value, { collectionStyle: 'flow' }).trim();

/** The mark at a line that the user must decide. Without doubts, the notes alone. */
export const remark = (doubts: readonly string[] = [], notes: readonly string[] = []): string => {
  const text = [...doubts, ...notes].join('; ').replace(/\s+/g, ' ');
  return text === '' ? '' : ` # ${doubts.length > 0 ? 'CHECK: ' : ''}${text}`;
};

/** The lines of an entry, with the mark where the user would change it. */
const entryLines = ({ field, keys, doubts, notes }: FieldEntry): string[] => {
  const marked = ['transform', 'template'].find((key) => key in keys);
  const lineOf = (name: string, key: string | undefined): string =>
    name + (key === marked ? remark(doubts, notes) : '');
  return [
    lineOf(`  ${field}:`, undefined),
    ...Object.entries(keys).map(([key, value]) => lineOf(`    ${key}: ${value}`, key)),
  ];
};

const shown = (text: string | undefined): string => JSON.stringify(text);

/** The currency that the amounts themselves name, or the name of their column. */
const currencyEntry = (column: string, cells: readonly string[], signs: ReadonlyMap<string, string>): FieldEntry[] => {
  const named = unitsIn(/[([](.*?)[)\]]/.exec(column)?.[1] ?? '').map((word): [string, string] => [word, column]);
  const all = [...new Map([...named, ...signs])].flatMap(([sign, cell]) => {
    const codes = currenciesOf(sign);
    return codes === undefined ? [] : [{ sign, cell, codes }];
  });
  const [first] = all;
  if (first === undefined) return [];
  const isOne = all.every(({ codes }) => codes[0] === first.codes[0]);
  const isClear = isOne && all.every(({ codes }) => codes.length === 1);
  const bare = cells.find((cell) => /\d/.test(cell) && !all.some(({ sign }) => (cell + column).includes(sign)));
  const meanings = all.map(({ cell, codes }) => `${shown(cell)} is ${codes.join(' or ')}`);
  const doubts = [...(isClear ? [] : meanings), ...(bare === undefined ? [] : [`${shown(bare)} names no currency`])];
  const found = Object.fromEntries(all.map(({ sign, codes }) => [sign, codes[0]]));
  const keys = { column: scalar(column), transform: scalar([{ find: found }]) };
  return [{ field: 'currency', keys: isOne ? { value: scalar(first.codes[0]) } : keys, doubts }];
};

/** The name of deals. Names that would make one record of rows with different ids get the ids, if the user agrees. */
const nameEntry = (columns: Columns, fields: readonly MatchedColumn[], column: string): FieldEntry => {
  const columnOf = (field: string): string => fields.find((one) => one.field === field)?.column ?? '';
  const owners = ['account_domain', 'account_external_id', 'primary_contact_email', 'primary_contact_external_id'].map(
    columnOf,
  );
  const names = columns.get(column) ?? [];
  const keys = names.map((name, row) =>
    [name.trim(), ...owners.map((owner) => columns.get(owner)?.[row]?.replace(/^.*@/, ''))].join('\0'),
  );
  const first = keys.findIndex((key, row) => names[row]?.trim() !== '' && keys.lastIndexOf(key) > row);
  const rows = keys.flatMap((key, row) => (key === keys[first] ? [row] : []));
  const cell = `${shown(names[first])} is the name of ${rows.length} rows`;
  const id = columnOf('external_id');
  const idOf = (row: number): string | undefined => columns.get(id)?.[row];
  if (first === -1 || new Set(rows.map(idOf)).size === 1)
    return {
      field: 'name',
      keys: { column: scalar(column) },
      doubts: first === -1 ? [] : [`${cell}, which become one deal`],
    };
  const doubt = `${cell} with different ids: this makes ${shown(`${names[first]} ${idOf(first)}`)} of the first`;
  return { field: 'name', keys: { template: scalar(`{${column}} {${id}}`) }, doubts: [doubt] };
};

/** Both parts of full names, with the longest as an example, because its last space is the least certain one. */
const fullNameEntries = (column: string, cells: readonly string[]): FieldEntry[] => {
  const count = (text: string): number => text.trim().split(/\s+/).length;
  const longest = cells.reduce((best, text) => (count(text) > count(best) ? text : best), cells[0] ?? 'Ann Abel');
  return ['first', 'last'].map((part) => ({
    field: `${part}_name`,
    keys: { column: scalar(column), transform: scalar([{ split_name: part }]) },
    doubts: part === 'first' ? [`${shown(longest)} is split at its last space`] : [],
  }));
};

const customName = ({ name: slug }: CustomField): string => `custom_fields.${slug}`;

const mustExist = (field: string): string[] =>
  /_external_ids?$/.test(field) ? ['import the records with these ids first'] : [];

/** The entries of a column: several if it also has the currency, or additional contacts. */
const columnEntries = (
  { object, columns, customFields }: InitSource,
  { field, column }: MatchedColumn,
  fields: readonly MatchedColumn[],
): FieldEntry[] => {
  const cells = columns.get(column) ?? [];
  if (field === fullName) return fullNameEntries(column, cells);
  if (object === 'opportunity' && field === 'name') return [nameEntry(columns, fields, column)];
  const type = customFields.find((custom) => customName(custom) === field)?.attribute_type;
  const { transform, doubts, notes, signs, several } = guessTransforms(object, field, cells, type);
  const keys = { column: scalar(column), ...(transform !== '' && { transform }) };
  if (several !== undefined && field.startsWith('primary_')) {
    const others = field.replace(/^primary(.*)$/, 'additional$1s');
    const { transform: split } = guessTransforms(object, others, cells);
    const doubt = `the first of ${shown(several)} becomes the primary contact, and the others additional ones`;
    return [
      { field, keys, doubts: [doubt], notes: mustExist(field) },
      { field: others, keys: { ...keys, transform: split } },
    ];
  }
  const isKey = requiredTargets(object).includes(field);
  const empty = `${cells.filter((text) => text.trim() === '').length} of ${cells.length} cells of ${scalar(column)} are empty`;
  // `Amount (T€)` or `Amount in thousands`.
  const unit = /[([](.*?)[)\]]|\b(in .*)$/i.exec(column)?.slice(1).join('') ?? '';
  const isScaled = unitsIn(unit).some((word) => likelyUnits.has(word)) || /thousand|million|tausend|tsd/i.test(unit);
  const more = [
    ...(isKey && isAlmostEmpty(cells) ? [empty] : []),
    ...(signs !== undefined && isScaled ? [`the name of the column has ${shown(unit)}`] : []),
  ];
  const takesCurrency = field === 'amount' && !fields.some((one) => one.field === 'currency');
  return [
    { field, keys, doubts: [...more, ...doubts], notes: [...notes, ...mustExist(field)] },
    ...(takesCurrency ? currencyEntry(column, cells, signs ?? new Map()) : []),
  ];
};

/** A placeholder for a required field. A name stands in for a domain, because an id is none. */
const missingEntry = (field: string, column: string): FieldEntry => ({
  field,
  keys: { column: scalar(column), ...(field === 'domain' && { transform: '[{ slug_domain: .com }]' }) },
  doubts: [
    `no matching column found; name one, or join several with template: '{A} {B}'`,
    ...(field === 'domain' ? ['this turns Acme into acme.com'] : []),
  ],
});

/** Guesses a mapping from the header and first rows of a file. Lines that the user must check are marked CHECK. */
export const guessMapping = (source: InitSource): InitMapping => {
  const { object, columns, customFields } = source;
  const custom = customFields.map((one) => [customName(one), [one.name, one.current_name].map(simplified).join(' ')]);
  const matched = matchColumns(object, columns, Object.fromEntries(custom) as Record<string, string>);
  const find = (...names: string[]): string | undefined => matched.find(({ field }) => names.includes(field))?.column;
  // A deal can name its account only by its domain. One with an external id exists already.
  const isLinked = find('account_external_id') !== undefined;
  const isNameless = isLinked || find('account_domain', 'primary_contact_email') === undefined;
  const company = isNameless ? find('account_name') : undefined;
  const fields = matched.filter(({ column }) => column !== company);
  const leftOut = [...columns.keys()].filter((name) => !fields.some(({ column }) => column === name));
  const missing = requiredTargets(object).filter((name) => find(name) === undefined);
  const other = [...columns.keys()].find((name) => name !== find('external_id')) ?? '';
  const named = find('name', 'account_name', fullName, 'last_name') ?? other;
  const entries = [
    ...missing.map((field) => missingEntry(field, named)),
    ...fields.flatMap((field) => columnEntries(source, field, fields)),
  ].map((one) =>
    requiredTargets(object).includes(one.field) ? { ...one, keys: { ...one.keys, empty: 'reject' } } : one,
  );
  const suggestions = leftOut.map((column) =>
    column === company && !isLinked
      ? `account_domain: { column: ${scalar(column)}, transform: [{ slug_domain: .com }] } # turns Acme into acme.com`
      : `custom_fields.${slugFromName(column) ?? 'field'}: { column: ${scalar(column)} }`,
  );
  const lines = [
    `# Guessed by crm import init from ${source.name}. Decide each line marked CHECK, and remove the mark.`,
    ...[`object: ${object}`, ...source.settings, 'fields:'],
    ...entries.flatMap(entryLines),
    ...(leftOut.length === 0
      ? []
      : ['  # Not imported. To import one, define the custom field (crm apply) and remove the #:']),
    ...suggestions.map((line) => `  # ${line}`),
  ];
  return { text: `${lines.join('\n')}\n`, fields, missing, leftOut };
};
