import type { AdministrationDatabase } from '@crm/db';
import type { ObjectType } from '@crm/domain';
import { copyRecord } from '../support/bulk-rows.js';
import { subjects } from '../support/subject.js';

/**
 * The columns in which a copy differs from its template. All others repeat, so that records tie in every sort. Searches
 * for words find no copy.
 */
const keyColumns: Readonly<Record<ObjectType, (prefix: string) => Readonly<Record<string, string>>>> = {
  opportunity: (prefix) => ({ name: `'${prefix} ' || n` }),
  account: (prefix) => ({ domain: `'${prefix}-' || n || '.example'` }),
  contact: (prefix) => ({ email: `'${prefix}-' || n || '@crowd.example'` }),
};

/** Every third record has the same creation time, as after an import. Each of the others has its own. */
const createdAt = `CASE WHEN n % 3 = 0 THEN timestamptz '2026-03-03T03:03:03.003Z'
  ELSE timestamptz '2026-01-01T00:00Z' + (n * 7919 % 10007) * interval '1 minute' END`;

/** Many records of one object, copied from a few templates. Some stay unchanged while others change. */
export interface Crowd {
  readonly still: ReadonlySet<string>;
  /** Gives a few of the moving records the values of templates, and adds and deletes some. */
  stir(): Promise<void>;
}

/**
 * Columns with the values of a record, without those that identify it. The stage is left out because it belongs to the
 * pipeline.
 */
const valueColumns = async (database: AdministrationDatabase, table: string): Promise<readonly string[]> => {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 AND column_name NOT IN
       ('organization_id', 'id', 'external_id', 'pipeline_id', 'stage_id', 'account_key', 'domain', 'email', 'record')
       AND NOT ($1 = 'opportunities' AND column_name = 'name')`,
    [table],
  );
  return rows.map(({ name }) => name);
};

/**
 * Makes a crowd of `count` unchanged copies and a tenth as many moving ones.
 * @param templates ids of the records to copy
 */
export const makeCrowd = async (
  database: AdministrationDatabase,
  organizationId: string,
  objectType: ObjectType,
  templates: readonly string[],
  count: number,
): Promise<Crowd> => {
  const copyAll = async (name: string, perTemplate: number): Promise<string[]> => {
    const ids: string[] = [];
    for (const [index, id] of templates.entries()) {
      const columns = { ...keyColumns[objectType](`${name}${index}`), created_at: createdAt };
      const copies = { objectType, id, count: perTemplate, columns, isSmall: count < 1_000 };
      ids.push(...(await copyRecord(database, organizationId, copies)));
    }
    return ids;
  };
  const table = subjects[objectType].collection;
  const still = new Set(await copyAll('still', Math.ceil(count / templates.length)));
  const moving = await copyAll('moving', Math.max(1, Math.ceil(count / 10 / templates.length)));
  const columns = (await valueColumns(database, table)).map((name) => `${name} = t.${name}`).join(', ');
  const pick = (list: readonly string[]): string => list[Math.floor(Math.random() * list.length)] ?? '';
  let added: string[] = [];
  let generation = 0;
  const stir = async (): Promise<void> => {
    const text = `UPDATE ${table} r SET ${columns} FROM ${table} t
      WHERE r.organization_id = $1 AND r.id = ANY ($2::uuid[]) AND t.organization_id = $1 AND t.id = $3`;
    await database.query(organizationId, { text, values: [[pick(moving), pick(moving)], pick(templates)] });
    const deletion = `DELETE FROM ${table} WHERE organization_id = $1 AND id = ANY ($2::uuid[])`;
    await database.query(organizationId, { text: deletion, values: [added] });
    generation += 1;
    const fresh = { ...keyColumns[objectType](`fresh${generation}`), created_at: 'now()' };
    const copies = { objectType, id: pick(templates), count: 2, columns: fresh, isSmall: true };
    added = await copyRecord(database, organizationId, copies);
  };
  return { still, stir };
};
