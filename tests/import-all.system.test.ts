import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { createClient, type CrmClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

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

/** The setup file, and `archived: true` at the entries that have a mark. */
const setupText = (isArchived: boolean): string => `
members:
  - { email: ann@team.example, name: Ann }
  - { email: gone@team.example, name: Gone${isArchived ? ', archived: true' : ''} }
pipelines:
  - name: Sales
    stages:
      - { label: New, probability: 10 }
      - { label: "Talks: 2", color: red, default: true }
      - { label: Dropped${isArchived ? ', archived: true' : ''} }
  - name: Retired
    ${isArchived ? 'archived: true' : ''}
    stages: [{ label: Open }, { label: Done }]
fields:
  - object: account
    slug: tier
    name: Tier
    type: select
    options:
      - { label: Gold, value: g }
      - { label: Lead, value: l${isArchived ? ', archived: true' : ''} }
      ${isArchived ? '- { label: Lead, value: l2 }\n      - { label: l, value: l3, archived: true }' : ''}
  - { object: account, slug: tags, name: Tags, type: multi_select, options: [{ label: "a, b", value: a${isArchived ? ', archived: true' : ''} }, { label: 'x "y"', value: x }] }
  - { object: contact, slug: legacy, name: Legacy, type: string${isArchived ? ', archived: true' : ''} }
  - { object: contact, slug: place, name: Place, type: location${isArchived ? ', archived: true' : ''} }
  - { object: contact, slug: secret, name: Secret, type: number, hidden: true }
  - { object: opportunity, slug: team, name: Team, type: team_members${isArchived ? ', archived: true' : ''} }
  - { object: opportunity, slug: seen, name: Seen, type: timestamp${isArchived ? ', archived: true' : ''} }
  - { object: opportunity, slug: kind, name: Kind, type: radio, pipelines: [Retired], options: [{ label: K, value: k }]${isArchived ? ', archived: true' : ''} }
  - { object: opportunity, slug: unused, name: Unused, type: url, hidden: true${isArchived ? ', archived: true' : ''} }
`;

const createRecords = async ({ client }: Organization): Promise<void> => {
  const { data } = await client.pipelines.list().page();
  const idOf = (name: string): string => data.pipelines.find((one) => one.name === name)?.pipeline_id ?? '';
  await client.accounts.bulkCreate([
    { domain: 'acme.com', name: 'Acme', external_id: '0012', custom_fields: { tier: 'l', tags: ['x', 'a'] } },
    { domain: 'tags.example', custom_fields: { tier: 'g', tags: ['a'] } },
    { domain: 'plain.example', description: '=1+1' },
  ]);
  const place = { city: 'São "Paulo"', country: 'BR' };
  await client.contacts.bulkCreate([
    { email: 'ann@acme.com', first_name: 'Ann', custom_fields: { legacy: ' 0012\n', place, secret: -0.5 } },
    { email: 'bob@gmail.com', last_name: 'Bob', custom_fields: { legacy: '' } },
    { email: 'cy@moved.example', account_domain: 'acme.com' },
  ]);
  const deal = (pipeline: string, name: string, fields: object, related: object) => ({
    pipeline_id: idOf(pipeline),
    opportunity: { name, ...fields },
    related_objects: related,
  });
  const team = ['gone@team.example', 'ann@team.example'];
  const { data: bulk } = await client.opportunities.bulkCreate([
    deal(
      'Sales',
      'Everything',
      { deal_size: 48000.5, currency: 'EUR', custom_fields: { team, seen: 1772442000123 } },
      { account_domain: 'acme.com', primary_contact_email: 'bob@gmail.com', owner_email: 'gone@team.example' },
    ),
    deal('Retired', 'Old', { close_date: '2026-01-02', custom_fields: { kind: 'k' } }, { account_domain: 'acme.com' }),
    deal('Retired', 'Old', {}, { primary_contact_email: 'bob@gmail.com', owner_email: 'ann@team.example' }),
    deal('Sales', 'No one’s', {}, {}),
  ]);
  const ids = bulk.results.map(({ id }) => id ?? '');
  for (const title of ['Twice', 'Twice'])
    await client.notes.create({ note: { title }, contact_emails: ['ann@acme.com', 'bob@gmail.com'] });
  await client.notes.create({
    note: { content: 'Of deals\r\n' },
    related_objects: { opportunity_ids: ids.slice(0, 3) },
  });
  const related_objects = { opportunity_ids: [ids[3] ?? ''] };
  await client.notes.create({ note: { title: 'Of both' }, account_domains: ['tags.example'], related_objects });
};

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
  await createRecords(source);
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
