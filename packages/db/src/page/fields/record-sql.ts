import { type FieldSelection, type ObjectType, type SystemField, systemFields } from '@crm/domain';
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
    pipeline_name: related('pipelines', 'name', 'pipeline_id'),
    account_name: related('accounts', 'name', 'account_id'),
    contact_first_name: related('contacts', 'first_name', 'contact_id'),
    contact_last_name: related('contacts', 'last_name', 'contact_id'),
  },
  account: {},
  contact: { name: `nullif(concat_ws(' ', r.first_name, r.last_name), '')` },
};

/** A system field as a pair of a JSON object, as SQL text over the record `r`. */
const pairSql = (objectType: ObjectType, { name, kind, nullable }: SystemField): string => {
  const value = computed[objectType][name] ?? `r.${name}`;
  const json = kind === 'timestamp' ? `'"' || ${utc(value)} || '"'` : `to_json(${value})::text`;
  return `'"${name}":' || ${nullable ? `coalesce(${json}, 'null')` : json}`;
};

/** The custom values of a selection, as a pair of a JSON object. */
const customSql = ({ custom }: FieldSelection, parameters: Parameters): string =>
  custom.length === 0
    ? `'"custom_fields":{}'`
    : `'"custom_fields":' || (SELECT coalesce(jsonb_object_agg(v.key, v.value), '{}') FROM jsonb_each(r.custom_fields) v
         WHERE v.key = ANY (${parameters.add(custom.map(({ slug }) => slug))}::text[]))`;

const alwaysOf = (objectType: ObjectType): readonly SystemField[] =>
  systemFields[objectType].filter(({ always }) => always);

/**
 * One record as JSON text, concatenated from texts: jsonb, which is parsed, sorted and printed, takes twice as long.
 *
 * The column `r.record` stores the text of an opportunity in its default selection, `{…,"custom_fields":{…}}`. Other selections start from
 * that text, too, because it has `additional_contacts`. No value inside it can contain `"custom_fields":`, because its quotes are escaped.
 */
export const recordSql = (objectType: ObjectType, selection: FieldSelection, parameters: Parameters): string => {
  const extras = selection.extras.map((field) => pairSql(objectType, field));
  const object = (pairs: readonly string[]): string => `'{' || ${pairs.join(` || ',' || `)} || '}'`;
  if (objectType !== 'opportunity')
    return object([
      ...alwaysOf(objectType).map((field) => pairSql(objectType, field)),
      customSql(selection, parameters),
      ...extras,
    ]);
  if (selection.isAllVisible)
    return extras.length === 0 ? 'r.record' : `left(r.record, -1) || ',' || ${extras.join(` || ',' || `)} || '}'`;
  const base = `left(r.record, strpos(r.record, '"custom_fields":') - 1)`;
  return `${base} || ${[customSql(selection, parameters), ...extras].join(` || ',' || `)} || '}'`;
};
