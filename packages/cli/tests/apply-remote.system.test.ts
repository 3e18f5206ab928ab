import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { runCrm, type CrmResult } from './run-crm.js';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

const { databaseUrl, readUrl, inboundUrl } = readTestStack();
const texts = ['members: [{ email: a@example.com }, { email: b@example.com }]'];
texts.push('webhooks: [{ url: "https://hooks.example.com/1" }, { url: "https://hooks.example.com/2" }]');
const text = texts.join('\n');

let administered: AdministeredDatabase;
let directory: string;
let apiKey: string;
let org: string;

const write = (content: string): Promise<void> => writeFile(join(directory, 'setup.yaml'), content);

beforeAll(async () => {
  administered = administer(databaseUrl);
  directory = await mkdtemp(join(tmpdir(), 'crm-apply-remote-'));
});
afterAll(async () => {
  await administered.close();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  await write(text);
  org = await administered.createOrganization();
  const key = await administered.crmJson('key', 'create', '--org', org, '--allow', 'list,inbound,setup,webhooks');
  apiKey = String(key['api_key']);
});

/** What stands before the inbound gateway does with the nth call, from 1. It returns false to pass the call on. */
type Handle = (nth: number, response: ServerResponse) => boolean;

const answer = (response: ServerResponse, status: number, headers: Record<string, string> = {}): true => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ success: status < 400, message: 'Stopped', data: {} }));
  return true;
};

/** A server before the inbound gateway. */
const before = async (handle: Handle): Promise<Server> => {
  let calls = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      calls += 1;
      if (handle(calls, response)) return;
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const init = { method: request.method ?? 'POST', headers, body: Buffer.concat(chunks) };
      void fetch(`${inboundUrl}${request.url}`, init).then(async (passed) => {
        response.writeHead(passed.status, Object.fromEntries(passed.headers));
        response.end(Buffer.from(await passed.arrayBuffer()));
      });
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
};

const run = async (handle: Handle, ...args: string[]): Promise<CrmResult> => {
  const server = await before(handle);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const addresses = ['--url', url, '--read-url', readUrl, '--api-key', apiKey];
  try {
    return await runCrm([...args, ...addresses]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const apply = (handle: Handle, ...args: string[]): Promise<CrmResult> =>
  run(handle, 'apply', join(directory, 'setup.yaml'), '--yes', ...args);

const passOn: Handle = () => false;

/** Answers as the gateway does to a move of more than it moves in one call. */
const refuse = (response: ServerResponse, moved: number): true => {
  response.writeHead(409, { 'content-type': 'application/json' });
  const counts = { opportunities: 1, moved };
  response.end(JSON.stringify({ success: false, code: 'conflict', message: 'Send it again', counts }));
  return true;
};

it('crm api repeats a call that has moved 10,000 opportunities', async () => {
  expect((await apply(passOn)).exitCode).toBe(0);
  const { members } = (await administered.api(org, 'GET /v1/members')) as { members: { member_id: string }[] };
  const [one, other] = members.map(({ member_id: id }) => id);
  const remove = ['api', 'DELETE', `/v1/inbound/members/${one}`, '-f', `reassign_to=${other}`];
  const stopped = await run((_nth, response) => refuse(response, 0), ...remove);
  expect(stopped).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Send it again') as unknown });
  const repeated = await run((nth, response) => nth < 3 && refuse(response, 10_000), ...remove);
  expect(repeated).toMatchObject({ exitCode: 0, stderr: 'Send it again: continuing.\n'.repeat(2) });
});

describe('crm apply with --url and --api-key', () => {
  it('waits as long as a 429 or 503 asks, and makes each change once', async () => {
    const wait: Handle = (nth, response) =>
      [1, 3].includes(nth) && answer(response, nth === 1 ? 429 : 503, { 'retry-after': '1' });
    const result = await apply(wait);
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Applied 4 changes.') as unknown });
    expect(result.stderr).toMatch(/answered 429: waiting 1 s[^]*answered 503: waiting 1 s/);
    expect((await apply(passOn)).stdout).toBe('Nothing to do.\n');
  });

  it('prints each secret when it is made, and says how many changes were made, if a later one is refused', async () => {
    const refuse: Handle = (nth, response) => nth === 4 && answer(response, 409);
    const { exitCode, stdout, stderr } = await apply(refuse);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: expect.stringMatching(
        /^Secret of https:\/\/hooks.example.com\/1, not shown again: whsec_\S+\n$/,
      ) as unknown,
    });
    expect(stderr).toContain(
      'Failed: add the webhook https://hooks.example.com/2. Stopped. 3 of 4 changes were made. Run',
    );
  });

  it('prints one object with the secrets and the error with --json, and each secret on stderr when it is made', async () => {
    const { exitCode, stdout, stderr } = await apply((nth, response) => nth === 4 && answer(response, 409), '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      applied: false,
      changes: 3,
      secrets: { 'https://hooks.example.com/1': expect.stringMatching(/^whsec_/) as unknown },
      error: { exit_code: 1, message: expect.stringContaining('3 of 4 changes were made') as unknown },
    });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('/1, not shown again: whsec_') as unknown,
    });
  });

  it.each([
    [
      'a lost connection',
      (response: ServerResponse) => Boolean(response.destroy()),
      '1 of 4 changes was made, and perhaps this one',
    ],
    [
      'an error of the server',
      (response: ServerResponse) => answer(response, 500),
      '1 of 4 changes was made, and perhaps this one',
    ],
    ['a revoked key', (response: ServerResponse) => answer(response, 401), '1 of 4 changes was made. Run'],
  ])('after %s, says how many changes were made', async (_title, stop, message) => {
    const result = await apply((nth, response) => nth === 2 && stop(response));
    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) as unknown });
    expect((await apply(passOn)).stdout).toContain('Applied 3 changes.');
  });

  it.each([
    [
      'a field that it does not have',
      'https://hooks.example.com/3',
      '[phnoe]',
      'changed[0]: "phnoe" is not a field of',
    ],
    ['an archived field', 'https://hooks.example.com/3', '[region]', '"region" is not a field of'],
    [
      'a field of a removed object',
      'https://hooks.example.com/1',
      undefined,
      'tier" is not a field of notes: give changed too',
    ],
  ])('refuses a webhook on changes of %s before the first change', async (_title, url, changed, message) => {
    const fields = ['tier', 'region'].map((slug) => `{ object: account, slug: ${slug}, name: X, type: string }`);
    await write(`fields: [${fields.join(', ')}]
webhooks: [{ url: "https://hooks.example.com/1", objects: [account], changed: [custom__tier] }]`);
    expect((await apply(passOn)).exitCode).toBe(0);
    await write(`fields: [${fields[1]?.replace(' }', ', archived: true }') ?? ''}]`);
    expect((await apply(passOn)).exitCode).toBe(0);
    const objects = changed === undefined ? 'objects: [note]' : `objects: [account], changed: ${changed}`;
    await write(`members: [{ email: first@example.com }]\nwebhooks:\n  - { url: "${url}", ${objects} }`);
    const result = await apply(passOn, '--dry-run');
    expect(result).toMatchObject({
      exitCode: 78,
      stderr: expect.stringContaining('setup.yaml:3: webhooks[0]') as unknown,
    });
    expect(result.stderr).toContain(message);
  });

  it('makes a webhook on changes of a field that the same file defines or restores', async () => {
    const field = (rest: string) => `fields: [{ object: account, slug: tier, name: Tier, type: string${rest} }]`;
    await write(field(', archived: true'));
    expect((await apply(passOn)).exitCode).toBe(0);
    const hook = 'webhooks: [{ url: "https://hooks.example.com/1", changed: [tier, custom__size] }]';
    await write(
      `${field(', archived: false').replace(']', ', { object: account, slug: size, name: Size, type: string }]')}\n${hook}`,
    );
    expect(await apply(passOn)).toMatchObject({ exitCode: 0, stderr: expect.any(String) as unknown });
  });

  it('repeats a call that has moved 10,000 opportunities, and a later run moves what an interrupted one has left', async () => {
    const client = createClient({ readUrl, inboundUrl, apiKey });
    const stages = [{ label: 'Old' }, { label: 'New' }];
    const { data } = await client.pipelines.create({ name: 'Sales', stages });
    const pipelineId = data.pipeline.pipeline_id;
    const [old = '', next = ''] = data.stages.map((one) => one.stage_id);
    const opportunity = { name: 'Deal', stage_id: old };
    const created = await client.opportunities.create({ pipeline_id: pipelineId, opportunity });
    await write('pipelines: [{ name: Sales, stages: [{ label: Old, archived: true, move_to: New }, { label: New }] }]');
    const stageOf = async () => (await client.opportunities.get(created.data.opportunity_id)).data.opportunity.stage_id;
    const stopped = await apply((_nth, response) => refuse(response, 0));
    expect(stopped).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('0 of 1 change') as unknown });
    const result = await apply((nth, response) => nth < 3 && refuse(response, 10_000));
    expect(result).toMatchObject({ exitCode: 0, stdout: 'Applied 1 change.\n' });
    expect(await stageOf()).toBe(next);
    // As after a move that stopped: the stage is archived, and has an opportunity.
    const text = 'UPDATE opportunities SET stage_id = $2 WHERE organization_id = $1';
    await administered.database.queryServer({ text, values: [org, old] });
    const continued = await apply(passOn);
    expect(continued).toMatchObject({ exitCode: 0, stdout: 'Applied 1 change.\n' });
    expect(continued.stderr).toContain('move the opportunities that are left in the stage Old of Sales to New');
    expect(await stageOf()).toBe(next);
    expect((await apply(passOn)).stdout).toBe('Nothing to do.\n');
  });

  it('fails if the organization is not in the state of the file afterwards', async () => {
    const member = { member_id: crypto.randomUUID() };
    const result = await apply((nth, response) => {
      if (nth !== 1) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, message: 'Member added', data: { member } }));
      return true;
    });
    expect(result).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('add the member a@example.com') as unknown,
    });
    expect(result.stderr).toContain('4 changes were made, but the organization still differs from the file');
  });

  it('stops at Ctrl-C after the change in progress, and says how many were made', async () => {
    const interrupt = new AbortController();
    const server = await before((nth) => {
      if (nth === 2) interrupt.abort();
      return false;
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = [
      'apply',
      join(directory, 'setup.yaml'),
      '--yes',
      '--url',
      url,
      '--read-url',
      readUrl,
      '--api-key',
      apiKey,
    ];
    const { exitCode, stderr } = await runCrm(args, {}, interrupt.signal);
    server.close();
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('Interrupted. 2 of 4 changes were made') as unknown,
    });
  });
});
