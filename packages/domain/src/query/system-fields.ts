import type { ObjectType } from '../object-type.js';

/**
 * The kind of values of a system field, as read:
 * `text`, `email` and `domain` strings, `number`, `boolean`, `uuid` lower-case text, `epoch_ms` Unix milliseconds,
 * `timestamp` RFC 3339 text in UTC, `contact_list` the additional contacts of an opportunity.
 */
export type SystemFieldKind =
  'text' | 'email' | 'domain' | 'number' | 'boolean' | 'uuid' | 'epoch_ms' | 'timestamp' | 'contact_list';

/** A field that every organization has. The record's `custom_fields` is not one: it is the map of custom fields. */
export interface SystemField {
  /** The key in the record, in `fields`, in `sort` and in filters. */
  readonly name: string;
  readonly kind: SystemFieldKind;
  readonly nullable: boolean;
  /** Whether the field is in every record. The others are extras, present if `fields` names them. */
  readonly always: boolean;
  readonly sortable: boolean;
  readonly filterable: boolean;
}

const field = (name: string, kind: SystemFieldKind, nullable: boolean, always: boolean): SystemField => {
  const isScalar = kind !== 'contact_list';
  return { name, kind, nullable, always, sortable: isScalar, filterable: isScalar };
};

const base = (name: string, kind: SystemFieldKind): SystemField => field(name, kind, false, true);
const nullableBase = (name: string, kind: SystemFieldKind): SystemField => field(name, kind, true, true);
const extra = (name: string, kind: SystemFieldKind): SystemField => field(name, kind, false, false);
const nullableExtra = (name: string, kind: SystemFieldKind): SystemField => field(name, kind, true, false);

const history: readonly SystemField[] = [
  extra('created_at', 'timestamp'),
  extra('updated_at', 'timestamp'),
  extra('version', 'number'),
];

/** The system fields of each object: first those of every record, then the extras, in the order of the records. */
export const systemFields: Readonly<Record<ObjectType, readonly SystemField[]>> = {
  opportunity: [
    base('id', 'uuid'),
    nullableBase('name', 'text'),
    base('pipeline_id', 'uuid'),
    nullableBase('stage_id', 'uuid'),
    nullableBase('stage_name', 'text'),
    nullableBase('account_id', 'uuid'),
    nullableBase('contact_id', 'uuid'),
    base('additional_contacts', 'contact_list'),
    nullableExtra('external_id', 'text'),
    nullableExtra('amount', 'number'),
    nullableExtra('currency', 'text'),
    nullableExtra('close_date', 'epoch_ms'),
    nullableExtra('next_action_date', 'epoch_ms'),
    nullableExtra('next_step', 'text'),
    nullableExtra('owner_id', 'uuid'),
    nullableExtra('owner_email', 'email'),
    ...history,
    nullableExtra('account_domain', 'domain'),
    nullableExtra('account_name', 'text'),
    nullableExtra('contact_email', 'email'),
    nullableExtra('contact_first_name', 'text'),
    nullableExtra('contact_last_name', 'text'),
    nullableExtra('pipeline_name', 'text'),
  ],
  account: [
    base('id', 'uuid'),
    base('domain', 'domain'),
    nullableBase('name', 'text'),
    nullableExtra('external_id', 'text'),
    nullableExtra('industry', 'text'),
    nullableExtra('description', 'text'),
    nullableExtra('website', 'text'),
    nullableExtra('employee_range', 'text'),
    extra('is_freemail', 'boolean'),
    ...history,
  ],
  contact: [
    base('id', 'uuid'),
    nullableBase('name', 'text'),
    nullableBase('first_name', 'text'),
    nullableBase('last_name', 'text'),
    base('email', 'email'),
    nullableBase('account_id', 'uuid'),
    nullableExtra('external_id', 'text'),
    nullableExtra('job_title', 'text'),
    nullableExtra('phone', 'text'),
    ...history,
  ],
};

/** A field of a related record that filters can use. Its value is null if there is no related record. */
export type RelationName = 'account.domain' | 'account.name' | 'contact.email';

/** The type of each relation. */
export const relationKinds: Readonly<Record<RelationName, SystemFieldKind>> = {
  'account.domain': 'domain',
  'account.name': 'text',
  'contact.email': 'email',
};

/** The relations that filters of each object accept. `contact.email` is the primary contact's. */
export const relationNames: Readonly<Record<ObjectType, readonly RelationName[]>> = {
  opportunity: ['account.domain', 'account.name', 'contact.email'],
  account: [],
  contact: ['account.domain', 'account.name'],
};

const byName = (fields: readonly SystemField[]): ReadonlyMap<string, SystemField> =>
  new Map(fields.map((one) => [one.name, one]));

const fieldsByName: Readonly<Record<ObjectType, ReadonlyMap<string, SystemField>>> = {
  opportunity: byName(systemFields.opportunity),
  account: byName(systemFields.account),
  contact: byName(systemFields.contact),
};

/** The system field with exactly this name, or null. */
export const findSystemField = (objectType: ObjectType, name: string): SystemField | null =>
  fieldsByName[objectType].get(name) ?? null;

/** The relation with exactly this name that filters of this object accept, or null. */
export const findRelation = (objectType: ObjectType, name: string): RelationName | null =>
  relationNames[objectType].find((relation) => relation === name) ?? null;
