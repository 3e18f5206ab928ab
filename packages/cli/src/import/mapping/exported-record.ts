import { type AttributeType, fail, ok, type Result, slotKind } from '@crm/domain';

import { readOnlyColumns } from '../../export/columns.js';
import { findJsonFaults } from '../../json-faults.js';
import { buildBody, type ConvertedRow, type Entry, type Row } from './convert-row.js';
import type { SourceRow } from '../source/csv-rows.js';
import { emptyText } from '../source/record-reader.js';
import type { FindPipeline } from './pipelines.js';
import { findTarget, type ImportObject, type Target } from '../targets.js';

/** What the gateway knows about an exported file. */
export interface ExportedSetup {
  /** The types of custom fields, by slug. */
  readonly customTypes: ReadonlyMap<string, AttributeType>;
  /** Only for opportunities. */
  readonly pipelines: FindPipeline | undefined;
}

/**
 * Columns that an import ignores: read-only columns, those of a rejects file, and `opportunity_ids` of notes, which
 * mean nothing in another organization.
 */
const ignoredColumns = new Set([...readOnlyColumns, 'opportunity_ids', 'line', 'field', 'reason']);
const customPrefix = 'custom_fields.';

/**
 * The object whose export has these columns, or undefined if there is none. A file without columns is empty, so any
 * object will do.
 */
export const detectObject = (columns: readonly string[]): ImportObject | undefined => {
  if (columns.length === 0) return 'account';
  const has = (name: string): boolean => columns.includes(name);
  if (has('account_domains') || has('contact_emails')) return 'note';
  if (has('pipeline') && has('name')) return 'opportunity';
  if (has('email')) return 'contact';
  return has('domain') ? 'account' : undefined;
};

/** The columns that an export of the object does not have. */
export const unknownColumns = (object: ImportObject, columns: readonly string[]): readonly string[] =>
  columns.filter((name) => {
    if (ignoredColumns.has(name)) return false;
    if (name === 'pipeline') return object !== 'opportunity';
    return name === 'custom_fields' ? object === 'note' : findTarget(object, name) === undefined;
  });

/** Converts a row of `crm export` into the body of its create request. */
export const convertExported = (
  object: ImportObject,
  { customTypes, pipelines }: ExportedSetup,
  { record, row }: SourceRow,
): ConvertedRow => {
  const named = record === undefined ? row.get('pipeline') : record['pipeline'];
  const pipeline = pipelines?.(typeof named === 'string' && named !== '' ? named : undefined);
  const entries = record === undefined ? cellValues(object, customTypes, row) : entriesOf(record);
  return buildBody(object, pipeline, entries);
};

/** Values of a JSON line are used unchanged. */
const entriesOf = (record: Readonly<Record<string, unknown>>): readonly Entry[] =>
  Object.entries(record).flatMap(([name, value]): Entry[] => {
    if (ignoredColumns.has(name) || name === 'pipeline') return [];
    if (name !== 'custom_fields') return [[name, ok(value)]];
    if (value === null) return [];
    if (typeof value !== 'object') return [[name, fail('must be an object')]];
    return Object.entries(value).map(([slug, custom]) => [`${customPrefix}${slug}`, ok(custom as unknown)] as const);
  });

/** Cells of CSV are texts and are converted to the type of the field. */
const cellValues = (object: ImportObject, customTypes: ExportedSetup['customTypes'], row: Row): readonly Entry[] =>
  [...row].flatMap(([name, cell]): Entry[] => {
    if (ignoredColumns.has(name) || name === 'pipeline' || cell === '') return [];
    const slug = name.startsWith(customPrefix) ? name.slice(customPrefix.length) : undefined;
    const kind =
      slug === undefined ? kindsByTarget[findTarget(object, name)?.kind ?? 'text'] : customKind(customTypes.get(slug));
    return [[name, readCell(kind ?? 'text', cell === emptyText ? '' : cell)]];
  });

type CellKind = 'text' | 'json' | 'number';

const kindsByTarget: Partial<Record<Target['kind'], CellKind>> = { number: 'number', list: 'json' };

/** A timestamp is exported as an ISO date. */
const customKind = (type: AttributeType = 'string'): CellKind => {
  if (type === 'timestamp') return 'text';
  return type === 'checkbox' ? 'json' : (slotKind(type) ?? 'json');
};

const readCell = (kind: CellKind, cell: string): Result<unknown> => {
  if (kind === 'text') return ok(cell);
  try {
    const value: unknown = JSON.parse(cell);
    const [fault] = findJsonFaults(cell);
    if (fault !== undefined) return fail(`${fault.field} ${fault.reason}`.trim());
    if (kind === 'json' || typeof value === 'number') return ok(value);
  } catch {
    // Reported below.
  }
  return fail(`"${cell}" is not ${kind === 'number' ? 'a number such as 1234.50' : 'JSON'}`);
};
