import { getAccount } from '@crm/contract';
import type { Answer } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;
let id: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  const { addAccount } = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  id = await addAccount('acme.example', 'Acme');
  await addAccount('other.example', 'Other');
});
afterAll(() => gateway.stop());

const get = (key: string, query = ''): Promise<Answer> =>
  gateway.client.send('GET', `/v1/accounts/by-domain/${encodeURIComponent(key)}`, { query });

describe('200', () => {
  test.each(['acme.example', 'WWW.Acme.Example', 'https://acme.example/path?x=1', 'acme.example.', ' acme.example '])(
    'normalizes %j and answers the same as the lookup by id',
    async (key) => {
      const answer = await get(key);
      expect(answer.status).toBe(200);
      const byId = await gateway.client.call(getAccount, { params: { id } });
      expect(answer.text).toBe(byId.text);
      expect(answer.headers.get('etag')).toBe(byId.headers.get('etag'));
      expect(answer.headers.get('etag')).toBe('"1"');
    },
  );

  test('finds the kept record of a merge by an alias', async () => {
    const text = `INSERT INTO account_aliases (organization_id, domain, account_id) VALUES ($1, 'merged.example', $2)`;
    await gateway.database.query(gateway.organization.id, { text, values: [id] });
    expect((await get('merged.example')).text).toBe((await get('acme.example')).text);
  });

  test('returns only the named fields', async () => {
    const { account } = (await get('acme.example', 'fields=version')).data as {
      account: Readonly<Record<string, unknown>>;
    };
    expect(account).toMatchObject({ id, version: 1 });
    expect(account).not.toHaveProperty('created_at');
  });
});

describe('400', () => {
  test.each(['acme', '127.0.0.1', 'a b.example', 'ac\\me.example', `${'a'.repeat(64)}.example`, 'x'.repeat(2_049)])(
    'refuses the domain %j',
    async (key) => {
      const answer = await get(key);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['domain']);
    },
  );

  test.each(['fields=nope', 'limit=1'])('refuses the query %s', async (query) => {
    const answer = await get('acme.example', query);
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual([query.slice(0, query.indexOf('='))]);
  });
});

describe('404', () => {
  test('answers an unknown domain and one of another organization alike', async () => {
    const { addAccount } = recordsOf(
      () => gateway.database,
      () => gateway.stranger,
    );
    await addAccount('foreign.example', 'Foreign');
    const unknown = await get('nobody.example');
    expect(unknown.status).toBe(404);
    expect((await get('foreign.example')).comparable).toBe(unknown.comparable);
  });
});
