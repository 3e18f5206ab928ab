import { expect } from '@jest/globals';
import { expectFoldedSummary } from './folded-stage-summary.js';
import { foldedVisits, storedVisits } from './folded-visits.js';
import type { TestGateway } from './gateway.js';

/** In a distributed database a row of a shard has a type of its own, which no function takes. This gives it the type of its table. */
const typed = (table: string): string => `jsonb_populate_record(NULL::${table}, to_jsonb(r))`;
const wrongSlots = (table: string): string => `r.empty_slots <> empty_slots_of(${typed(table)})`;

/** Values that a table stores twice. Each SQL condition finds rows in which the copies differ. */
const faults: Readonly<Record<string, string>> = {
  accounts: `r.search_text <> concat_ws(' ', r.normalized_name, r.domain) OR (r.name IS NULL) <> (r.normalized_name IS NULL)
    OR ${wrongSlots('accounts')}`,
  contacts: `r.search_text <> concat_ws(' ', r.normalized_name, r.email)
    OR r.normalized_name IS DISTINCT FROM nullif(concat_ws(' ', r.normalized->>'first_name', r.normalized->>'last_name'), '')
    OR (r.first_name IS NULL) <> (r.normalized->>'first_name' IS NULL) OR (r.last_name IS NULL) <> (r.normalized->>'last_name' IS NULL)
    OR ${wrongSlots('contacts')}`,
  notes: `(r.title IS NULL) <> (r.normalized_title IS NULL) OR r.search_text <> note_search_text(r.normalized_title, normalized_note_content(${typed('notes')}))
    OR r.search_text !~ '[^ ]'`,
};

const opportunityFault = `(r.record <> opportunity_record(r, additional_contact_ids(r.organization_id, r.id))
  OR r IS DISTINCT FROM copy_related_texts(r) OR r.empty_slots <> empty_slots_of(r)
  OR r IS DISTINCT FROM opportunity_in_stage(r, stage_outcome(r.organization_id, r.stage_id), r.stage_entered_at)
  OR r.contact_id = ANY (additional_contact_ids(r.organization_id, r.id))
  OR (r.account_id IS NOT NULL AND r.account_key <> r.account_id::text))`;

/** Rows per statement, few enough for the statement's time limit on a busy machine. */
const opportunitiesAtOnce = 250;

/** Checks every row of the organization against its other copies, in the same row and in other tables. */
export const expectConsistent = async (gateway: TestGateway): Promise<void> => {
  const { database, organization } = gateway;
  for (const [table, fault] of Object.entries(faults)) {
    const text = `SELECT r.* FROM ${table} r WHERE r.organization_id = $1 AND (${fault})`;
    const wrong = await database.pool.query(text, [organization.id]);
    expect(wrong.rows).toEqual([]);
  }
  // This function returns rows of the table's type, also in a distributed database.
  const idsText = 'SELECT r.id FROM opportunities r WHERE r.organization_id = $1';
  const ids = (await database.pool.query<{ id: string }>(idsText, [organization.id])).rows.map(({ id }) => id);
  const text = `SELECT r.id FROM opportunities_of_ids($1, $2) r WHERE ${opportunityFault}`;
  for (let first = 0; first < ids.length; first += opportunitiesAtOnce) {
    const some = ids.slice(first, first + opportunitiesAtOnce);
    expect((await database.pool.query(text, [organization.id, some])).rows).toEqual([]);
  }
  // Some tests insert rows without events.
  const folded = await foldedVisits(database, organization.id);
  const all = [...(await storedVisits(database, organization.id))];
  const stored = all.filter(([id]) => folded.has(id));
  expect(stored).toEqual(stored.map(([id]) => [id, folded.get(id)]));
  if (stored.length === all.length) await expectFoldedSummary(gateway, new Map(stored));
};
