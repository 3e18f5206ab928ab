import { createClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { runCrm } from './run-crm.js';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

const url = 'https://hooks.example.com/crm';
const { databaseUrl, readUrl, inboundUrl } = readTestStack();
let administered: AdministeredDatabase;
let directory: string;
let org: string;
let apiKey: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-webhooks-'));
  administered = administer(databaseUrl, { WEBHOOK_SECRET_KEY: Buffer.alloc(32, 'key').toString('base64') });
  org = await administered.createOrganization();
  const key = await administered.crmJson('key', 'create', '--org', org, '--allow', 'webhooks,list,inbound');
  apiKey = String(key['api_key']);
});
afterAll(async () => {
  await administered.close();
  await rm(directory, { recursive: true });
});

describe('crm webhook', () => {
  it('listen posts each change, signed, until Ctrl-C', async () => {
    const secret = `whsec_${Buffer.alloc(24, 'secret').toString('base64')}`;
    const received: unknown[] = [];
    const bodies: string[] = [];
    const interrupt = new AbortController();
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        const headers = request.headers as Record<string, string>;
        const body = Buffer.concat(chunks).toString('utf8');
        bodies.push(body);
        received.push(new Webhook(secret).verify(body, headers));
        response.writeHead(received.length === 1 ? 500 : 204).end();
        if (received.length === 2) interrupt.abort();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = createClient({ readUrl, inboundUrl, apiKey });
    const { data } = await client.events.latest();
    for (const domain of ['one.example', 'two.example']) await client.accounts.create({ domain });
    const forward = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const args = ['webhook', 'listen', '--forward', forward, '--secret', secret, '--after', String(data.position)];
    expect((await runCrm(args, { CRM_DATA_DIR: directory })).stderr).toMatch(/^crm: No gateway is given/);
    const result = await runCrm([...args, '--url', readUrl, '--api-key', apiKey], {}, interrupt.signal);
    server.close();
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/answered 500\n.+answered 204\n/) as unknown,
      stderr: `Posting changes to ${forward}, signed with the secret ${secret}\n`,
    });
    const events = (await client.events.list({ after: data.position })).data.events;
    expect(received).toMatchObject(events.map((event) => ({ type: event.type, data: event, log_id: data.log_id })));
    // The bytes are those of the API, which the worker sends too. A receiver that serializes again fails here as it would there.
    const address = `${readUrl}/v1/events?after=${data.position}`;
    const page = await (await fetch(address, { headers: { 'x-api-key': apiKey } })).text();
    const sent = bodies.map((body) => body.slice(body.indexOf(',"data":') + ',"data":'.length, -1));
    expect(page).toContain(`"events":[${sent.join(',')}]`);
    expect(sent.map((text) => JSON.stringify(JSON.parse(text)) === text)).toEqual([false, false]);
  });
});

describe('crm apply', () => {
  const apply = async (text: string) => {
    const file = join(directory, 'setup.yaml');
    await writeFile(file, text);
    const { exitCode, stdout, stderr } = await administered.crm('apply', file, '--org', org, '--yes', '--json');
    const result = JSON.parse(stdout) as Record<string, unknown>;
    // stderr has only the secrets, as soon as they are made.
    const lines = Object.entries(result['secrets'] ?? {}).map(
      ([hook, secret]) => `Secret of ${hook}, not shown again: ${secret}\n`,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: lines.join('') });
    return result;
  };

  it('adds and changes webhooks, and shows the secrets of new ones', async () => {
    const file = `webhooks: [{ url: '${url}/apply', objects: [note, account] }]`;
    const { plan, secrets } = await apply(file);
    expect([plan, secrets]).toEqual([
      [`add the webhook ${url}/apply`],
      { [`${url}/apply`]: expect.stringMatching(/^whsec_/) },
    ]);
    expect(await apply(file.replace('note, account', 'account, note'))).toEqual({
      plan: [],
      applied: false,
      changes: 0,
      proposals: [],
    });
    const filtered = file.replace(' }', ', changed: [custom__apply_tier, name, title] }');
    const field = 'fields: [{ object: account, slug: apply_tier, name: Tier, type: string }]';
    expect(await apply(`${field}\n${filtered}`)).toMatchObject({ applied: true });
    expect(await apply(filtered)).toEqual({ plan: [], applied: false, changes: 0, proposals: [] });
    const changed = await apply(file.replace(' }', ', paused: true, payload: thin }'));
    expect(changed['plan']).toEqual([`change the webhook ${url}/apply: payload: full → thin, state: active → paused`]);
  });
});
