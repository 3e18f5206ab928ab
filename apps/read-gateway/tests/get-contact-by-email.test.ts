import { getContact } from '@crm/contract';
import type { Answer } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;
let id: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  const { addContact } = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  id = await addContact('ann@acme.example', 'Acme', null);
  await addContact('bob@acme.example', 'Other', null);
});
afterAll(() => gateway.stop());

const get = (key: string, query = ''): Promise<Answer> =>
  gateway.client.send('GET', `/v1/contacts/by-email/${encodeURIComponent(key)}`, { query });

describe('200', () => {
  test.each(['ann@acme.example', 'ANN@Acme.Example', ' ann@acme.example. '])(
    'normalizes %j and answers the same as the lookup by id',
    async (key) => {
      const answer = await get(key);
      expect(answer.status).toBe(200);
      const byId = await gateway.client.call(getContact, { params: { id } });
      expect(answer.text).toBe(byId.text);
      expect(answer.headers.get('etag')).toBe(byId.headers.get('etag'));
      expect(answer.headers.get('etag')).toBe('"1"');
    },
  );

  test('finds the kept record of a merge by an alias', async () => {
    const text = `INSERT INTO contact_aliases (organization_id, email, contact_id) VALUES ($1, 'merged@acme.example', $2)`;
    await gateway.database.query(gateway.organization.id, { text, values: [id] });
    expect((await get('merged@acme.example')).text).toBe((await get('ann@acme.example')).text);
  });

  test('returns only the named fields', async () => {
    const { contact } = (await get('ann@acme.example', 'fields=version')).data as {
      contact: Readonly<Record<string, unknown>>;
    };
    expect(contact).toMatchObject({ id, version: 1 });
    expect(contact).not.toHaveProperty('created_at');
  });
});

describe('400', () => {
  test.each(['ann', 'ann@acme', 'Ann <ann@acme.example>', 'a b@acme.example', '@acme.example', 'x'.repeat(2_049)])(
    'refuses the email %j',
    async (key) => {
      const answer = await get(key);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['email']);
    },
  );

  test.each(['fields=nope', 'limit=1'])('refuses the query %s', async (query) => {
    const answer = await get('ann@acme.example', query);
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual([query.slice(0, query.indexOf('='))]);
  });
});

describe('404', () => {
  test('answers an unknown email and one of another organization alike', async () => {
    const { addContact } = recordsOf(
      () => gateway.database,
      () => gateway.stranger,
    );
    await addContact('zoe@foreign.example', 'Foreign', null);
    const unknown = await get('nobody@acme.example');
    expect(unknown.status).toBe(404);
    expect((await get('zoe@foreign.example')).comparable).toBe(unknown.comparable);
  });
});
