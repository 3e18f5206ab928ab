import type { AttributeType } from '../custom-field/attribute-types.js';
import type { ObjectType } from '../object-type.js';
import type { FieldDescription, SystemFieldKind } from '../objects/field.js';
import { objects } from '../objects/objects.js';
import { type ValueReader, valueReaders } from '../objects/value-readers.js';

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
  /** Whether a record has it only if `fields` names it, also where all other fields are shown. */
  readonly isOnRequest: boolean;
  /** How a whole sent text is read, as a write of it is; null if it is compared as sent. */
  readonly reader: ValueReader | null;
  /** Whether filters compare the additional contacts of an opportunity too. */
  readonly isAnyLinked: boolean;
  /** Whether whole values are compared exactly. */
  readonly isExact: boolean;
}

const toSystemField = (description: FieldDescription): SystemField => {
  const {
    name,
    kind,
    required,
    always,
    onRequest,
    write,
    readAs = null,
    exact: isExact = false,
    anyLinked,
  } = description;
  const isOnRequest = onRequest === true;
  const isCompared = !kind.endsWith('_list') && !isOnRequest;
  const uses = { sortable: isCompared, filterable: isCompared, isOnRequest };
  const reader = write !== undefined && write.as in valueReaders ? (write.as as ValueReader) : readAs;
  return {
    name,
    kind,
    nullable: required !== true,
    always: always === true,
    ...uses,
    reader,
    isExact,
    isAnyLinked: anyLinked === true,
  };
};

const fieldsOf = (objectType: ObjectType): readonly SystemField[] =>
  objects[objectType].fields.filter(({ isInput }) => isInput !== true).map(toSystemField);

/** The system fields of each object in the order of the records. */
export const systemFields: Readonly<Record<ObjectType, readonly SystemField[]>> = {
  opportunity: fieldsOf('opportunity'),
  account: fieldsOf('account'),
  contact: fieldsOf('contact'),
};

/** The attribute type that describes the values of each kind of system field. No custom field is a list of contacts or texts. */
export const systemAttributeTypes: Readonly<Record<SystemFieldKind, AttributeType | 'contact_list' | 'text_list'>> = {
  text: 'string',
  email: 'email',
  domain: 'website',
  number: 'number',
  boolean: 'checkbox',
  uuid: 'string',
  epoch_ms: 'timestamp',
  timestamp: 'datetime',
  contact_list: 'contact_list',
  text_list: 'text_list',
};

/** A field of a related record that filters can use. Its value is null if there is no related record. */
export type RelationName = 'account.domain' | 'account.name' | 'contact.email';

/** The type of each relation. */
export const relationKinds: Readonly<Record<RelationName, SystemFieldKind>> = {
  'account.domain': 'domain',
  'account.name': 'text',
  'contact.email': 'email',
};

/** How a whole sent text of a relation of the kind `text` is read. */
export const relationReader: ValueReader = 'name';

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
