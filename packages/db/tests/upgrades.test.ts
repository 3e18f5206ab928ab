import type { TestDatabase } from '@crm/testing';
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

const tables = async (): Promise<string[]> => {
  const rows = await queryOnce<{ name: string }>(
    database.url,
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

const sourceOfWriteTime = async (): Promise<string> => {
  const [row] = await queryOnce<{ source: string }>(
    database.url,
    `SELECT prosrc AS source FROM pg_proc WHERE proname = 'write_time'`,
  );
  return row?.source ?? '';
};

/** The write functions of another version. The source of one of them contains its name. */
const functionsOf = async (name: string, release: string): Promise<FunctionSources> => {
  const { sql } = await readFunctions();
  return {
    sql: sql.replace("'milliseconds', clock_timestamp()", `'milliseconds', clock_timestamp() /* ${name} */`),
    digest: name,
    release,
  };
};

describe('R30: write functions of versions with the same migrations', () => {
  const install = async (name: string, release: string): Promise<string[]> =>
    migrate(database.url, { functions: await functionsOf(name, release) });

  test('are not replaced when an earlier release migrates, even if its own were never installed', async () => {
    await install('first', '1.9.0');
    await install('second', '1.10.0');
    expect(await install('first', '1.9.0')).toEqual([]);
    expect(await install('other', '1.9.9')).toEqual([]);
    expect(await sourceOfWriteTime()).toContain('/* second */');
    expect(await install('third', '2.0.0')).toEqual(['write functions']);
    expect(await sourceOfWriteTime()).toContain('/* third */');
  });

  test('are installed again after their source was reverted', async () => {
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

test('write functions are installed again if the last installed version differs', async () => {
  await migrate(database.url);
  await queryOnce(
    database.url,
    `CREATE OR REPLACE FUNCTION write_time() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT now()'`,
  );
  await queryOnce(database.url, `UPDATE function_versions SET digest = 'older'`);
  expect(await migrate(database.url)).toEqual(['write functions']);
  expect(await sourceOfWriteTime()).toContain('clock_timestamp()');
});

describe('R30: a database that was migrated by a newer version', () => {
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

  test('is not migrated if connected gateways could not work with it', async () => {
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

  test('ignores the requirement of a failed migration', async () => {
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
