import type { TestOrganization } from '@crm/testing';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
let organization: TestOrganization;
const url = 'https://hooks.example.com/crm';

beforeEach(async () => {
  organization = await gateway().createOrganization();
});

const send = (method: string, path: string, body?: object, key = organization.key) =>
  gateway().client.send(method, `/v1/inbound/webhooks${path}`, { key, ...(body === undefined ? {} : { body }) });
const create = async (body: object = {}) => {
  const { data } = await send('POST', '', { url, ...body });
  return data as { readonly webhook: { readonly webhook_id: string }; readonly secret: string };
};
const errorsOf = async (method: string, path: string, body: object) => {
  const { status, errors } = await send(method, path, body);
  return [status, errors];
};
const addAccount = () =>
  gateway().client.send('POST', '/v1/inbound/accounts', {
    key: organization.key,
    body: { domain: 'acme.example' },
  });

describe('200', () => {
  test('creates a webhook that starts at the end of the log, and shows its secret once', async () => {
    await addAccount();
    const { webhook, secret } = await create({ objects: ['account'], payload: 'thin', description: 'Billing' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(webhook).toMatchObject({ state: 'active', position: 1, last_position: 1, objects: ['account'], types: [] });
    const text = 'SELECT secret FROM webhook_endpoints WHERE organization_id = $1';
    const [row] = await gateway().database.query<{ secret: string }>(organization.id, { text, values: [] });
    expect(row?.secret).not.toContain(secret.slice(6));
    expect((await send('PATCH', `/${webhook.webhook_id}`, { state: 'paused' })).text).not.toContain('whsec_');
  });

  test('updates, pauses, tests, rotates, replays and deletes', async () => {
    await addAccount();
    const { webhook, secret } = await create();
    const path = `/${webhook.webhook_id}`;
    expect((await send('PATCH', path, { state: 'paused', types: ['account.created'] })).data).toMatchObject({
      webhook: { state: 'paused', types: ['account.created'], url },
    });
    const rotated = (await send('POST', `${path}/rotate-secret`)).data as { secret: string };
    expect(rotated.secret).not.toBe(secret);
    expect((await send('POST', `${path}/test`)).status).toBe(200);
    expect((await send('POST', `${path}/replay`, { from: 1 })).data).toMatchObject({
      webhook: { replay: { position: 0, to: 1 } },
    });
    expect((await send('POST', `${path}/replay`, { from: 1 })).status).toBe(409);
    expect((await send('DELETE', path)).status).toBe(200);
    expect((await send('DELETE', path)).status).toBe(404);
    const audit = `SELECT action, actor, details->>'url' AS url FROM audit_events
      WHERE organization_id = $1 AND target = $2 ORDER BY created_at`;
    const rows = await gateway().database.pool.query(audit, [organization.id, webhook.webhook_id]);
    const actor = expect.stringMatching(/^API key [0-9a-f-]{36}$/) as unknown;
    expect(rows.rows).toEqual(
      ['create', 'update', 'rotate_secret', 'delete'].map((name) => ({ action: `webhook.${name}`, actor, url })),
    );
  });
});

describe('400', () => {
  test.each([
    ['http://hooks.example.com/', 'must start with https://'],
    ['https://192.168.0.1/', 'must be a public address'],
    ['https://hooks.example.com:22/', 'must use port 443 or 8443'],
    ['https://me:pw@hooks.example.com/', 'must not contain a user name'],
    ['nonsense', 'must be a URL that starts with https://'],
  ])('refuses the URL %s on create and update', async (bad, text) => {
    const { webhook } = await create();
    const refused = [400, { url: expect.stringContaining(text) }];
    expect(await errorsOf('POST', '', { url: bad })).toEqual(refused);
    expect(await errorsOf('PATCH', `/${webhook.webhook_id}`, { url: bad })).toEqual(refused);
  });

  test('names unknown types and objects', async () => {
    const body = { url, types: ['deal.won'], objects: ['deal'] };
    expect(await errorsOf('POST', '', body)).toEqual([
      400,
      { 'types[0]': expect.anything(), 'objects[0]': expect.anything() },
    ]);
  });

  test('refuses a replay of events that do not exist or are no longer retained', async () => {
    await addAccount();
    const path = `/${(await create()).webhook.webhook_id}/replay`;
    expect(await errorsOf('POST', path, { from: 1, to: 9 })).toEqual([
      400,
      { to: 'must be at most 1: no later event exists' },
    ]);
    expect(await errorsOf('POST', path, { from: 2, to: 1 })).toEqual([400, { to: 'must not be less than from' }]);
    const text = 'UPDATE event_heads SET oldest_position = 2 WHERE organization_id = $1';
    await gateway().database.query(organization.id, { text, values: [] });
    expect(await errorsOf('POST', path, { from: 1 })).toEqual([
      400,
      { from: 'must be at least 2: older events are no longer retained' },
    ]);
  });
});

test('401: no key may use webhooks without the group', async () => {
  const { key } = await organization.createKey({ allow: ['list', 'search', 'inbound', 'bulk', 'delete', 'setup'] });
  expect((await send('POST', '', { url }, key)).status).toBe(401);
});

test('400: an organization has at most 100 webhooks', async () => {
  const { webhook } = await create();
  const text = `INSERT INTO webhook_endpoints (organization_id, id, url, secret, position)
    SELECT $1, gen_random_uuid(), url, secret, 0 FROM webhook_endpoints, generate_series(1, 99)
     WHERE organization_id = $1 AND id = $2`;
  await gateway().database.query(organization.id, { text, values: [webhook.webhook_id] });
  const errors = { body: 'must leave at most 100 webhooks' };
  expect(await send('POST', '', { url })).toMatchObject({ status: 400, body: { errors } });
});
