import {
  comparisonKey,
  comparisonKind,
  type ComparisonValue,
  type CustomFieldDefinition,
  type CustomValue,
  type FieldRef,
  normalizeForSearch,
  type ObjectType,
} from '@crm/domain';
import type { WireRecord } from '../support/subject.js';

/** A record with all its fields, and the texts by which it is found. */
export interface RecordModel {
  readonly id: string;
  readonly wire: WireRecord;
  /** Its account; null without one. */
  readonly account: { readonly wire: WireRecord } | null;
  readonly relations: Readonly<Record<string, string | null>>;
  /** The normalized texts that `q` searches. */
  readonly searched: readonly string[];
}

const searchedFields: Readonly<Record<ObjectType, readonly string[]>> = {
  account: ['name', 'domain'],
  contact: ['first_name', 'last_name', 'email'],
  opportunity: ['name', 'account_name', 'account_domain'],
};

const normalizeOrNull = (text: unknown): string | null => (typeof text === 'string' ? normalizeForSearch(text) : null);

/** Prepares records for the comparison with searches. */
export const modelsOf = (
  objectType: ObjectType,
  records: readonly WireRecord[],
  accounts: readonly WireRecord[],
): readonly RecordModel[] =>
  records.map((wire) => {
    const account = accounts.find(({ id }) => id === wire['account_id']);
    const relations = {
      'account.domain': (account?.['domain'] as string | undefined) ?? null,
      'account.name': normalizeOrNull(account?.['name']),
      'contact.email': (wire['contact_email'] as string | null | undefined) ?? null,
    };
    const searched = searchedFields[objectType].map((name) => normalizeOrNull(wire[name]));
    return {
      id: wire.id,
      wire,
      account: account === undefined ? null : { wire: account },
      relations,
      searched: searched.filter((text) => text !== null),
    };
  });

const partOf = (value: CustomValue, definition: CustomFieldDefinition, part: string): ComparisonValue => {
  const found = (value as unknown as Readonly<Record<string, string | number | null>>)[part] ?? null;
  return typeof found === 'string' && definition.attributeType === 'location' ? normalizeForSearch(found) : found;
};

const customValue = ({ wire }: RecordModel, definition: CustomFieldDefinition, part?: string): ComparisonValue => {
  const value = wire.custom_fields[definition.slug] as CustomValue | undefined;
  if (value === undefined) return null;
  if (part !== undefined) return partOf(value, definition, part);
  switch (comparisonKind(definition.attributeType)) {
    case 'text':
    case 'number':
      return comparisonKey(definition, value);
    case 'set':
      return value as readonly string[];
    default:
      // A date range or location as a whole can only be tested for presence.
      return 'present';
  }
};

/** The value of a record for a filter: of the contact, those of all contacts. */
export const filteredValueOf = (record: RecordModel, ref: FieldRef): ComparisonValue => {
  if (ref.source !== 'system' || !ref.field.isAnyLinked) return valueOf(record, ref);
  const additional = record.wire['additional_contacts'] as readonly { readonly contact_id: string }[];
  const primary = record.wire[ref.field.name] as string | null;
  return [...(primary === null ? [] : [primary]), ...additional.map(({ contact_id: id }) => id)];
};

/** The value of a record for a filter or sort. */
export const valueOf = (record: RecordModel, ref: FieldRef): ComparisonValue => {
  if (ref.source === 'custom') return customValue(record, ref.definition, ref.part);
  if (ref.source === 'relation') return record.relations[ref.name] ?? null;
  const value = record.wire[ref.field.name] as string | number | boolean | null | undefined;
  if (value === undefined) throw new Error(`The record has no ${ref.field.name}`);
  if (typeof value !== 'string') return value;
  if (ref.field.kind === 'timestamp') return Date.parse(value);
  return ref.field.kind === 'text' && ref.isExact !== true ? normalizeForSearch(value) : value;
};
