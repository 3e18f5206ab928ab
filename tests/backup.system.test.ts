/** @needs postgresql */
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  contactCreate,
  loadSetup,
  migrate,
  noteCreate,
  type IdempotencyRecord,
  openAdministrationDatabase,
  opportunityCreate,
  runWrite,
  type Write,
} from '@crm/db';
import { changeOf } from '@crm/domain';
import { reportFigure, startOwnPostgres, startReplicatedPostgres, type ReplicatedPostgres, until } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { runCrm } from './support/run-crm.js';
import { BashSession } from './support/bash-session.js';
import { makeRepositoryFolder } from './support/running-stack.js';
import { readShellExamples } from './support/shell-examples.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const page = readFileSync(join(root, 'docs/operating.md'), 'utf8');
const section = /^## Backup\n[^]*?(?=^## )/m.exec(page)?.[0] ?? '';
const [dump, restore] = readShellExamples(section);

const databaseAt = (serverUrl: string, name: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
};

type Content = Readonly<Record<string, readonly string[]>>;

/** Every row of every table, as text. */
const contentOf = async (url: string): Promise<Content> => {
  const database = openAdministrationDatabase({ url, applicationName: 'test', maxConnections: 1 });
  try {
    const tables = await database.pool.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
    );
    const content: Record<string, readonly string[]> = {};
    for (const { name } of tables.rows) {
      const { rows } = await database.pool.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`);
      content[name] = rows.map(({ row }) => row);
    }
    return content;
  } finally {
    await database.close();
  }
};

/** The number of tables whose rows differ from the given ones. */
const differencesTo = async (content: Content, url: string): Promise<number> => {
  const other = await contentOf(url);
  const tables = new Set([...Object.keys(content), ...Object.keys(other)]);
  return [...tables].filter((table) => JSON.stringify(content[table]) !== JSON.stringify(other[table])).length;
};

/**
 * Creates an opportunity with its account, two contacts, a custom value and an owner, and a note with a stored
 * response.
 */
const fillRecords = async (url: string, organizationId: string): Promise<void> => {
  const database = openAdministrationDatabase({ url, applicationName: 'test', maxConnections: 1 });
  try {
    const setup = await loadSetup(database, organizationId);
    const [pipeline] = setup.pipelines;
    if (pipeline === undefined) throw new Error('there is no pipeline');
    const ann = "ann.o'neil+crm@xn--bcher-kva.example";
    const definitions = setup.fieldIndex('contact', null).bySlug;
    const write = <Result>(one: Write<Result>, idempotency: IdempotencyRecord | null = null) =>
      runWrite(database, organizationId, one, idempotency);
    const names = { first_name: 'Ann', last_name: 'Ö’Neil' };
    const custom = { definitions, values: new Map([['newsletter', true]]) };
    const contact = changeOf('contact', { email: ann, ...names }, custom);
    await write(contactCreate(setup, contact, 'keep'));
    const opportunity = changeOf('opportunity', {
      name: 'Website',
      amount: 12.5,
      owner_id: setup.findMember('sam@example.com')?.id ?? null,
      contact_email: ann,
      additional_contacts: ['bob@xn--bcher-kva.example'],
    });
    await write(opportunityCreate(setup, pipeline, opportunity, 'keep'));
    const note = { title: 'Kick-off', content: 'Tab\tand "quotes"', accountDomains: [], contactEmails: [ann] };
    await write(noteCreate(setup, note), { operation: 'createNote', keyHash: randomUUID(), requestHash: 'hash' });
  } finally {
    await database.close();
  }
};

describe('the backup of docs/operating.md', () => {
  let servers: ReplicatedPostgres;
  let directory: string;
  let session: BashSession;
  let url: string;
  let restoredUrl: string;

  beforeAll(async () => {
    servers = await startReplicatedPostgres();
    url = databaseAt(servers.primaryUrl, 'crm');
    restoredUrl = databaseAt(servers.primaryUrl, 'crm_restored');
    directory = await makeRepositoryFolder();
    session = new BashSession(directory, {
      npm_config_offline: 'true',
      DATABASE_URL: url,
      SERVER_URL: servers.primaryUrl,
      RESTORED_URL: restoredUrl,
    });
    await session.run('psql --quiet --command="CREATE DATABASE crm" "$SERVER_URL"');
    await migrate(url);
  });
  afterAll(async () => {
    session.end();
    await servers.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const run = async (commands: string | undefined): Promise<string> => {
    const { exitCode, stdout, stderr } = await session.run(commands ?? 'false');
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    return stdout;
  };

  test('restores every row exactly as it was at the time of the backup', async () => {
    const crm = async (...args: string[]): Promise<Record<string, string>> => {
      const { stdout } = await runCrm([...args, '--json'], { DATABASE_URL: url });
      return JSON.parse(stdout) as Record<string, string>;
    };
    const org = (await crm('org', 'create', 'Before the backup'))['organization_id'] ?? '';
    const stages = JSON.stringify([{ label: 'Open' }, { label: 'Won' }]);
    const pipeline = ['-f', 'name=New business', '-F', `stages=${stages}`];
    await crm('api', 'POST', '/v1/inbound/pipelines', '--org', org, ...pipeline);
    const field = ['object=contact', 'slug=newsletter', 'current_name=Newsletter', 'attribute_type=checkbox'];
    await crm('api', 'POST', '/v1/inbound/fields', '--org', org, ...field.flatMap((one) => ['-f', one]));
    await crm('key', 'create', '--org', org);
    await crm('api', 'POST', '/v1/inbound/members', '--org', org, '-f', 'email=sam@example.com', '-f', 'name=Sam');
    await fillRecords(url, org);
    const before = await contentOf(url);
    for (const table of ['api_keys', 'members', 'accounts', 'opportunities', 'notes', 'idempotency_keys'])
      expect(before[table]).toHaveLength(1);
    expect(before['contacts']).toHaveLength(2);

    await run(dump?.commands);
    expect((await stat(join(directory, 'crm.dump'))).mode & 0o777).toBe(0o600);
    await crm('org', 'create', 'After the backup');
    const output = await run(restore?.commands);
    expect(output).toContain('Before the backup');
    expect(output).not.toContain('After the backup');
    expect(output).toContain('is restored into');
    expect(await contentOf(restoredUrl)).toEqual(before);
    reportFigure(
      'R29',
      'tables that differ after dump and restore on PostgreSQL 15',
      await differencesTo(before, restoredUrl),
      0,
    );
  });

  test('keeps the earlier file if it fails, and names a damaged file when it is restored', async () => {
    const file = join(directory, 'crm.dump');
    const before = await readFile(file);
    await run(`psql --quiet --command="CREATE ROLE stranger LOGIN PASSWORD 'x'" "$SERVER_URL"`);
    const stranger = new URL(url);
    [stranger.username, stranger.password] = ['stranger', 'x'];
    const failed = await runCrm(['backup', file], { DATABASE_URL: stranger.href });
    expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('permission denied') });
    expect(await readFile(file)).toEqual(before);
    await writeFile(file, before.subarray(100));
    const damaged = await runCrm(['restore-backup', file], { DATABASE_URL: databaseAt(servers.primaryUrl, 'empty') });
    expect(damaged).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('valid archive') });
    await writeFile(file, before);
    const own = join(directory, 'other.dump');
    await run(
      'createdb --maintenance-db="$SERVER_URL" other && pg_dump -Fc --file=other.dump "${SERVER_URL%/*}/other"',
    );
    const foreign = await runCrm(['restore-backup', own], { DATABASE_URL: databaseAt(servers.primaryUrl, 'empty') });
    expect(foreign).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is not a backup of this product') });
    const left = await run(`psql --tuples-only --no-align --command="SELECT datname FROM pg_database" "$SERVER_URL"`);
    expect(left.split('\n')).not.toContain('empty');
  });

  test('can also be restored into PostgreSQL 18, and the restored database accepts writes', async () => {
    const newer = await startOwnPostgres();
    try {
      const newerUrl = databaseAt(newer.url, 'crm_restored');
      const before = await contentOf(restoredUrl);
      const moved = (restore?.commands ?? 'false')
        .replaceAll('$SERVER_URL', '$NEWER_SERVER_URL')
        .replaceAll('$RESTORED_URL', '$NEWER_URL');
      expect(moved).toContain('$NEWER_URL');
      await session.run(`export NEWER_SERVER_URL='${newer.url}' NEWER_URL='${newerUrl}'`);
      await run(moved);
      expect(await contentOf(newerUrl)).toEqual(before);
      reportFigure(
        'R29',
        'tables that differ after a restore into PostgreSQL 18',
        await differencesTo(before, newerUrl),
        0,
      );
      const [organizationId] = (before['accounts'] ?? []).map((row) => /^\(([^,]+),/.exec(row)?.[1] ?? '');
      await fillRecords(newerUrl, organizationId ?? '');
      expect((await contentOf(newerUrl))['notes']).toHaveLength(2);
    } finally {
      await newer.stop();
    }
  });

  test('restores a database in which crm doctor finds only the faults of the server', async () => {
    const { stdout } = await runCrm(['doctor', '--json'], {
      DATABASE_URL: restoredUrl,
      CURSOR_SECRETS: 'only for this test',
    });
    const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string }[] };
    // The server of this test runs with fsync off, and its role is a superuser.
    expect(findings.filter(({ status }) => status !== 'ok').map(({ check }) => check)).toEqual(['role', 'durability']);
  });

  test('crm doctor reports the lag of a replica', async () => {
    const examine = async () => {
      const env = {
        DATABASE_URL: url,
        READ_DATABASE_URL: databaseAt(servers.replicaUrl, 'crm'),
        CURSOR_SECRETS: 'only for this test',
      };
      const { stdout } = await runCrm(['doctor', '--json'], env);
      const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string; message: string }[] };
      return findings.filter(({ check }) => check.startsWith('replica'));
    };
    // On a busy machine, the replica may be some seconds behind, which is a warning.
    let found = await examine();
    await until(async () => {
      if (found.every(({ status }) => status !== 'warning')) return true;
      found = await examine();
      return false;
    });
    expect(found.map(({ check, status }) => [check, status])).toEqual([
      ['replica', 'ok'],
      ['replica tables', 'ok'],
      ['replica lag', 'ok'],
    ]);
    await servers.killReplica();
    expect(await examine()).toEqual([expect.objectContaining({ check: 'replica', status: 'problem' })]);
  });
});
