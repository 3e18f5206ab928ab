import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestDatabase, reportFigure } from '@crm/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { inspectSchema, migrate } from '../src/migrate/migrate.js';
import { type FunctionSources, type Migration, readFunctions, readMigrations } from '../src/migrate/migrations.js';
import { openDatabase } from '../src/database.js';
import { gatewayApplicationName } from '../src/schema-history/gateway-requirement.js';
import { createEmptyDatabase, queryOnce } from './support/database.js';

let all: readonly Migration[];
let database: TestDatabase;

beforeAll(async () => {
  all = await readMigrations();
});
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

const bad: Migration = {
  name: '29990101000000_bad',
  sql: 'CREATE TABLE half_way (id int); ALTER TABLE half_way ADD COLUMN broken no_such_type;',
};
const good: Migration = { ...bad, sql: 'CREATE TABLE half_way (id int);' };

const tables = async (): Promise<string[]> => {
  const rows = await queryOnce<{ name: string }>(
    database.url,
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

test('R16: of two migrators at once one applies everything and the other finds nothing to do', async () => {
  const started: string[] = [];
  const applied = await Promise.all(
    ['one', 'other'].map((name) => migrate(database.url, { onProgress: () => void started.push(name) })),
  );
  const names = all.map(({ name }) => name);
  // The second one waits, and then finds nothing to begin with.
  expect(started).toHaveLength(1);
  expect(applied.sort((a, b) => a.length - b.length)).toEqual([[], [...names, 'write functions']]);
  const rows = await queryOnce<{ name: string }>(
    database.url,
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1',
  );
  expect(rows.map(({ name }) => name)).toEqual(names);
  reportFigure(
    'R16',
    'of two migrators at once, those that applied anything',
    applied.filter((of) => of.length > 0).length,
    1,
  );
});

test('a current database is left alone, and progress names the pending migrations only', async () => {
  const told: (readonly string[])[] = [];
  const onProgress = (pending: readonly string[]): void => void told.push(pending);
  expect(await migrate(database.url, { onProgress })).toHaveLength(all.length + 1);
  expect(await migrate(database.url, { onProgress })).toEqual([]);
  expect(await migrate(database.url, { onProgress, migrations: [...all, good] })).toEqual([good.name]);
  expect(told).toEqual([all.map(({ name }) => name), [good.name]]);
});

test('R16: a migration with bad SQL is named, leaves nothing of itself behind, and keeps those before it', async () => {
  await expect(migrate(database.url, { migrations: [...all, bad] })).rejects.toThrow(bad.name);
  const left = await tables();
  reportFigure('R16', 'tables left of a migration with bad SQL', left.filter((name) => name === 'half_way').length, 0);
  expect(left).not.toContain('half_way');
  expect(left).toContain('opportunities');
});

test('R16: a migration that the history does not show is not believed', async () => {
  const silenced: Migration = {
    name: '29990101000000_silenced',
    sql: 'CREATE RULE silenced AS ON UPDATE TO _prisma_migrations DO INSTEAD NOTHING;',
  };
  await expect(migrate(database.url, { migrations: [...all, silenced] })).rejects.toThrow(silenced.name);
});

test.each(['COMMIT', 'ROLLBACK', 'COMMIT; BEGIN'])('a migration with %s is refused', async (statement) => {
  const migrations = [...all, { ...good, sql: `${statement}; ${good.sql}` }];
  await expect(migrate(database.url, { migrations })).rejects.toThrow(`${good.name}: Error: the history does not show`);
});

test('a failure names the line of the migration, and what the server says about it', async () => {
  const sql = 'CREATE TABLE half_way (id int);\n\nSELECT 1 FROM halfway;';
  const failure = migrate(database.url, { migrations: [...all, { ...bad, sql }] });
  await expect(failure).rejects.toThrow(`${bad.name}, line 3: relation "halfway" does not exist`);
});

test('the history is what Prisma writes', async () => {
  await migrate(database.url, { migrations: [...all, good] });
  const rows = await queryOnce(
    database.url,
    `SELECT migration_name, checksum, logs, rolled_back_at, applied_steps_count, length(id) AS id,
            started_at < finished_at AS "takesTime" FROM _prisma_migrations ORDER BY started_at`,
  );
  const written = { logs: null, rolled_back_at: null, applied_steps_count: 1, id: 36, takesTime: true };
  expect(rows).toEqual(
    [...all, good].map(({ name, sql }) => ({
      ...written,
      migration_name: name,
      checksum: createHash('sha256').update(sql).digest('hex'),
    })),
  );
});

test('a migration that was edited after it was applied is refused, also when nothing else is to do', async () => {
  await migrate(database.url, { migrations: [...all, good] });
  const edited: Migration = { ...good, sql: `${good.sql} -- edited` };
  const later: Migration = { name: '29990102000000_later', sql: 'CREATE TABLE later (id int);' };
  for (const migrations of [
    [...all, edited],
    [...all, edited, later],
  ]) {
    await expect(migrate(database.url, { migrations })).rejects.toThrow(
      `The file of ${good.name} has changed since it was applied to this database. Nothing was changed`,
    );
  }
  expect(await tables()).not.toContain('later');
});

test('a failure that prisma migrate deploy left does not stand in the way', async () => {
  await migrate(database.url);
  await queryOnce(
    database.url,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ('failed', '', '${good.name}', 'Error')`,
  );
  expect(await migrate(database.url, { migrations: [...all, good] })).toEqual([good.name]);
  const unresolved = 'SELECT id FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL';
  expect(await queryOnce(database.url, unresolved)).toEqual([]);
});

test("waits for Prisma's own commands, which hold a lock while they migrate", async () => {
  const prisma = new pg.Client({ connectionString: database.url });
  await prisma.connect();
  await prisma.query('SELECT pg_advisory_lock(72707369)');
  const applied = migrate(database.url);
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  for (let i = 0; i < 500 && (await prisma.query(waiting)).rowCount === 0; i += 1) await sleep(10);
  expect(await tables()).toEqual([]);
  await prisma.end();
  expect(await applied).toContain('write functions');
});

test('a migration that failed is applied once it is mended', async () => {
  await expect(migrate(database.url, { migrations: [...all, bad] })).rejects.toThrow(bad.name);
  expect(await migrate(database.url, { migrations: [...all, good] })).toEqual([good.name, 'write functions']);
  expect(await tables()).toContain('half_way');
});

const sourceOfWriteTime = async (): Promise<string> => {
  const [row] = await queryOnce<{ source: string }>(
    database.url,
    `SELECT prosrc AS source FROM pg_proc WHERE proname = 'write_time'`,
  );
  return row?.source ?? '';
};

/** The write functions of another version: one of them says its name. */
const functionsOf = async (name: string, release: string): Promise<FunctionSources> => {
  const { sql } = await readFunctions();
  return { sql: sql.replace('clock_timestamp()', `clock_timestamp() /* ${name} */`), digest: name, release };
};

describe('R30: write functions, where the migrations are equal', () => {
  const install = async (name: string, release: string): Promise<string[]> =>
    migrate(database.url, { functions: await functionsOf(name, release) });

  test('of a later release stay when an earlier one migrates, whether or not its own were there before', async () => {
    await install('first', '1.9.0');
    await install('second', '1.10.0');
    expect(await install('first', '1.9.0')).toEqual([]);
    expect(await install('other', '1.9.9')).toEqual([]);
    expect(await sourceOfWriteTime()).toContain('/* second */');
    expect(await install('third', '2.0.0')).toEqual(['write functions']);
    expect(await sourceOfWriteTime()).toContain('/* third */');
  });

  test('are installed again when a text was reverted', async () => {
    await install('first', '1.9.0');
    await install('second', '1.9.0');
    expect(await install('first', '1.9.0')).toEqual(['write functions']);
    expect(await sourceOfWriteTime()).toContain('/* first */');
    expect(await install('first', '1.9.0')).toEqual([]);
    const rows = await queryOnce(database.url, 'SELECT number, digest, release FROM function_versions ORDER BY number');
    expect(rows).toEqual([
      { number: 1, digest: 'first', release: '1.9.0' },
      { number: 2, digest: 'second', release: '1.9.0' },
      { number: 3, digest: 'first', release: '1.9.0' },
    ]);
  });
});

test('write functions are installed again after their version was lost, and the newest text counts', async () => {
  await migrate(database.url);
  await queryOnce(
    database.url,
    `CREATE OR REPLACE FUNCTION write_time() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT now()'`,
  );
  await queryOnce(database.url, `UPDATE function_versions SET digest = 'older'`);
  expect(await migrate(database.url)).toEqual(['write functions']);
  expect(await sourceOfWriteTime()).toContain('clock_timestamp()');
});

test('migrating waits for whoever migrates now, and a failure lets the next one in', async () => {
  const results = await Promise.allSettled([
    migrate(database.url, { migrations: [...all, bad] }),
    migrate(database.url, { migrations: [...all, bad] }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const [{ n } = { n: -1 }] = await queryOnce<{ n: number }>(
    database.url,
    `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  expect(n).toBe(0);
});

describe('R30: a database that a newer version has migrated', () => {
  const expand: Migration = { name: '29990101000000_expand', sql: 'CREATE TABLE expanded (id int);' };
  const contract: Migration = {
    name: '29990102000000_contract',
    sql: `-- Gateways need: ${expand.name}\nDROP TABLE expanded;`,
  };
  let newerFunctions: FunctionSources;

  beforeEach(async () => {
    newerFunctions = await functionsOf('newer', (await readFunctions()).release);
  });

  const upgrade = (...added: readonly Migration[]) =>
    migrate(database.url, { migrations: [...all, ...added], functions: newerFunctions });
  const requirements = () => queryOnce(database.url, 'SELECT * FROM gateway_requirements');
  const inspect = async () => {
    const opened = openDatabase({ url: database.url, applicationName: 'migrate-test', maxConnections: 1 });
    try {
      return await inspectSchema(opened);
    } finally {
      await opened.close();
    }
  };

  test.each([
    ['had this version before', true],
    ['never had this version', false],
  ])('keeps its functions when the older version migrates a database that %s', async (_about, hadOlder) => {
    if (hadOlder) await migrate(database.url);
    expect(await upgrade(expand)).toContain('write functions');
    const newer: (readonly string[])[] = [];
    expect(await migrate(database.url, { onNewer: (names) => newer.push(names) })).toEqual([]);
    expect(newer).toEqual([[expand.name]]);
    expect(await sourceOfWriteTime()).toContain('/* newer */');
    expect(await inspect()).toEqual({ pending: [], newer: [expand.name], unmet: [] });
  });

  test('refuses the older version once a migration needs a newer one', async () => {
    await upgrade(expand, contract);
    const unmet = [{ migration: contract.name, needs: expand.name }];
    expect(await requirements()).toEqual(unmet);
    expect(await inspect()).toMatchObject({ unmet });
    await expect(migrate(database.url)).rejects.toThrow(`too old for the database: ${contract.name} needs`);
  });

  test('is not migrated past what its connected gateways can work with', async () => {
    await upgrade(expand);
    const connect = async (migrations: readonly Migration[]): Promise<pg.Client> => {
      const application_name = gatewayApplicationName(
        'inbound',
        migrations.map(({ name }) => name),
      );
      const client = new pg.Client({ connectionString: database.url, application_name });
      await client.connect();
      return client;
    };
    const [older, newer] = [await connect(all), await connect([...all, expand])];
    await expect(upgrade(expand, contract)).rejects.toThrow(
      /contract breaks gateways without 29990101000000_expand, .*: crm-inbound-gateway 0001_init \(1 connections\)/,
    );
    expect(await requirements()).toEqual([]);
    expect(await tables()).toContain('expanded');
    await older.end();
    expect(await upgrade(expand, contract)).toEqual([contract.name]);
    await newer.end();
  });

  test('ignores the requirement of a migration that failed', async () => {
    await upgrade(expand);
    const failing = { ...contract, sql: `${contract.sql} SELECT no_such_column;` };
    await expect(upgrade(expand, failing)).rejects.toThrow(contract.name);
    expect(await inspect()).toMatchObject({ unmet: [] });
    expect(await upgrade(expand, contract)).toEqual([contract.name]);
    expect(await inspect()).toMatchObject({ unmet: [{ needs: expand.name }] });
  });

  test.each(['29990103000000_later', '0000_unknown'])('refuses a migration that needs %s', async (needs) => {
    const wrong = { ...contract, sql: `-- Gateways need: ${needs}` };
    await expect(upgrade(expand, wrong)).rejects.toThrow(/must appear once and name this migration or an earlier one/);
  });
});
