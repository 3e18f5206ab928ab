import type { FilterLeaf, ObjectType, Operator } from '@crm/domain';
import type { FieldSql } from './field-sql.js';

/** A text field of a record's account or primary contact. */
export interface RelatedField {
  readonly table: 'accounts' | 'contacts';
  /** The record's column with the id of the related record. */
  readonly key: 'account_id' | 'contact_id';
  /** The text, as a field of the related record `x`. */
  readonly field: FieldSql & { readonly isUnique: boolean };
}

/** A natural key is unique and never null. Other texts may be null. */
const text = (expression: string, isUnique: boolean): RelatedField['field'] => ({
  form: 'scalar',
  expression,
  type: 'text',
  key: isUnique ? expression : `left(${expression}, 200)`,
  isKeyCut: !isUnique,
  nullable: !isUnique,
  isIndexed: true,
  isUnique,
});

const accountDomain: RelatedField = { table: 'accounts', key: 'account_id', field: text('x.domain', true) };
const accountName: RelatedField = { table: 'accounts', key: 'account_id', field: text('x.normalized_name', false) };
const contactEmail: RelatedField = { table: 'contacts', key: 'contact_id', field: text('x.email', true) };

const contactName = (name: 'first_name' | 'last_name'): RelatedField => ({
  table: 'contacts',
  key: 'contact_id',
  field: text(`(x.normalized->>'${name}') COLLATE "C"`, false),
});

const byName: Readonly<Record<string, RelatedField>> = {
  'account.domain': accountDomain,
  'account.name': accountName,
  'contact.email': contactEmail,
  account_domain: accountDomain,
  account_name: accountName,
  contact_email: contactEmail,
  contact_first_name: contactName('first_name'),
  contact_last_name: contactName('last_name'),
};

/** Operators on a part of a text. The trigram index of the related table serves them, because that table has fewer records. */
const pieceOperators: ReadonlySet<Operator> = new Set<Operator>([
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
]);

/**
 * The field of the related record that a comparison must look up. Returns null if the record's own columns are enough: an opportunity
 * has indexed copies of these texts of its account and primary contact. They serve comparisons with whole values.
 */
export const relatedField = (objectType: ObjectType, { field: ref, operator }: FilterLeaf): RelatedField | null => {
  if (ref.source === 'custom' || (objectType === 'opportunity' && !pieceOperators.has(operator))) return null;
  return byName[ref.source === 'relation' ? ref.name : ref.field.name] ?? null;
};
