import type { FieldSelection, ObjectType, SystemField } from '@crm/domain';
import type { Parameters } from '../parameters.js';
import { related } from './field-sql.js';

/** The table of each object. Every statement in this folder calls it `r`. */
export const tables: Readonly<Record<ObjectType, string>> = {
  opportunity: 'opportunities',
  account: 'accounts',
  contact: 'contacts',
};

const utc = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Computed system fields. All others are columns of the same name. */
const computed: Readonly<Record<ObjectType, Readonly<Record<string, string>>>> = {
  opportunity: {
    amount: 'trim_scale(r.amount)',
    owner_email: related('members', 'email', 'owner_id'),
    stage_name: related('stages', 'label', 'stage_id'),
    pipeline_name: related('pipelines', 'name', 'pipeline_id'),
    account_name: related('accounts', 'name', 'account_id'),
    contact_first_name: related('contacts', 'first_name', 'contact_id'),
    contact_last_name: related('contacts', 'last_name', 'contact_id'),
  },
  account: {},
  contact: { name: `nullif(concat_ws(' ', r.first_name, r.last_name), '')` },
};

/** The output value of a system field as an SQL expression over the record `r`. */
const systemFieldSql = (objectType: ObjectType, field: SystemField): string =>
  computed[objectType][field.name] ?? (field.kind === 'timestamp' ? utc(`r.${field.name}`) : `r.${field.name}`);

const baseRecords: Readonly<Record<ObjectType, string>> = {
  opportunity: `(r.record::jsonb - 'custom_fields')`,
  account: `jsonb_build_object('id', r.id, 'domain', r.domain, 'name', r.name)`,
  contact: `jsonb_build_object('id', r.id, 'name', ${computed.contact['name'] ?? ''}, 'first_name', r.first_name,
    'last_name', r.last_name, 'email', r.email, 'account_id', r.account_id)`,
};

/** The custom values of a selection, as jsonb. */
const customFieldsSql = (selection: FieldSelection, parameters: Parameters): string =>
  selection.custom.length === 0
    ? `'{}'::jsonb`
    : `(SELECT coalesce(jsonb_object_agg(v.key, v.value), '{}') FROM jsonb_each(r.custom_fields) v
         WHERE v.key = ANY (${parameters.add(selection.custom.map(({ slug }) => slug))}::text[]))`;

/**
 * One record as JSON text. The column `r.record` stores the text of an opportunity in its default selection. Other selections of an
 * opportunity start from that column too, because it has `additional_contacts`.
 */
export const recordSql = (objectType: ObjectType, selection: FieldSelection, parameters: Parameters): string => {
  if (objectType === 'opportunity' && selection.isDefault) return 'r.record';
  const extras = selection.extras.map((field) => `'${field.name}', ${systemFieldSql(objectType, field)}`).join(', ');
  const custom = customFieldsSql(selection, parameters);
  return `(${baseRecords[objectType]} || jsonb_build_object('custom_fields', ${custom}${extras === '' ? '' : `, ${extras}`}))::text`;
};
