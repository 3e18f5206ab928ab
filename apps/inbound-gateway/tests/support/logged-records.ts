import type { Database } from '@crm/db';
import type { LoggedEvent } from '@crm/testing';

/** Columns that only serve queries and are not part of a record. */
const internal = `'{organization_id,normalized_name,normalized_title,normalized,search_text,record,stage_entered_at,stage_api_key_id,closed_at,account_key,account_domain,account_name_key,contact_email,
  contact_first_name_key,contact_last_name_key,text_1,text_2,text_3,text_4,text_5,text_6,text_7,text_8,
  number_1,number_2,number_3,number_4,number_5,number_6,number_7,number_8,empty_slots}'::text[]`;

const linked = (table: string, column: string, owner: string, order: string): string =>
  `(SELECT coalesce(jsonb_agg(l.${column} ORDER BY l.${order}), '[]') FROM ${table} l
     WHERE l.organization_id = r.organization_id AND l.${owner} = r.id)`;

/** The fields of a record that are not columns of its table. */
const computed: Readonly<Record<string, readonly [object: string, columns: string]>> = {
  accounts: [
    'account',
    `'additional_domains', ${linked('account_aliases', 'domain', 'account_id', 'domain COLLATE "C"')}`,
  ],
  contacts: [
    'contact',
    `'name', nullif(concat_ws(' ', r.first_name, r.last_name), ''),
     'additional_emails', ${linked('contact_aliases', 'email', 'contact_id', 'email COLLATE "C"')}`,
  ],
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

const changedSql = Object.entries(computed)
  .map(
    ([table, [object]]) =>
      `SELECT '${object} ' || r.id AS key, r.version, r.updated_at::text AS updated_at FROM ${table} r
        WHERE r.organization_id = $1 AND r.updated_at >= $2::timestamptz - interval '5 seconds'`,
  )
  .join(' UNION ALL ');

/** The records that have changed since five seconds before an instant. */
export const changedSince = (
  database: Database,
  organizationId: string,
  since: string,
): Promise<{ key: string; version: number; updated_at: string }[]> =>
  database.query(organizationId, { text: `${changedSql} ORDER BY updated_at`, values: [since] });

/**
 * Compares `updated_at` and `occurred_at` with the order of the positions: how many events are earlier than an event before them, how
 * many records are later than their event or more than five seconds earlier than an event before it, and by how much at most.
 */
export const timesOfEvents = async (database: Database, organizationId: string) => {
  const text = `
    SELECT count(*) FILTER (WHERE occurred_at < last)::int AS "outOfOrder",
           count(*) FILTER (WHERE updated_at > occurred_at OR updated_at < last - interval '5 seconds')::int AS "outOfBounds",
           coalesce(max(extract(epoch FROM last - updated_at)) * 1000, 0)::int AS "longestMs"
      FROM (SELECT e.occurred_at, (e.record->>'updated_at')::timestamptz AS updated_at,
                   max(e.occurred_at) OVER (ORDER BY e.position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS last
              FROM events e WHERE e.organization_id = $1) t`;
  const [row] = await database.query<{ outOfOrder: number; outOfBounds: number; longestMs: number }>(organizationId, {
    text,
    values: [],
  });
  if (row === undefined) throw new Error('There is no row');
  return row;
};
