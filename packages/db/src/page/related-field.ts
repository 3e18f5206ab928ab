import type { FieldRef } from '@crm/domain';
import type { FieldSql } from './field-sql.js';

/** A text of a record's account or primary contact. */
export interface RelatedField {
  readonly table: 'accounts' | 'contacts';
  /** The record's column with the related record's id. */
  readonly key: 'account_id' | 'contact_id';
  /** The text, as a field of the related record `x`. */
  readonly field: FieldSql & { readonly isUnique: boolean };
}

/** Natural keys are unique and there whenever the related record is; other texts may be absent. */
const column = (name: string, isUnique: boolean): RelatedField['field'] => ({
  form: 'scalar',
  expression: `x.${name}`,
  type: 'text',
  key: isUnique ? `x.${name}` : `left(x.${name}, 200)`,
  isKeyCut: !isUnique,
  nullable: !isUnique,
  isIndexed: true,
  isUnique,
});

const accountDomain: RelatedField = { table: 'accounts', key: 'account_id', field: column('domain', true) };
const accountName: RelatedField = { table: 'accounts', key: 'account_id', field: column('name_fold', false) };
const contactEmail: RelatedField = { table: 'contacts', key: 'contact_id', field: column('email', true) };

const byName: Readonly<Record<string, RelatedField>> = {
  'account.domain': accountDomain,
  'account.name': accountName,
  'contact.email': contactEmail,
  account_domain: accountDomain,
  account_name: accountName,
  contact_email: contactEmail,
};

/** The related record's field that a reference means, or null when it means a field of the record's own. */
export const relatedField = (ref: FieldRef): RelatedField | null => {
  if (ref.source === 'custom') return null;
  return byName[ref.source === 'relation' ? ref.name : ref.field.name] ?? null;
};
