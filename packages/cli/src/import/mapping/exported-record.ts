import {
  accountDomainOfEmail,
  type AttributeType,
  fail,
  isFreeMail,
  normalizeEmail,
  ok,
  type Result,
  slotKind,
} from '@crm/domain';

import { readOnlyColumns } from '../../export/columns.js';
import { findJsonFaults } from '../../json-faults.js';
import { buildBody, type ConvertedRow, type Entry, type Row, type RowProblem } from './convert-row.js';
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
  /** The ids of imported opportunities by their ids in the export. Only in a copy of a whole organization, for its notes. */
  readonly opportunityIds?: ReadonlyMap<string, string>;
}

/** Columns that an import ignores: read-only columns and those of a rejects file. */
const ignoredColumns = new Set([...readOnlyColumns, 'line', 'field', 'reason']);
const isIgnored = (object: ImportObject, name: string): boolean =>
  ignoredColumns.has(name) && !(object === 'note' && name === 'id');
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
  { customTypes, pipelines, opportunityIds }: ExportedSetup,
  source: SourceRow,
): ConvertedRow => {
  const { record, row } = source;
  const named = record === undefined ? row.get('pipeline') : record['pipeline'];
  const pipeline = pipelines?.(typeof named === 'string' && named !== '' ? named : undefined);
  const read = record === undefined ? cellValues(object, customTypes, row) : entriesOf(object, record);
  const { entries, warnings } = object === 'note' ? linkNote(read, opportunityIds) : { entries: read, warnings: [] };
  const id = exportedId(source);
  const added = id === undefined ? [] : filledIn(object, entries, opportunityIds !== undefined);
  const built = buildBody(object, pipeline, entries);
  const isUnknownNote = object === 'note' && opportunityIds !== undefined && id === undefined;
  return {
    ...built,
    problems: [...built.problems, ...(isUnknownNote ? [noteWithoutId] : [])],
    warnings: [...warnings, ...added],
  };
};

/** The id of a row of an export; undefined for a row that was added to the file. */
export const exportedId = ({ record, row }: Pick<SourceRow, 'record' | 'row'>): string | undefined => {
  const id = record === undefined ? row.get('id') : record['id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
};

const noteWithoutId = { field: 'id', reason: 'is required: without it, a second run would create the note again' };

const isEmptyList = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;

/**
 * Replaces the ids of a note's opportunities by those of the imported ones. Without these, ids are sent only if the note
 * has no other records: then they must be those of this organization.
 */
const linkNote = (
  entries: readonly Entry[],
  opportunityIds: ExportedSetup['opportunityIds'],
): { readonly entries: readonly Entry[]; readonly warnings: readonly RowProblem[] } => {
  const valueOf = (name: string): unknown => {
    const value = entries.find((entry) => entry[0] === name)?.[1];
    return value?.ok === true ? value.value : undefined;
  };
  const ids = valueOf('opportunity_ids');
  if (!Array.isArray(ids) || ids.length === 0) return { entries, warnings: [] };
  const others = entries.filter(([name]) => name !== 'opportunity_ids');
  if (opportunityIds !== undefined) {
    const unknown = (ids as readonly unknown[]).find((id) => !opportunityIds.has(String(id)));
    const linked = (ids as readonly unknown[]).map((id) => opportunityIds.get(String(id)));
    const value =
      unknown === undefined ? ok(linked) : fail(`${JSON.stringify(unknown)} is no id in the file of opportunities`);
    return { entries: [...others, ['opportunity_ids', value]], warnings: [] };
  }
  if (isEmptyList(valueOf('account_domains')) && isEmptyList(valueOf('contact_emails')))
    return { entries, warnings: [] };
  const reason = 'are not used, because the ids are those of the other organization: crm import-all links them';
  return { entries: others, warnings: [{ field: 'opportunity_ids', reason }] };
};

/** What a create fills in where an exported record has nothing. In a copy, `clearFilledIn` clears what it can. */
const filledIn = (object: ImportObject, entries: readonly Entry[], isCopy: boolean): readonly RowProblem[] => {
  const textOf = (name: string): string => {
    const value = entries.find((entry) => entry[0] === name)?.[1];
    return value?.ok === true && typeof value.value === 'string' ? value.value : '';
  };
  const emptyText = (field: string, gets: string): readonly RowProblem[] =>
    textOf(field) === '' ? [{ field, reason: `is empty: ${gets}` }] : [];
  if (object === 'note') return [];
  if (object === 'account') return isCopy ? [] : emptyText('name', 'a new account is named after its domain');
  const email = normalizeEmail(textOf(object === 'contact' ? 'email' : 'primary_contact_email'));
  const isLinked = email.ok && !isFreeMail(accountDomainOfEmail(email.value.email));
  const [whose, created] = [
    'a new contact gets the account of its email',
    'the account of its email is created if it is missing',
  ];
  if (object === 'contact') return isLinked ? emptyText('account_domain', isCopy ? created : whose) : [];
  return [
    ...(isLinked ? emptyText('account_domain', 'a new opportunity gets the account of its primary contact') : []),
    ...(isCopy ? [] : emptyText('stage', 'a new opportunity gets the stage in which new ones start')),
  ];
};

/** Values of a JSON line are used unchanged. */
const entriesOf = (object: ImportObject, record: Readonly<Record<string, unknown>>): readonly Entry[] =>
  Object.entries(record).flatMap(([name, value]): Entry[] => {
    if (isIgnored(object, name) || name === 'pipeline') return [];
    if (name !== 'custom_fields') return [[name, ok(value)]];
    if (value === null) return [];
    if (typeof value !== 'object') return [[name, fail('must be an object')]];
    return Object.entries(value).map(([slug, custom]) => [`${customPrefix}${slug}`, ok(custom as unknown)] as const);
  });

/** Cells of CSV are texts and are converted to the type of the field. */
const cellValues = (object: ImportObject, customTypes: ExportedSetup['customTypes'], row: Row): readonly Entry[] =>
  [...row].flatMap(([name, cell]): Entry[] => {
    if (isIgnored(object, name) || name === 'pipeline' || cell === '') return [];
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
