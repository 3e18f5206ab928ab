// Sends the requests of docs/integrations/n8n.json. System tests run the other configurations with the tools themselves.
import { readFileSync } from 'node:fs';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestCrm, type TestCrm } from './support/crm.js';

const textOf = (file: string): string =>
  readFileSync(new URL(`../../../docs/integrations/${file}`, import.meta.url), 'utf8');

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

let crm: TestCrm;
beforeAll(async () => {
  crm = await startTestCrm(readTestStack());
  await crm.client.contacts.bulkCreate([1, 2, 3].map((n) => ({ email: `ann@sync${n}.example` })));
});
afterAll(() => crm.stop());

const get = async (path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> => {
  const url = `${crm.addresses.readUrl}${path}?${new URLSearchParams(parameters).toString()}`;
  const answer = await fetch(url, { headers: { 'x-api-key': crm.organization.key } });
  expect([url, answer.status]).toEqual([url, 200]);
  return answer.json();
};

describe('the requests of docs/integrations', () => {
  test('continue at the stored position: n8n', async () => {
    const node = JSON.parse(textOf('n8n.json')) as {
      url: string;
      queryParameters: { parameters: { name: string; value: string }[] };
    };
    const { data } = (await get('/v1/events/latest', {})) as { data: { position: number } };
    const { parameters } = node.queryParameters;
    const known = Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
    const query = { ...known, after: String(data.position), type: 'account.created' };
    await crm.client.accounts.create({ domain: 'later.example' });
    const body = await get(node.url.replace('READ', ''), query);
    expect(at(body, 'data.events')).toMatchObject([{ type: 'account.created', record: { domain: 'later.example' } }]);
    expect(at(body, 'data.next_position')).toBe(data.position + 1);
  });
});
