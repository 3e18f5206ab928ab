import { type ObjectType, type RelationName, type SystemField } from '@crm/domain';
import type { SqlScope } from '../parameters.js';
import { type ComparisonType, type FieldSql, first200, lazyText, related, scalar, text } from './field-sql.js';
import { labelField, labelSql } from './label-field.js';

const column = (name: string): FieldSql => scalar(`r.${name}`, 'text', true, { isIndexed: true });

/** A text whose sort key is a separate, indexed column. */
const keyedText = (expression: string, keyColumn: string): FieldSql => lazyText(() => expression, keyColumn);

/** Texts of an opportunity's account and primary contact. The opportunity has copies of their sort keys. */
const relatedTexts: Readonly<Record<string, FieldSql>> = {
  account_domain: column('account_domain'),
  account_name: keyedText(related('accounts', 'normalized_name', 'account_id'), 'account_name_key'),
  contact_email: column('contact_email'),
  contact_first_name: keyedText(
    related('contacts', `normalized->>'first_name'`, 'contact_id'),
    'contact_first_name_key',
  ),
  contact_last_name: keyedText(related('contacts', `normalized->>'last_name'`, 'contact_id'), 'contact_last_name_key'),
};

/** The equivalent system field of an opportunity for each relation. */
const relationFields: Readonly<Record<RelationName, string>> = {
  'account.domain': 'account_domain',
  'account.name': 'account_name',
  'contact.email': 'contact_email',
};

const contactRelations: Readonly<Partial<Record<RelationName, FieldSql>>> = {
  'account.domain': text(related('accounts', 'domain', 'account_id')),
  'account.name': text(related('accounts', 'normalized_name', 'account_id')),
};

/** System fields that no index has directly after organization and pipeline. */
const unindexed: ReadonlySet<string> = new Set([
  'id',
  'pipeline_id',
  'currency',
  'next_step',
  'description',
  'version',
]);

const columnTypes: Readonly<Record<SystemField['kind'], ComparisonType>> = {
  text: 'text',
  email: 'text',
  domain: 'text',
  number: 'numeric',
  boolean: 'boolean',
  uuid: 'uuid',
  epoch_ms: 'bigint',
  timestamp: 'timestamptz',
  contact_list: 'text',
};

/** SQL for a system field of the record `r`. */
export const systemField = ({ setup, objectType, parameters }: SqlScope, field: SystemField): FieldSql => {
  const { name } = field;
  if (objectType === 'opportunity') {
    const byLabel = labelField(setup, { source: 'system', field });
    // An organization can have many members, so their emails are read from the table instead of being bound.
    if (byLabel !== null)
      return byLabel.column === 'owner_id'
        ? text(related('members', 'email', 'owner_id'))
        : labelSql(byLabel, parameters);
    const relatedText = relatedTexts[name];
    if (relatedText !== undefined) return relatedText;
  }
  // Only opportunities always have a name.
  if (name === 'name') {
    const key = first200('r.normalized_name');
    return scalar('r.normalized_name', 'text', objectType !== 'opportunity', { key, isIndexed: true });
  }
  const isIndexed = !unindexed.has(name);
  if (field.kind === 'text') return text(`r.normalized->>'${name}'`, isIndexed);
  return scalar(`r.${name}`, columnTypes[field.kind], field.nullable, { isIndexed });
};

/** SQL for a field of the record's account or primary contact. */
export const relationField = (objectType: ObjectType, name: RelationName): FieldSql => {
  const field = objectType === 'opportunity' ? relatedTexts[relationFields[name]] : contactRelations[name];
  if (field === undefined) throw new Error(`No ${objectType} has ${name}`);
  return field;
};
