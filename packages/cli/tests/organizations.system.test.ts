import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

const { databaseUrl, readUrl, inboundUrl } = readTestStack();
let administered: AdministeredDatabase;
let org: string;

beforeAll(async () => {
  administered = administer(databaseUrl);
  org = await administered.createOrganization();
});
afterAll(() => administered.close());

/** Every table with rows of organizations, and its number of rows of this one. */
const countRows = async (): Promise<Readonly<Record<string, number>>> => {
  const { rows: tables } = await administered.database.pool.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c JOIN pg_class t ON t.oid = c.table_name::regclass
      WHERE c.table_schema = 'public' AND c.column_name = 'organization_id' AND NOT t.relispartition`,
  );
  const counted = tables.map(async ({ name }): Promise<[string, number]> => {
    const text = `SELECT count(*)::int AS n FROM ${name} WHERE organization_id = $1`;
    return [name, (await administered.database.pool.query<{ n: number }>(text, [org])).rows[0]?.n ?? -1];
  });
  return Object.fromEntries(await Promise.all(counted));
};

it('renames an organization, says that a name is taken, and records the old and the new name', async () => {
  const name = `Renamed ${org}`;
  const renamed = await administered.crm('org', 'update', '--org', org, '--name', name);
  expect(renamed).toMatchObject({ exitCode: 0, stdout: `Organization ${name}: ${org}\n`, stderr: '' });
  expect((await administered.crm('audit', '--org', name)).stdout).toContain(`name: Acme Sales → ${name}`);
  const second = await administered.crm('org', 'create', name);
  expect(second.stderr).toBe(`Another organization has the name ${name} too. Commands need the id for --org.\n`);
  expect(await administered.crm('org', 'list', '--org', name)).toMatchObject({ exitCode: 2 });
});

it('exports everything to files, and then deletes everything but the event of the deletion', async () => {
  const { api_key: apiKey } = await administered.crmJson('key', 'create', '--org', org);
  const client = createClient({ readUrl, inboundUrl, apiKey: String(apiKey) });
  const stages = ['Open', 'Sent', 'Won'].map((label) => ({ label }));
  const { pipeline } = await administered.api(org, 'POST /v1/inbound/pipelines', { name: 'Sales', stages });
  await client.opportunities.create({
    pipeline_id: (pipeline as { pipeline_id: string }).pipeline_id,
    opportunity: { name: 'Deal; 1', close_date: '2026-11-26' },
    related_objects: { account_domain: 'acme.example', primary_contact_email: 'ann@acme.example' },
  });
  await client.notes.create({ note: { title: 'Call' }, account_domains: ['acme.example'] });
  const options = [{ label: 'Small' }, { label: 'Large' }];
  const tier = { object: 'account', slug: 'tier', current_name: 'Tier', attribute_type: 'radio', options };
  await administered.api(org, 'POST /v1/inbound/fields', tier);
  const directory = await mkdtemp(join(tmpdir(), 'crm-export-'));
  const style = ['--delimiter', ';', '--bom', '--json'];
  const exported = await administered.crm('export', 'all', '--org', org, '--output', directory, ...style);
  expect(JSON.parse(exported.stdout)).toMatchObject({
    setup: join(directory, 'setup.yaml'),
    files: ['accounts', 'contacts', 'opportunities', 'notes'].map((object) => ({ object, records: 1 })),
  });
  for (const name of await readdir(directory)) {
    expect([name, (await stat(join(directory, name))).mode & 0o777]).toEqual([name, 0o600]);
  }
  const apply = await administered.crm('apply', join(directory, 'setup.yaml'), '--org', org, '--dry-run');
  expect(apply).toMatchObject({ exitCode: 0, stdout: 'Nothing to do.\n' });
  const deals = await readFile(join(directory, 'opportunities.csv'), 'utf8');
  expect(deals).toMatch(/^\uFEFFid;pipeline;name;/);
  expect(deals).toMatch(/;Sales;"Deal; 1";Open;\[\];;;;2026-11-26;/);
  await rm(directory, { recursive: true });

  const remove = (...args: string[]) => administered.crm('org', 'delete', '--org', org, ...args);
  expect(await remove()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--confirm') });
  expect(await remove('--confirm', 'Acme Sales')).toMatchObject({ exitCode: 2 });
  const before = await countRows();
  expect(Object.keys(before).length).toBeGreaterThan(20);
  expect(before).toMatchObject({ opportunities: 1, notes: 1, note_accounts: 1, events: 4, api_keys: 1, stages: 3 });
  expect(await remove('--confirm', `Renamed ${org}`, '--json')).toMatchObject({ exitCode: 0, stderr: '' });
  const rest = Object.entries(await countRows()).filter(([, count]) => count > 0);
  expect(rest).toEqual([['audit_events', 1]]);
  expect(await remove('--confirm', `Renamed ${org}`, '--json')).toMatchObject({ exitCode: 1 });
  const { events } = await administered.crmJson('audit', '--deleted', '--limit', '1');
  expect(events).toMatchObject([{ action: 'organization.delete', target: org, target_name: null, details: {} }]);
});
