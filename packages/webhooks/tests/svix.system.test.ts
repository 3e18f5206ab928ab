import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventMessage, newSecret, signedHeaders } from '@crm/webhooks';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

const run = promisify(execFile);
// Guards against hangs only: most of the time is the download.
jest.setTimeout(300_000);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-svix-'));
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', directory, 'svix@2.5.0']);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Prints for each secret whether svix accepts the message. */
const receiver = `
  import { readFileSync } from 'node:fs';
  import { Webhook } from 'svix';
  const { body, headers, secrets } = JSON.parse(readFileSync(new URL('message.json', import.meta.url)));
  const accepts = (secret) => {
    try {
      new Webhook(secret).verify(body, headers);
      return 'accepted';
    } catch (error) {
      return error.name;
    }
  };
  console.log(JSON.stringify(secrets.map(accepts)));`;

test('a receiver with svix accepts a message with the old and the new secret of a rotation, and with no other', async () => {
  const [old, current, other] = [newSecret(), newSecret(), newSecret()];
  const keys = {
    type: 'account.created',
    object: 'account',
    recordId: 'b',
    version: 1,
    changed: [],
    mergedInto: null,
    mergedFrom: null,
  };
  const event = { id: 'a', position: 7, ...keys, occurredAt: new Date().toISOString(), json: Buffer.from('{}') };
  const message = eventMessage(event, 'thin', 'log');
  const headers = signedHeaders(message, [current, old], new Date());
  const sent = { body: message.body.toString('utf8'), headers, secrets: [old, current, other] };
  await writeFile(join(directory, 'message.json'), JSON.stringify(sent));
  await writeFile(join(directory, 'receiver.mjs'), receiver);
  const { stdout } = await run('npx', ['--yes', '-p', 'node@22', 'node', join(directory, 'receiver.mjs')]);
  expect(JSON.parse(stdout)).toEqual(['accepted', 'accepted', 'WebhookVerificationError']);
});
