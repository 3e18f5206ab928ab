import { spawn } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { readTestStack, until } from '@crm/testing';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { runCrm, type CrmResult } from './support/run-crm.js';
import { launcher } from './support/running-stack.js';
import { createRecords } from './support/round-trip-records.js';
import {
  quietMember,
  setUpTwoOrganizations,
  type SetUpOrganization,
  type TwoOrganizations,
} from './support/two-organizations.js';

const objects = ['accounts', 'contacts', 'opportunities', 'notes'] as const;
const gatewaysOwn = ['id', 'created_at', 'updated_at', 'version'];

const stack = readTestStack();
let crm: TwoOrganizations;
let directory: string;
beforeAll(async () => {
  crm = await setUpTwoOrganizations(stack);
  directory = await mkdtemp(join(tmpdir(), 'crm-round-trip-'));
  await createRecords(crm.source);
});
afterAll(() => rm(directory, { recursive: true }));

const keyOf = ({ organization }: SetUpOrganization): readonly string[] => ['--api-key', organization.key];
const path = (name: string): string => join(directory, name);

const exportTo = async (file: string, from: SetUpOrganization, object: string, ...more: string[]): Promise<unknown> => {
  const format = file.endsWith('.jsonl') ? 'jsonl' : 'csv';
  const url = ['--url', stack.readUrl, '--format', format];
  const result = await runCrm(['export', object, '--output', path(file), ...url, ...keyOf(from), '--json', ...more]);
  expect(result).toMatchObject({ exitCode: 0 });
  return JSON.parse(result.stdout);
};

const importFrom = (file: string, ...more: string[]): Promise<CrmResult> => {
  const urls = ['--url', stack.inboundUrl, '--read-url', stack.readUrl, '--rejects', path('rejects')];
  return runCrm(['import', path(file), ...urls, ...keyOf(crm.target), '--json', ...more]);
};

/** The records of a file without the fields that only the gateways set, sorted independently of these. */
const recordsOf = async (file: string): Promise<readonly string[]> => {
  const content = await readFile(path(file), 'utf8');
  const records = file.endsWith('.jsonl')
    ? content.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))
    : parse(content, {
        columns: true,
        cast: (cell, { quoting }) => (quoting && cell === '' ? 'the empty text' : cell),
      });
  return (records as Record<string, unknown>[])
    .map((record) => {
      const entries = Object.entries(record).filter(([name]) => !gatewaysOwn.includes(name));
      return JSON.stringify(Object.fromEntries(entries));
    })
    .sort();
};

describe('crm export and crm import', () => {
  it.each(['csv', 'jsonl'])('copy an empty organization as %s', async (format) => {
    for (const object of objects) {
      const file = `none-${object}.${format}`;
      expect(await exportTo(file, crm.target, object)).toMatchObject({ records: 0 });
      const { exitCode, stdout } = await importFrom(file);
      expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ rows: 0, rejected: 0 })]);
    }
  });

  it.each(['csv', 'jsonl'])('copy everything into another organization as %s', async (format) => {
    // An organization that had these notes would refuse the ids of deleted ones.
    crm = { ...crm, target: (await setUpTwoOrganizations(stack)).target };
    for (const object of objects) {
      const file = `${object}.${format}`;
      expect(await exportTo(file, crm.source, object)).toMatchObject({ object, unknown_members: 0 });
      const result = await importFrom(file);
      expect(JSON.parse(result.stdout)).toMatchObject({ complete: true, rejected: 0, warnings: 0 });
    }
    for (const object of objects) {
      await exportTo(`again-${object}.${format}`, crm.target, object);
      const records = await recordsOf(`${object}.${format}`);
      expect(records.length).toBeGreaterThanOrEqual(3);
      expect(await recordsOf(`again-${object}.${format}`)).toEqual(records);
    }
    expect((await readdir(directory)).filter((name) => /partial|progress\.json|rejects/.test(name))).toEqual([]);
  });

  it.each([
    ['with', 'notes.jsonl.progress'],
    ['without', 'lost.progress'],
  ])('can run again %s its progress file: every record is matched, and no note is created twice', async (_, name) => {
    for (const object of objects) {
      const { stdout } = await importFrom(`${object}.jsonl`, '--progress', path(name));
      expect(JSON.parse(stdout)).toMatchObject({ created: 0, updated: 0, rejected: 0, warnings: 0 });
    }
  });

  it('change existing records with --on-match update, and reject invalid rows with their line', async () => {
    const content = await readFile(path('accounts.csv'), 'utf8');
    await appendFile(
      path('changed.csv'),
      content.replace('1e5', 'Trade').replace('xn--mller-kva.example', 'no domain'),
    );
    const result = await importFrom('changed.csv', '--on-match', 'update');
    expect(JSON.parse(result.stdout)).toMatchObject({ created: 0, updated: 1, rejected: 1 });
    expect(await readFile(path('rejects'), 'utf8')).toMatch(/^line,field,reason,id,domain,.*\n\d+,domain,.*no domain/s);
    await rm(path('rejects'));
    const { data } = await crm.target.client.accounts.search({ query: 'acme.com', fields: 'industry' }).page();
    expect(data.accounts[0]?.industry).toBe('Trade');
  });
});

describe('crm export', () => {
  it('escapes formulas in CSV, --raw keeps them, and both import to the same texts', async () => {
    for (const raw of [[], ['--raw']]) {
      const file = `formulas${raw.length}.csv`;
      await exportTo(file, crm.source, 'accounts', ...raw);
      expect(await readFile(path(file), 'utf8')).toContain(raw.length === 0 ? ",'=1+1" : ',=1+1');
      expect((await importFrom(file, ...raw, '--on-match', 'update')).exitCode).toBe(0);
      await exportTo('formulas.jsonl', crm.target, 'accounts', ...raw);
      expect(await readFile(path('formulas.jsonl'), 'utf8')).toContain('"secret":"=1+1"');
    }
  });

  it('finds the emails of members through the API, and reports how many members stay ids', async () => {
    const membersIn = async (unknown: number): Promise<string> => {
      expect(await exportTo('members.jsonl', crm.source, 'accounts')).toMatchObject({ unknown_members: unknown });
      return readFile(path('members.jsonl'), 'utf8');
    };
    expect(await membersIn(0)).toContain('"a_team_members":["quiet@team.example","owner@team.example"]');
    const quietId = async (): Promise<string | undefined> => {
      const { data } = await crm.source.client.members.list().page();
      return data.members.find(({ email }) => email === quietMember)?.member_id;
    };
    await crm.source.client.members.delete((await quietId()) ?? '');
    // A gateway keeps the setup for up to a second.
    await until(async () => (await quietId()) === undefined, 50);
    expect(await membersIn(1)).toMatch(/"a_team_members":\["[0-9a-f-]{36}","owner@team\.example"\]/);
  });

  it('writes the named columns with the natural keys, and one pipeline', async () => {
    const narrowed = ['--fields', 'amount,custom_fields.secret', '--pipeline', 'Partners', '--format', 'jsonl'];
    await exportTo('narrow.jsonl', crm.source, 'opportunities', ...narrowed);
    expect(await recordsOf('narrow.jsonl')).toEqual([
      '{"pipeline":"Partners","name":"Everything","amount":0,"account_domain":"acme.com","primary_contact_email":null,"custom_fields":{}}',
    ]);
    const args = ['export', 'notes', '--output', '-', '--url', stack.readUrl, ...keyOf(crm.source)];
    expect(await runCrm([...args, '--fields', 'titel'])).toMatchObject({ exitCode: 2 });
    expect((await runCrm([...args, '--fields', 'title'])).stdout).toMatch(
      /^id,title\n.{36},\n.{36},Twice\n.{36},Twice\n$/,
    );
  });

  it('continues after a kill, and writes the same file', async () => {
    const rows = Array.from({ length: 1100 }, (_, index) => ({ domain: `many-${index}.example` }));
    while (rows.length > 0) await crm.source.client.accounts.bulkCreate(rows.splice(0, 100));
    await exportTo('whole.csv', crm.source, 'accounts');
    const slow = await startStallingProxy(stack.readUrl, 3);
    const args = ['export', 'accounts', '--output', path('killed.csv'), '--url', slow.url, ...keyOf(crm.source)];
    const child = spawn(process.execPath, [launcher, ...args], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await slow.stalled;
    child.kill('SIGKILL');
    await ended;
    // The export may also have been killed in the middle of a write.
    await appendFile(path('killed.csv.partial'), 'half a li');
    const other = await runCrm([...args, '--fields', 'name']);
    expect(other).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--restart') });
    const resumed = await runCrm(args);
    expect(resumed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Continuing after 1000 accounts') });
    await slow.close();
    expect(await readFile(path('killed.csv'), 'utf8')).toBe(await readFile(path('whole.csv'), 'utf8'));
    expect((await readdir(directory)).filter((name) => name.startsWith('killed'))).toEqual(['killed.csv']);
  });
});

/** Forwards requests, except for one search that it never answers. */
const startStallingProxy = async (
  target: string,
  stalledSearch: number,
): Promise<{ url: string; stalled: Promise<void>; close: () => Promise<void> }> => {
  let searches = 0;
  let stall: () => void = () => undefined;
  const stalled = new Promise<void>((resolve) => (stall = resolve));
  const server: Server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      if (request.url === '/v1/accounts/search' && (searches += 1) === stalledSearch) {
        stall();
        return;
      }
      const headers = { 'content-type': 'application/json', 'x-api-key': String(request.headers['x-api-key']) };
      const method = request.method ?? 'GET';
      const answer = await fetch(`${target}${request.url ?? ''}`, { method, headers, ...(body !== '' && { body }) });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stalled,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
};
