import { type AttributeType, fail, ok, type Result, slotKind } from '@crm/domain';

import { readOnlyColumns } from '../../export/columns.js';
import { findJsonFaults } from '../../json-faults.js';
import { type ConvertedRow, rejected, type Row, type RowProblem } from './convert-row.js';
import { emptyText, type SourceRow } from '../source/csv-rows.js';
import type { FindPipeline } from './pipelines.js';
import { collections, findTarget, placeValue, type ImportObject, type Target } from '../targets.js';

/** Data for reading an exported file that the file does not contain. */
export interface ExportedContext {
  readonly object: ImportObject;
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
  columns.filter(
    (name) => !ignoredColumns.has(name) && !isOwnColumn(object, name) && findTarget(object, name) === undefined,
  );

const isOwnColumn = (object: ImportObject, name: string): boolean =>
  name === (object === 'opportunity' ? 'pipeline' : 'custom_fields') || (name === 'custom_fields' && object !== 'note');

/** Converts a row of `crm export` into the body of its create request. */
export const convertExported = (context: ExportedContext, source: SourceRow): ConvertedRow => {
  const problems: RowProblem[] = [];
  const body: Record<string, unknown> = {};
  const stages = placePipeline(context, body, textOf(source.record ?? source.row, 'pipeline'), problems);
  for (const [name, value] of source.record === undefined
    ? cellValues(context, source.row)
    : entriesOf(source.record)) {
    if (!value.ok) problems.push({ field: name, reason: value.message });
    else if (value.value !== undefined && value.value !== null && name !== 'pipeline') {
      const target = findTarget(context.object, name);
      const placed = target?.kind === 'stage' ? stages(typeof value.value === 'string' ? value.value : '') : value;
      if (target === undefined)
        problems.push({ field: name, reason: `is not a field of ${collections[context.object]}` });
      else if (placed.ok) placeValue(body, target, placed.value);
      else problems.push({ field: name, reason: placed.message });
    }
  }
  return problems.length > 0 ? rejected(problems) : { kind: 'request', body };
};

const placePipeline = (
  { pipelines }: ExportedContext,
  body: Record<string, unknown>,
  named: string | undefined,
  problems: RowProblem[],
): ((label: string) => Result<string>) => {
  const pipeline = pipelines?.(named);
  if (pipeline === undefined) return () => fail('has no pipeline');
  if (!pipeline.ok) {
    problems.push({ field: 'pipeline', reason: pipeline.message });
    // Accepts any stage, so that the missing pipeline is the only problem reported.
    return ok;
  }
  body['pipeline_id'] = pipeline.value.id;
  return pipeline.value.stageId;
};

const textOf = (row: Row | Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = row instanceof Map ? (row as Row).get(name) : (row as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

type Entry = readonly [name: string, value: Result<unknown>];

/** Values of a JSON line are used unchanged. */
const entriesOf = (record: Readonly<Record<string, unknown>>): readonly Entry[] =>
  Object.entries(record).flatMap(([name, value]): Entry[] => {
    if (ignoredColumns.has(name)) return [];
    if (name !== 'custom_fields') return [[name, ok(value)]];
    if (value === null) return [];
    if (typeof value !== 'object') return [[name, fail('must be an object')]];
    return Object.entries(value).map(([slug, custom]) => [`${customPrefix}${slug}`, ok(custom as unknown)] as const);
  });

/** Cells of CSV are texts and are converted to the type of the field. */
const cellValues = (context: ExportedContext, row: Row): readonly Entry[] =>
  [...row].flatMap(([name, cell]): Entry[] => {
    if (ignoredColumns.has(name) || cell === '') return [];
    return [[name, readCell(cellKind(context, name), cell === emptyText ? '' : cell)]];
  });

type CellKind = 'text' | 'json' | 'number';

const kindsByTarget: Partial<Record<Target['kind'], CellKind>> = { number: 'number', list: 'json' };

const cellKind = ({ object, customTypes }: ExportedContext, name: string): CellKind => {
  if (name.startsWith(customPrefix)) {
    const type = customTypes.get(name.slice(customPrefix.length)) ?? 'string';
    // A timestamp is exported as an ISO date.
    if (type === 'timestamp') return 'text';
    return type === 'checkbox' ? 'json' : (slotKind(type) ?? 'json');
  }
  return kindsByTarget[findTarget(object, name)?.kind ?? 'text'] ?? 'text';
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
