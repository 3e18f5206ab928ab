/** @not-on-citus migrates empty databases, which are not distributed yet */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTestStack, reportFigure } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../src/database.js';
import { applyRoles } from '../src/roles/apply-roles.js';
import { inspectSchema, migrate } from '../src/migrate/migrate.js';
import type { Migration } from '../src/migrate/migrations.js';
import { gatewayApplicationName } from '../src/schema-history/gateway-requirement.js';
import { queryOnce } from './support/database.js';
import { functionsOf, useSmallHistory } from './support/small-history.js';

const { url, names, upgrade, tables } = useSmallHistory();

const good: Migration = { name: '29990101000000_good', sql: 'CREATE TABLE half_way (id int);' };
const bad: Migration = { ...good, sql: `${good.sql}\n\nALTER TABLE half_way ADD COLUMN broken no_such_type;` };

test('R16: of two parallel migrators, one applies everything and the other finds nothing to do', async () => {
  const started: string[] = [];
  const slow: Migration = { ...good, sql: `SELECT pg_sleep(0.2); ${good.sql}` };
  const migrators = ['one', 'other'].map((name) => upgrade([slow], { onProgress: () => void started.push(name) }));
  const applied = await Promise.all(migrators.map((running) => running.catch(String)));
  const count = applied.filter((of) => of.length > 0).length;
  reportFigure('R16', 'of two migrators at once, those that applied anything', count, 1);
  expect(started).toHaveLength(1);
  expect(applied.sort((a, b) => a.length - b.length)).toEqual([[], [...names(), slow.name, 'write functions']]);
});

test.each(['LATIN1', 'SQL_ASCII'])('a database with the encoding %s is refused and stays empty', async (encoding) => {
  const [database, address] = [`encoding_${process.pid}_${encoding.toLowerCase()}`, new URL(url())];
  await queryOnce(
    url(),
    `CREATE DATABASE ${database} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C' LOCALE_PROVIDER libc`,
  );
  address.pathname = `/${database}`;
  try {
    const roles = { read: 'read_role', inbound: 'inbound_role', webhooks: 'webhooks_role' };
    for (const refused of [migrate(address.href), applyRoles(address.href, roles)]) {
      await expect(refused).rejects.toThrow(`The database has the encoding ${encoding}`);
    }
    const text = `SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'public'`;
    expect(await queryOnce(address.href, text)).toEqual([{ tables: 0 }]);
  } finally {
    await queryOnce(url(), `DROP DATABASE ${database} WITH (FORCE)`);
  }
});

test('a current database is not changed, and progress names only the pending migrations', async () => {
  const reported: (readonly string[])[] = [];
  const onProgress = (pending: readonly string[]): void => void reported.push(pending);
  await upgrade();
  expect(await upgrade([], { onProgress })).toEqual([]);
  expect(await upgrade([good], { onProgress })).toEqual([good.name]);
  expect(reported).toEqual([[good.name]]);
  expect(await migrate(readTestStack().databaseUrl, { onProgress })).toEqual([]);
});

test('R16: bad SQL is named with its line and rolled back, and is applied after it was fixed', async () => {
  await expect(upgrade([bad])).rejects.toThrow(`${bad.name}, line 3: type "no_such_type" does not exist`);
  const left = await tables();
  reportFigure('R16', 'tables left of a migration with bad SQL', left.filter((name) => name === 'half_way').length, 0);
  expect(left).not.toContain('half_way');
  expect(left).toContain('function_versions');
  expect(await upgrade([good])).toEqual([good.name, 'write functions']);
  expect(await tables()).toContain('half_way');
});

test('R16: a migration that is missing in the history afterwards fails', async () => {
  const sql = 'CREATE RULE silenced AS ON UPDATE TO _prisma_migrations DO INSTEAD NOTHING;';
  await expect(upgrade([{ ...good, sql }])).rejects.toThrow(good.name);
  for (const statement of ['COMMIT', 'COMMIT; BEGIN'])
    await expect(upgrade([{ ...good, sql: `${statement}; SELECT 1` }])).rejects.toThrow(
      `${good.name}: Error: it is not in the history`,
    );
});

test('the history has the same rows as if Prisma had written it', async () => {
  await upgrade([good]);
  const rows = await queryOnce(
    url(),
    `SELECT migration_name, checksum, logs, rolled_back_at, applied_steps_count, length(id) AS id,
            started_at < finished_at AS "takesTime" FROM _prisma_migrations ORDER BY started_at`,
  );
  expect(rows).toHaveLength(names().length + 1);
  expect(rows.at(-1)).toEqual({
    ...{ logs: null, rolled_back_at: null, applied_steps_count: 1, id: 36, takesTime: true },
    ...{ migration_name: good.name, checksum: createHash('sha256').update(good.sql).digest('hex') },
  });
});

test('a migration that was edited after it was applied is refused, even if no migration is pending', async () => {
  await upgrade([good]);
  const edited: Migration = { ...good, sql: `${good.sql} -- edited` };
  const later: Migration = { name: '29990102000000_later', sql: 'CREATE TABLE later (id int);' };
  for (const added of [[edited], [edited, later]]) {
    await expect(upgrade(added)).rejects.toThrow(
      `The file of ${good.name} has changed since it was applied to this database. Nothing was changed`,
    );
  }
  expect(await tables()).not.toContain('later');
});

test('a failed migration of prisma migrate deploy does not block later migrations', async () => {
  await upgrade();
  const columns = 'id, checksum, migration_name, logs';
  await queryOnce(url(), `INSERT INTO _prisma_migrations (${columns}) VALUES ('failed', '', '${good.name}', 'Error')`);
  expect(await upgrade([good])).toEqual([good.name]);
  const unresolved = 'SELECT id FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL';
  expect(await queryOnce(url(), unresolved)).toEqual([]);
});

test("waits for Prisma's own commands, which hold a lock while they migrate", async () => {
  const prisma = new pg.Client({ connectionString: url() });
  await prisma.connect();
  await prisma.query('SELECT pg_advisory_lock(72707369)');
  const applied = upgrade();
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  for (let i = 0; i < 500 && (await prisma.query(waiting)).rowCount === 0; i += 1) await sleep(10);
  expect(await tables()).toEqual([]);
  await prisma.end();
  expect(await applied).toContain('write functions');
});

const install = (name: string, release: string): Promise<string[]> =>
  upgrade([], { functions: functionsOf(name, release) });
const installedSource = async (): Promise<string> => {
  const text = `SELECT prosrc AS source FROM pg_proc WHERE proname = 'write_time'`;
  return (await queryOnce<{ source: string }>(url(), text))[0]?.source ?? '';
};

describe('R30: write functions of versions with the same migrations', () => {
  test('are not replaced when an earlier release migrates, even if its own were never installed', async () => {
    await install('first', '1.9.0');
    await install('second', '1.10.0');
    expect(await install('first', '1.9.0')).toEqual([]);
    expect(await install('other', '1.9.9')).toEqual([]);
    expect(await installedSource()).toContain('/* second */');
    expect(await install('third', '2.0.0')).toEqual(['write functions']);
    expect(await installedSource()).toContain('/* third */');
  });

  test('are installed again after their source was reverted', async () => {
    await install('first', '1.9.0');
    await install('second', '1.9.0');
    expect(await install('first', '1.9.0')).toEqual(['write functions']);
    expect(await installedSource()).toContain('/* first */');
    expect(await install('first', '1.9.0')).toEqual([]);
    expect(await queryOnce(url(), 'SELECT number, digest, release FROM function_versions ORDER BY number')).toEqual([
      { number: 1, digest: 'first', release: '1.9.0' },
      { number: 2, digest: 'second', release: '1.9.0' },
      { number: 3, digest: 'first', release: '1.9.0' },
    ]);
  });
});

test('R30: replaces functions whose results and parameters have other types and names', async () => {
  const withFunction = (text: string, release: string) => {
    const functions = functionsOf(release, release);
    const sql = `${functions.sql};\nCREATE OR REPLACE FUNCTION twice(${text} LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
END
$$;\n`;
    return upgrade([], { functions: { ...functions, sql } });
  };
  await withFunction('p_number int, OUT result int)', '1.9.0');
  await withFunction('p_value int, OUT result text, OUT other int)', '1.10.0');
  const text = `SELECT pg_get_function_arguments(oid) AS arguments FROM pg_proc WHERE proname = 'twice'`;
  expect(await queryOnce(url(), text)).toEqual([{ arguments: 'p_value integer, OUT result text, OUT other integer' }]);
  expect(await queryOnce(url(), `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'crm%'`)).toEqual([]);
});

describe('R30: a database that was migrated by a newer version', () => {
  const expand: Migration = { name: '29990101000000_expand', sql: 'CREATE TABLE expanded (id int);' };
  const contract: Migration = {
    name: '29990102000000_contract',
    sql: `-- Gateways need: ${expand.name}\nDROP TABLE expanded;`,
  };
  const newerUpgrade = (...added: readonly Migration[]) => upgrade(added, { functions: functionsOf('newer', '1.0.0') });
  const requirements = () => queryOnce(url(), 'SELECT * FROM gateway_requirements');
  const inspect = async () => {
    const opened = openDatabase({ url: url(), applicationName: 'migrate-test', maxConnections: 1 });
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
    if (hadOlder) await upgrade();
    expect(await newerUpgrade(expand)).toContain('write functions');
    const newer: (readonly string[])[] = [];
    expect(await upgrade([], { onNewer: (found) => newer.push(found) })).toEqual([]);
    expect(newer).toEqual([[expand.name]]);
    expect(await installedSource()).toContain('/* newer */');
    expect(await inspect()).toEqual({ pending: [], newer: [expand.name], unmet: [] });
  });

  test('refuses the older version once a migration needs a newer one, and not if that migration failed', async () => {
    await newerUpgrade(expand);
    const failing = { ...contract, sql: `${contract.sql} SELECT no_such_column;` };
    await expect(newerUpgrade(expand, failing)).rejects.toThrow(contract.name);
    expect(await inspect()).toMatchObject({ unmet: [] });
    expect(await newerUpgrade(expand, contract)).toEqual([contract.name]);
    const unmet = [{ migration: contract.name, needs: expand.name }];
    expect(await requirements()).toEqual(unmet);
    expect(await inspect()).toMatchObject({ unmet });
    await expect(upgrade()).rejects.toThrow(`too old for the database: ${contract.name} needs`);
  });

  test('is not migrated if connected gateways or workers could not work with it', async () => {
    await newerUpgrade(expand);
    const connect = async (kind: 'inbound' | 'webhooks', migrations: readonly string[]): Promise<pg.Client> => {
      const application_name = gatewayApplicationName(kind, migrations);
      const client = new pg.Client({ connectionString: url(), application_name });
      await client.connect();
      return client;
    };
    const older = [await connect('inbound', names()), await connect('webhooks', names())];
    const newer = await connect('inbound', [...names(), expand.name]);
    await expect(newerUpgrade(expand, contract)).rejects.toThrow(
      'crm-inbound-gateway 0001_init (1 connections), crm-webhook-worker 0001_init (1 connections). Nothing was changed.',
    );
    expect(await requirements()).toEqual([]);
    expect(await tables()).toContain('expanded');
    await Promise.all(older.map((client) => client.end()));
    expect(await newerUpgrade(expand, contract)).toEqual([contract.name]);
    await newer.end();
  });

  test.each(['29990103000000_later', '0000_unknown'])('refuses a migration that needs %s', async (needs) => {
    const wrong = { ...contract, sql: `-- Gateways need: ${needs}` };
    await expect(newerUpgrade(expand, wrong)).rejects.toThrow(
      /must appear once and name this migration or an earlier one/,
    );
  });
});
