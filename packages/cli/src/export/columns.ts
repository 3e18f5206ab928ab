import type { Account, Contact, Note, Opportunity } from '@crm/client';

import { type ExportObject, findTarget, importObjectOf, systemTargetNames } from '../import/targets.js';

/** A record as the read gateway returns it. */
export type ExportRecord = Account | Contact | Note | Opportunity;

/** A system column: its name in the file, which `crm import` reads too, and its field in the read gateway. */
export interface SystemColumn {
  readonly name: string;
  readonly field: string;
  /** Identifies a record, so `--fields` cannot leave it out. */
  readonly isKey: boolean;
  /** A date in Unix milliseconds, which files have as a text. */
  readonly isInstant: boolean;
}

/** Columns that only the gateways set. Exports contain them for information; imports ignore them. */
export const readOnlyColumns: readonly string[] = ['id', 'created_at', 'updated_at', 'version'];

/** The fields of the read gateway that have other names than their columns. */
const fieldNames: Readonly<Record<string, string>> = {
  pipeline: 'pipeline_name',
  stage: 'stage_name',
  primary_contact_email: 'contact_email',
  additional_contact_emails: 'additional_contacts',
};

const keyColumns: Readonly<Record<ExportObject, readonly string[]>> = {
  opportunities: ['id', 'pipeline', 'name', 'account_domain', 'primary_contact_email'],
  accounts: ['id', 'domain'],
  contacts: ['id', 'email'],
  notes: ['id'],
};

/** The system columns of an object, in file order: those that an import reads, between those that it ignores. */
export const systemColumns = (object: ExportObject): readonly SystemColumn[] => {
  const names = [
    ...(object === 'opportunities' ? ['id', 'pipeline'] : object === 'notes' ? [] : ['id']),
    ...systemTargetNames(importObjectOf(object)),
    ...(object === 'notes' ? ['created_at'] : ['created_at', 'updated_at', 'version']),
  ];
  return names.map((name) => ({
    name,
    field: fieldNames[name] ?? name,
    isKey: keyColumns[object].includes(name),
    isInstant: findTarget(importObjectOf(object), name)?.kind === 'instant',
  }));
};

/** The columns of a file. */
export interface ExportColumns {
  readonly system: readonly SystemColumn[];
  /** Slugs of custom fields; a file of JSON lines has them under `custom_fields`. */
  readonly custom: readonly string[];
}

/** The names of all columns in a CSV file. */
export const columnNames = ({ system, custom }: ExportColumns): string[] => [
  ...system.map(({ name }) => name),
  ...custom.map((slug) => `custom_fields.${slug}`),
];

/** An instant as a text that imports read: `2026-11-26` for the start of a day in UTC, or `2026-11-26T09:30:00.000Z`. */
const instantText = (ms: number): string => new Date(ms).toISOString().replace('T00:00:00.000Z', '');

/** The value of a system column. Additional contacts are written as their emails. */
export const systemValue = ({ field, isInstant }: SystemColumn, record: ExportRecord): unknown => {
  if (field === 'additional_contacts' && 'additional_contacts' in record) {
    return record.additional_contacts.map(({ contact_email: email }) => email);
  }
  const value = (record as unknown as Readonly<Record<string, unknown>>)[field] ?? null;
  return isInstant && typeof value === 'number' ? instantText(value) : value;
};

/**
 * Keeps the columns that `--fields` names, and the key columns.
 *
 * @returns the unknown names instead, if there are any.
 */
export const narrowColumns = (all: ExportColumns, names: readonly string[]): ExportColumns | readonly string[] => {
  const wanted = new Set(names);
  const known = new Set([...columnNames(all), 'custom_fields']);
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) return unknown;
  return {
    system: all.system.filter(({ name, isKey }) => isKey || wanted.has(name)),
    custom: all.custom.filter((slug) => wanted.has('custom_fields') || wanted.has(`custom_fields.${slug}`)),
  };
};
