import type { Account, Contact, Note, Opportunity } from '@crm/client';

/** The objects that `crm export` writes, named as in API paths. */
export const exportObjects = ['opportunities', 'accounts', 'contacts', 'notes'] as const;

/** One of {@link exportObjects}. */
export type ExportObject = (typeof exportObjects)[number];

/** A record as the read gateway returns it. */
export type ExportRecord = Account | Contact | Note | Opportunity;

/** A system column: its name in the file, which `crm import` reads too, and its field in the read gateway. */
export interface SystemColumn {
  readonly name: string;
  readonly field: string;
  /** Identifies a record, so `--fields` cannot leave it out. */
  readonly isKey: boolean;
}

const column = (name: string, field = name): SystemColumn => ({ name, field, isKey: false });
const key = (name: string, field = name): SystemColumn => ({ name, field, isKey: true });

/** Columns that only the gateways set. Exports contain them for information; imports ignore them. */
export const readOnlyColumns: readonly string[] = ['id', 'created_at', 'updated_at', 'version'];

const columnsByObject: Readonly<Record<ExportObject, readonly SystemColumn[]>> = {
  opportunities: [
    key('id'),
    key('pipeline', 'pipeline_name'),
    key('name'),
    column('external_id'),
    column('stage', 'stage_name'),
    column('amount'),
    column('currency'),
    column('close_date'),
    column('next_action_date'),
    column('next_step'),
    key('account_domain'),
    key('primary_contact_email', 'contact_email'),
    column('additional_contact_emails', 'additional_contacts'),
    column('owner_email'),
    column('created_at'),
    column('updated_at'),
    column('version'),
  ],
  accounts: [
    key('id'),
    key('domain'),
    ...['external_id', 'name', 'industry', 'description', 'website', 'employee_range'].map((name) => column(name)),
    ...['created_at', 'updated_at', 'version'].map((name) => column(name)),
  ],
  contacts: [
    key('id'),
    key('email'),
    ...['external_id', 'first_name', 'last_name', 'job_title', 'phone'].map((name) => column(name)),
    ...['created_at', 'updated_at', 'version'].map((name) => column(name)),
  ],
  notes: [
    key('id'),
    ...['title', 'content', 'account_domains', 'contact_emails', 'opportunity_ids', 'created_at'].map((name) =>
      column(name),
    ),
  ],
};

/** The system columns of an object, in file order. */
export const systemColumns = (object: ExportObject): readonly SystemColumn[] => columnsByObject[object];

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

/** The value of a system column. Additional contacts are written as their emails. */
export const systemValue = ({ field }: SystemColumn, record: ExportRecord): unknown => {
  if (field === 'additional_contacts' && 'additional_contacts' in record) {
    return record.additional_contacts.map(({ contact_email: email }) => email);
  }
  return (record as unknown as Readonly<Record<string, unknown>>)[field] ?? null;
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
