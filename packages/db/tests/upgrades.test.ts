import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { inspectSchema } from '../src/migrate/migrate.js';
import type { Migration } from '../src/migrate/migrations.js';
import { openDatabase } from '../src/database.js';
import { gatewayApplicationName } from '../src/schema-history/gateway-requirement.js';
import { queryOnce } from './support/database.js';
import { functionsOf, useSmallHistory } from './support/small-history.js';

const { url, names, upgrade, tables } = useSmallHistory();

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

describe('R30: a database that was migrated by a newer version', () => {
  const expand: Migration = { name: '29990101000000_expand', sql: 'CREATE TABLE expanded (id int);' };
  const contract: Migration = {
    name: '29990102000000_contract',
    sql: `-- Gateways need: ${expand.name}\nDROP TABLE expanded;`,
  };
  const newerUpgrade = (...added: readonly Migration[]) => upgrade(added, { functions: functionsOf('newer', '1.0.0') });
  const requirements = () => queryOnce(url(), 'SELECT * FROM gateway_requirements');
  const inspect = async () => {
    const opened = openDatabase({ url: url(), applicationName: 'upgrades-test', maxConnections: 1 });
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

  test('refuses the older version if all its migrations were applied at once', async () => {
    await newerUpgrade(expand, contract);
    await expect(upgrade()).rejects.toThrow(`too old for the database: ${contract.name} needs`);
  });

  test('is not migrated if connected gateways could not work with it', async () => {
    await newerUpgrade(expand);
    const connect = async (migrations: readonly string[]): Promise<pg.Client> => {
      const application_name = gatewayApplicationName('inbound', migrations);
      const client = new pg.Client({ connectionString: url(), application_name });
      await client.connect();
      return client;
    };
    const [older, newer] = [await connect(names()), await connect([...names(), expand.name])];
    await expect(newerUpgrade(expand, contract)).rejects.toThrow(
      /contract breaks gateways without 29990101000000_expand, .*: crm-inbound-gateway 0001_init \(1 connections\)/,
    );
    expect(await requirements()).toEqual([]);
    expect(await tables()).toContain('expanded');
    await older.end();
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
