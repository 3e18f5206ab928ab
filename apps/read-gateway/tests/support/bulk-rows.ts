import type { AdministrationDatabase } from '@crm/db';
import type { ObjectType } from '@crm/domain';
import { subjects } from './subject.js';

const copiesInAStatement = 1_000;

/** The parameters of the copies. */
export interface Copies {
  readonly objectType: ObjectType;
  /** The record to copy. */
  readonly id: string;
  readonly count: number;
  /** SQL by column, with the copy's number `n` from 1 and the template `t`. Copies must differ in their natural key. */
  readonly columns: Readonly<Record<string, string>>;
  /** Few enough copies that the planner needs no new statistics. */
  readonly isSmall?: boolean;
}

/**
 * Copies one record many times, because thousands of creates would take longer than the test itself. The stored record of an
 * opportunity gets the copy's id and name. No two records share an external id, so copies have none.
 * @returns the ids of the copies, in order of their numbers
 */
export const copyRecord = async (
  database: AdministrationDatabase,
  organizationId: string,
  { objectType, id, count, columns, isSmall = false }: Copies,
): Promise<string[]> => {
  const table = subjects[objectType].collection;
  const record = `(t.record::jsonb || jsonb_build_object('id', s.id, 'name', ${columns['name'] ?? 't.name'}))::text`;
  const own = { external_id: 'NULL', ...columns };
  const changes = Object.entries(objectType === 'opportunity' ? { record, ...own } : own);
  const text = `WITH copies AS (
      INSERT INTO ${table} SELECT c.* FROM ${table} t,
        (SELECT n, gen_random_uuid() AS id FROM generate_series($3::int, $4::int) AS n OFFSET 0) s (n, id),
        LATERAL jsonb_populate_record(t, jsonb_build_object('id', s.id, ${changes.map(([name, sql]) => `'${name}', ${sql}`).join(', ')})) c
      WHERE t.organization_id = $1 AND t.id = $2 ORDER BY s.n RETURNING id)
    SELECT id FROM copies`;
  const ids: string[] = [];
  for (let start = 1; start <= count; start += copiesInAStatement) {
    const values = [id, start, Math.min(start + copiesInAStatement - 1, count)];
    const rows = await database.query<{ id: string }>(organizationId, { text, values });
    ids.push(...rows.map((row) => row.id));
  }
  // Without statistics the planner would plan as if the copies did not exist.
  if (!isSmall) await database.pool.query(`ANALYZE ${table}`);
  return ids;
};
