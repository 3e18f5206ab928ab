import { randomUUID } from 'node:crypto';
import { createClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runCrm } from './run-crm.js';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

const { databaseUrl, readUrl, inboundUrl } = readTestStack();
let administered: AdministeredDatabase;
let apiKey: string;

beforeAll(async () => {
  administered = administer(databaseUrl);
  const org = await administered.createOrganization();
  const key = await administered.crmJson('key', 'create', '--org', org, '--allow', 'list,inbound,delete');
  apiKey = String(key['api_key']);
});
afterAll(() => administered.close());

const restore = (...args: string[]) => runCrm(['restore', ...args, '--url', inboundUrl, '--api-key', apiKey]);

it('restores a deleted account by its id, and says which deletion is not there', async () => {
  const { accounts } = createClient({ readUrl, inboundUrl, apiKey });
  const { data } = await accounts.create({ domain: 'acme.example' });
  await accounts.delete(data.company_id);
  expect((await restore('account', data.company_id)).stdout).toBe(`Restored account ${data.company_id}.\n`);
  expect((await accounts.get(data.company_id)).version).toBe(2);
  const unknown = randomUUID();
  const refused = await restore('opportunity', unknown);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain(`The change log retains no deletion of the opportunity ${unknown}.`);
});

it('merges records by domain, and says what is not there', async () => {
  const { accounts } = createClient({ readUrl, inboundUrl, apiKey });
  const [kept, gone] = [
    await accounts.create({ domain: 'kept.example' }),
    await accounts.create({ domain: 'gone.example' }),
  ];
  const merge = (...args: string[]) => runCrm(['merge', 'account', ...args, '--url', inboundUrl, '--api-key', apiKey]);
  const merged = await merge('kept.example', 'gone.example', '--read-url', readUrl);
  expect(merged.stdout).toContain(`Merged account ${gone.data.company_id} into ${kept.data.company_id}.`);
  for (const text of ['other.example', 'no domain'])
    expect((await merge(text, 'gone.example', '--read-url', readUrl)).stderr).toContain(`There is no account ${text}.`);
  expect(await merge('kept.example', 'gone.example')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('kept.example is not an id'),
  });
});
