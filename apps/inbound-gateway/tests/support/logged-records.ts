import type { Database } from '@crm/db';
import type { LoggedEvent } from '@crm/testing';

/** Columns that only serve queries and are not part of a record. */
const internal = `'{organization_id,normalized_name,normalized_title,normalized,search_text,record,account_key,account_domain,account_name_key,contact_email,
  contact_first_name_key,contact_last_name_key,text_1,text_2,text_3,text_4,text_5,text_6,text_7,text_8,
  number_1,number_2,number_3,number_4,number_5,number_6,number_7,number_8}'::text[]`;

const linked = (table: string, column: string, owner: string, order: string): string =>
  `(SELECT coalesce(jsonb_agg(l.${column} ORDER BY l.${order}), '[]') FROM ${table} l
     WHERE l.organization_id = r.organization_id AND l.${owner} = r.id)`;

/** The fields of a record that are not columns of its table. */
const computed: Readonly<Record<string, readonly [object: string, columns: string]>> = {
  accounts: ['account', ''],
  contacts: ['contact', `'name', nullif(concat_ws(' ', r.first_name, r.last_name), '')`],
  opportunities: [
    'opportunity',
    `'additional_contact_ids', ${linked('opportunity_contacts', 'contact_id', 'opportunity_id', 'position')}`,
  ],
  notes: [
    'note',
    `'account_ids', ${linked('note_accounts', 'account_id', 'note_id', 'account_id')},
     'contact_ids', ${linked('note_contacts', 'contact_id', 'note_id', 'contact_id')},
     'opportunity_ids', ${linked('note_opportunities', 'opportunity_id', 'note_id', 'opportunity_id')}`,
  ],
};

const recordsSql = Object.entries(computed)
  .map(
    ([table, [object, columns]]) =>
      `SELECT '${object} ' || r.id AS key, to_jsonb(r) - ${internal} || jsonb_build_object(${columns}) AS record
         FROM ${table} r WHERE r.organization_id = $1`,
  )
  .join(' UNION ALL ');

type Json = Record<string, unknown>;

const withInstants = (record: Json): Json =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) =>
      name.endsWith('_at') ? [name, new Date(String(value)).toISOString()] : [name, value],
    ),
  );

/** Every record of an organization in its tables, in the form of events, by `<object> <id>`. */
export const storedRecords = async (database: Database, organizationId: string): Promise<Map<string, Json>> => {
  const rows = await database.query<{ key: string; record: Json }>(organizationId, { text: recordsSql, values: [] });
  return new Map(rows.map(({ key, record }) => [key, withInstants(record)]));
};

/** One page of the log: the events of an organization after a position, in order. */
export const eventsAfter = (
  database: Database,
  organizationId: string,
  position: number,
  limit: number,
): Promise<LoggedEvent[]> =>
  database.query<LoggedEvent & Record<string, unknown>>(organizationId, {
    text: `SELECT e.position::float8 AS position, e.type, e.object, e.record_id, e.record, e.previous, e.changed, e.is_erased
             FROM events e WHERE e.organization_id = $1 AND e.position > $2 ORDER BY e.position LIMIT $3`,
    values: [position, limit],
  });
