import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { createClient, type CrmClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createEmptyRecords, createRecords, setupText } from './support/archived-setup.js';
import { runCrm, type CrmResult } from './support/run-crm.js';

const stack = readTestStack();
const objects = ['accounts', 'contacts', 'opportunities', 'notes'] as const;
/** What the copy has new ones of. Ids of notes stay. */
const ownOf = (object: string): readonly string[] => [
  ...(object === 'notes' ? ['opportunity_ids'] : ['id', 'updated_at', 'version']),
  'created_at',
];

let directory: string;
const path = (...names: readonly string[]): string => join(directory, ...names);

interface Organization {
  readonly id: string;
  readonly key: string;
  readonly client: CrmClient;
}

const json = ({ exitCode, stdout, stderr }: CrmResult): Readonly<Record<'organization_id' | 'api_key', string>> => {
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return JSON.parse(stdout) as ReturnType<typeof json>;
};

let organizations = 0;
const newOrganization = async (): Promise<Organization> => {
  const database = ['--database-url', stack.databaseUrl, '--json'];
  const name = `Copy ${(organizations += 1)}`;
  const { organization_id: id } = json(await runCrm(['org', 'create', name, ...database]));
  const allow = ['--allow', 'list,search,inbound,bulk,setup,delete', '--limit', 'list=0,search=0,inbound=0,bulk=0'];
  const { api_key: key } = json(await runCrm(['key', 'create', '--org', id, '--name', 'k', ...allow, ...database]));
  return { id, key, client: createClient({ readUrl: stack.readUrl, inboundUrl: stack.inboundUrl, apiKey: key }) };
};

const gatewaysOf = ({ key }: Organization, url = stack.inboundUrl): readonly string[] => [
  ...['--url', url, '--read-url', stack.readUrl, '--api-key', key],
];

const apply = async (to: Organization, file: string): Promise<unknown> =>
  json(await runCrm(['apply', path(file), ...gatewaysOf(to), '--yes', '--json']));

const exportAll = async (from: Organization, to: string, ...more: readonly string[]): Promise<void> => {
  const args = ['export', 'all', '--output', path(to), '--url', stack.readUrl, '--api-key', from.key, ...more];
  expect(await runCrm(args)).toMatchObject({ exitCode: 0 });
};

const importAll = (folder: string, to: Organization, ...more: readonly string[]): Promise<CrmResult> =>
  runCrm(['import-all', path(folder), ...gatewaysOf(to), '--yes', '--json', ...more]);

interface Report {
  readonly complete: boolean;
  readonly plan: readonly string[];
  readonly setup_changes: number;
  readonly files: readonly Readonly<Record<'created' | 'matched' | 'updated' | 'rejected' | 'warnings', number>>[];
}

const reportOf = ({ stdout }: CrmResult): Report => JSON.parse(stdout) as Report;
const sumOf = (report: Report, count: keyof Report['files'][number]): number =>
  report.files.reduce((sum, file) => sum + file[count], 0);

type Row = Readonly<Record<string, unknown>>;

const rowsOf = async (folder: string, object: string): Promise<readonly Row[]> => {
  const lines = (await readFile(path(folder, `${object}.jsonl`), 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Row);
};

/** All that an export has, with what names a deal in place of its id. */
const contentsOf = async (folder: string): Promise<unknown> => {
  const deals = await rowsOf(folder, 'opportunities');
  const nameOf = (id: unknown): string => {
    const deal = deals.find((one) => one['id'] === id);
    return JSON.stringify([deal?.['pipeline'], deal?.['name'], deal?.['account_domain']]);
  };
  const records = objects.map(async (object) => {
    const rows = await rowsOf(folder, object);
    return rows
      .map((row) => {
        const linked = object === 'notes' ? (row['opportunity_ids'] as unknown[]).map(nameOf).sort() : [];
        const kept = Object.entries(row).filter(([name]) => !ownOf(object).includes(name));
        return JSON.stringify([...kept, linked]);
      })
      .sort();
  });
  return [await readFile(path(folder, 'setup.yaml'), 'utf8'), ...(await Promise.all(records))];
};

/** Expects that an organization is equal to the source. */
const expectCopy = async (target: Organization, name: string): Promise<void> => {
  await exportAll(target, name, '--format', 'jsonl');
  expect(await contentsOf(name)).toEqual(await contentsOf('jsonl'));
};

let source: Organization;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-import-all-'));
  source = await newOrganization();
  await writeFile(path('open.yaml'), setupText(false));
  await writeFile(path('final.yaml'), setupText(true));
  await apply(source, 'open.yaml');
  await createRecords(source.client);
  await apply(source, 'final.yaml');
  await exportAll(source, 'csv');
  await exportAll(source, 'jsonl', '--format', 'jsonl');
});
afterAll(() => rm(directory, { recursive: true }));

/** Forwards to the inbound gateway until it has forwarded as many writes as it may; then it cuts every connection. */
const startFailingProxy = async (
  writes: number,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  let left = writes;
  const server: Server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      if ((left -= 1) < 0) return void request.socket.destroy();
      const headers = { 'content-type': 'application/json', 'x-api-key': String(request.headers['x-api-key']) };
      const method = request.method ?? 'GET';
      const sent = body.length === 0 ? {} : { body };
      const answer = await fetch(`${stack.inboundUrl}${request.url ?? ''}`, { method, headers, ...sent });
      const mark = answer.headers.get('x-read-after');
      const more = mark === null ? {} : { 'x-read-after': mark };
      const status = answer.headers.get('x-record-status') ?? 'none';
      response.writeHead(answer.status, { 'content-type': 'application/json', 'x-record-status': status, ...more });
      response.end(await answer.text());
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
};

describe('crm import-all', () => {
  it.each(['csv', 'jsonl'])(
    'copies an organization with all that is archived, from %s; a second run changes nothing',
    async (format) => {
      const target = await newOrganization();
      const dry = reportOf(await importAll(format, target, '--dry-run'));
      expect({ dry, rejected: sumOf(dry, 'rejected') }).toMatchObject({
        dry: { complete: true, setup_changes: 0 },
        rejected: 0,
      });
      const first = await importAll(format, target);
      expect(first).toMatchObject({ exitCode: 0 });
      expect(sumOf(reportOf(first), 'warnings')).toBe(0);
      await expectCopy(target, `copy-of-${format}`);
      for (const more of [['--dry-run'], []]) {
        const again = reportOf(await importAll(format, target, ...more));
        expect(again).toMatchObject({ complete: true, plan: [], setup_changes: 0 });
        for (const count of ['created', 'updated', 'rejected'] as const)
          expect([count, sumOf(again, count)]).toEqual([count, 0]);
      }
      await expectCopy(target, `copy-of-${format}`.concat('-again'));
    },
  );

  it.each([1, 12, 16, 20, 24, 30])(
    'is equal after a run that stopped after %d calls, and one that continues',
    async (calls) => {
      const target = await newOrganization();
      const proxy = await startFailingProxy(calls);
      const args = ['import-all', path('csv'), ...gatewaysOf(target, proxy.url), '--yes', '--json', '--outage', '0'];
      const stopped = await runCrm(args);
      await proxy.stop();
      expect(stopped).toMatchObject({ exitCode: 1 });
      expect(await importAll('csv', target)).toMatchObject({ exitCode: 0 });
      await expectCopy(target, `stopped-${calls}`);
    },
  );

  it('stops at rejected rows, archives nothing before they are corrected, and names each conflict', async () => {
    const target = await newOrganization();
    await mkdir(path('faulty'));
    for (const name of ['setup.yaml', ...objects.map((object) => `${object}.jsonl`)])
      await writeFile(path('faulty', name), await readFile(path('jsonl', name)));
    const contacts = await readFile(path('jsonl', 'contacts.jsonl'), 'utf8');
    await writeFile(path('faulty', 'contacts.jsonl'), contacts.replace('bob@gmail.com', 'bob at gmail'));
    const refused = await importAll('faulty', target);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(reportOf(refused).files).toMatchObject([{ rejected: 0 }, { rejected: 1 }]);
    const { data } = await target.client.pipelines.list().page();
    expect(data.pipelines.map(({ is_active: isActive }) => isActive)).toEqual([true, true]);
    await writeFile(path('faulty', 'contacts.jsonl'), contacts);
    expect(await importAll('faulty', target)).toMatchObject({ exitCode: 0 });
    await expectCopy(target, 'corrected');
  });

  it('keeps what a record has in an organization that is in use, and says what differs', async () => {
    const target = await newOrganization();
    await target.client.accounts.create({ domain: 'acme.com', name: 'Other' });
    const report = reportOf(await importAll('csv', target));
    expect(report).toMatchObject({ complete: true });
    expect(report.files[0]).toMatchObject({ matched: 1, warnings: 4 });
    const { data } = await target.client.accounts.search({ query: 'acme.com', fields: 'name' }).page();
    expect(data.accounts[0]?.name).toBe('Other');
  });

  it('copies the values of more archived fields than one request can name', async () => {
    const [from, target] = [await newOrganization(), await newOrganization()];
    const ids: string[] = [];
    for (let number = 0; number < 101; number += 1) {
      const field = { object: 'account', slug: `f${number}`, current_name: `F${number}` } as const;
      const { data } = await from.client.fields.create({ ...field, attribute_type: 'string' });
      ids.push(data.field.field_id ?? '');
    }
    const custom_fields = Object.fromEntries(ids.map((_, number) => [`f${number}`, `value ${number}`]));
    await from.client.accounts.create({ domain: 'acme.com', custom_fields });
    for (const id of ids) await from.client.fields.update(id, { is_active: false });
    await exportAll(from, 'many', '--format', 'jsonl');
    expect((await rowsOf('many', 'accounts'))[0]).toMatchObject({ custom_fields });
    expect(await importAll('many', target)).toMatchObject({ exitCode: 0 });
    await exportAll(target, 'many-again', '--format', 'jsonl');
    expect((await rowsOf('many-again', 'accounts'))[0]).toMatchObject({ custom_fields });
  });

  it.each(['csv', 'jsonl'])('leaves empty what is empty in %s, also where a create fills it in', async (format) => {
    const [from, target, used] = [await newOrganization(), await newOrganization(), await newOrganization()];
    await createEmptyRecords(from.client);
    for (const { id } of [target, used])
      json(
        await runCrm([
          'org',
          'update',
          '--org',
          id,
          '--currency',
          'EUR',
          '--database-url',
          stack.databaseUrl,
          '--json',
        ]),
      );
    const folder = `empty-${format}`;
    await exportAll(from, folder, '--format', format);
    for (const [created, warnings] of [
      [5, 1],
      [0, 1],
    ] as const) {
      const report = reportOf(await importAll(folder, target));
      // The warning says that the account of a contact without one is created.
      expect([sumOf(report, 'created'), sumOf(report, 'warnings')]).toEqual([created, warnings]);
      await exportAll(target, 'filled', '--format', 'jsonl');
      const [accounts, contacts, deals] = await Promise.all(objects.map((object) => rowsOf('filled', object)));
      expect(deals).toMatchObject([{ amount: 5, stage: null, currency: null }]);
      expect(accounts?.map(({ name }) => name)).toContain(null);
      expect(contacts?.map((one) => one['account_domain'])).toEqual([null, null]);
    }
    await used.client.accounts.create({ domain: 'acme.com' });
    const report = reportOf(await importAll(folder, used));
    expect(JSON.stringify(report.files[0])).toContain('is empty in the export: the record keeps \\"Acme\\"');
  });

  it('rejects a deal that would become another one, because both lost the person of their key', async () => {
    const from = await newOrganization();
    const stages = [{ label: 'New' }];
    const { data } = await from.client.pipelines.create({ name: 'Sales', stages });
    for (const primary_contact_email of ['bob@gmail.com', 'eve@gmail.com'])
      await from.client.opportunities.create({
        pipeline_id: data.pipeline.pipeline_id,
        opportunity: { name: 'Same' },
        related_objects: { primary_contact_email },
      });
    for await (const { id } of from.client.contacts.search()) await from.client.contacts.delete(id);
    await exportAll(from, 'same');
    const report = reportOf(await importAll('same', await newOrganization()));
    expect(report).toMatchObject({ complete: false, files: [{}, {}, { created: 1, rejected: 1 }] });
    expect(JSON.stringify(report)).toContain('has the name of line 2 but another id');
  });

  it.each([
    ['a directory that is none', 'none', 'There is no directory'],
    ['a missing file', 'partial', 'has no contacts.csv or contacts.jsonl'],
  ])('refuses %s', async (_, folder, text) => {
    if (folder === 'partial') {
      await mkdir(path(folder));
      for (const name of ['setup.yaml', 'accounts.csv']) await writeFile(path(folder, name), '');
    }
    const { exitCode, stderr } = await importAll(folder, source);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(text) });
  });
});
