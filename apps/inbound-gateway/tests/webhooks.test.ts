import { describe, expect, test } from '@jest/globals';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { rows, ...requests } = useOrganization(gateway);
const url = 'https://hooks.example.com/crm';

const send = (method: string, path: string, body?: object) => requests.send(method, `webhooks${path}`, body);
const create = async (body: object = {}) => {
  const { data } = await send('POST', '', { url, ...body });
  return data as { readonly webhook: { readonly webhook_id: string }; readonly secret: string };
};
const errorsOf = async (method: string, path: string, body: object) => {
  const { status, errors } = await send(method, path, body);
  return [status, errors];
};
const addFields = () =>
  rows(`INSERT INTO custom_fields (organization_id, id, object_type, slug, name, attribute_type, position)
    SELECT $1, gen_random_uuid(), v.object_type, v.slug, v.slug, 'string', 1
      FROM (VALUES ('account', 'tier'), ('opportunity', 'plan')) AS v (object_type, slug)`);
const addAccount = () => requests.send('POST', 'accounts', { domain: 'acme.example' });

describe('200', () => {
  test('creates a webhook that starts at the end of the log, and shows its secret once', async () => {
    await addAccount();
    const { webhook, secret } = await create({
      objects: ['account'],
      types: null,
      changed: null,
      payload: 'thin',
      description: 'Billing',
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(webhook).toMatchObject({ state: 'active', position: 1, last_position: 1, objects: ['account'], types: [] });
    const [row] = await rows('SELECT secret FROM webhook_endpoints WHERE organization_id = $1');
    expect(row?.['secret']).not.toContain(secret.slice(6));
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
    await send('PATCH', path, { url: `${url}/2`, state: 'active' });
    expect((await send('DELETE', path)).status).toBe(200);
    expect((await send('DELETE', path)).status).toBe(404);
    const audit = `SELECT action, actor, details FROM audit_events
      WHERE organization_id = $1 AND target = $2 ORDER BY created_at`;
    const actor = expect.stringMatching(/^API key [0-9a-f-]{36}$/) as unknown;
    const created = { url, objects: [], types: [], changed: [], payload: 'full', state: 'active' };
    const types = ['account.created'];
    const moved = { url: `${url}/2`, state: 'active' };
    const entries: [string, object][] = [
      ['create', created],
      ['update', { url, state: 'paused', types, before: { state: 'active', types: [] } }],
      ['rotate_secret', { url }],
      ['test', { url }],
      ['replay', { url, from: 1, to: 1 }],
      ['update', { ...moved, before: { url, state: 'paused' } }],
      ['delete', { url: `${url}/2`, before: { ...created, types, url: `${url}/2` } }],
    ];
    expect(await rows(audit, webhook.webhook_id)).toEqual(
      entries.map(([name, details]) => ({ action: `webhook.${name}`, actor, details })),
    );
  });

  test('stores a filter on changed fields with the names that events use', async () => {
    await addFields();
    const { webhook } = await create({ changed: ['stage_id', 'custom__plan', 'plan', 'name', 'custom_fields.tier'] });
    const changed = ['stage_id', 'custom_fields.plan', 'name', 'custom_fields.tier'];
    expect(webhook).toMatchObject({ changed });
    const path = `/${webhook.webhook_id}`;
    expect(await send('PATCH', path, { objects: ['opportunity', 'account'] })).toMatchObject({ status: 200 });
    expect((await send('PATCH', path, { changed: [] })).data).toMatchObject({ webhook: { changed: [] } });
  });
});

const skip = async (webhookId: string, body: object) => {
  const response = await send('POST', `/${webhookId}/skip`, body);
  if (response.status !== 200) return response.errors;
  const { webhook, skipped_events: skipped } = response.data as {
    webhook: { position: number; parked_records: number };
    skipped_events: number;
  };
  return [skipped, webhook.position, webhook.parked_records];
};

/** Parks the record of an account whose first event has a position. */
const park = (webhookId: string, position: number) =>
  rows(
    `WITH parked AS (
       INSERT INTO webhook_parked (organization_id, endpoint_id, object, record_id, position, attempts, error)
       SELECT organization_id, $2, object, record_id, position, 3, 'answered 422' FROM events
        WHERE organization_id = $1 AND position = $3)
     UPDATE webhook_endpoints SET parked = parked + 1 WHERE organization_id = $1 AND id = $2`,
    webhookId,
    position,
  );

describe('200: skip', () => {
  const addAccounts = async () => {
    const { webhook } = await create();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const { data } = await requests.send('POST', 'accounts', { domain: `${name}.example` });
      ids.push((data as { company_id: string }).company_id);
    }
    // Positions 1, 2 and 3 create the accounts; 4 and 5 change the first one.
    for (const name of ['New', 'Newer']) await requests.send('PATCH', `accounts/${ids[0]}`, { name });
    return webhook.webhook_id;
  };

  test('gives up the failed event of each parked record, and the later events of the record follow', async () => {
    const id = await addAccounts();
    await rows('UPDATE webhook_endpoints SET position = 5 WHERE organization_id = $1');
    await park(id, 1);
    await park(id, 2);
    expect(await skip(id, { parked: true })).toEqual([2, 5, 1]);
    expect(await rows('SELECT position, attempts FROM webhook_parked WHERE organization_id = $1')).toEqual([
      { position: '4', attempts: 0 },
    ]);
    const listed = `SELECT outcome, first_position, last_position, events FROM webhook_attempts
      WHERE organization_id = $1 ORDER BY first_position`;
    expect(await rows(listed)).toEqual(
      ['1', '2'].map((at) => ({ outcome: 'skipped', first_position: at, last_position: at, events: 1 })),
    );
  });

  test('gives up a range that ends after the position, and writes an audit row', async () => {
    const id = await addAccounts();
    await rows('UPDATE webhook_endpoints SET position = 2 WHERE organization_id = $1');
    await park(id, 1);
    await park(id, 2);
    expect(await skip(id, { from: 2, to: 4 })).toEqual([3, 4, 1]);
    expect(await skip(id, { from: 2, to: 4 })).toEqual([0, 4, 1]);
    const [audit] = await rows(
      `SELECT details FROM audit_events WHERE organization_id = $1 AND action = 'webhook.skip'`,
    );
    expect(audit?.['details']).toEqual({ url, from: 2, to: 4, skipped_events: 3 });
  });

  test('400: refuses a range that begins or ends too late, and a body with both forms or none', async () => {
    const id = await addAccounts();
    expect(await skip(id, { from: 1, to: 6 })).toEqual({ to: 'must be at most 5: no later event exists' });
    expect(await skip(id, { from: 2 })).toEqual({ from: 'must be at most 1: the events before it were not sent yet' });
    expect(await skip(id, { from: 2, to: 1 })).toEqual({ to: 'must not be less than from' });
    for (const body of [{}, { parked: false }, { parked: true, from: 1 }, { to: 1 }])
      expect(Object.keys((await skip(id, body)) as object)).toHaveLength(1);
  });
});

describe('400', () => {
  // The tests of `packages/webhooks` have every kind of URL.
  test('refuses a URL on create and update', async () => {
    const { webhook } = await create();
    const bad = { url: 'https://192.168.0.1/' };
    const refused = [400, { url: expect.stringContaining('must be a public address') }];
    expect(await errorsOf('POST', '', bad)).toEqual(refused);
    expect(await errorsOf('PATCH', `/${webhook.webhook_id}`, bad)).toEqual(refused);
  });

  test('names unknown types and objects', async () => {
    const body = { url, types: ['deal.won'], objects: ['deal'] };
    expect(await errorsOf('POST', '', body)).toEqual([
      400,
      { 'types[0]': expect.anything(), 'objects[0]': expect.anything() },
    ]);
  });

  test('names the fields that no event can have in changed', async () => {
    await addFields();
    const body = { objects: ['opportunity'], changed: ['amount', 'stage_name', 'version', 'tier', 'stage'] };
    expect(await errorsOf('POST', '', { url, ...body })).toEqual([
      400,
      {
        'changed[1]': '"stage_name" is stage_id in events',
        'changed[2]': '"version" is never in changed: it changes with every event',
        'changed[3]': '"tier" is not a field of opportunities',
        'changed[4]': '"stage" is stage_id in events',
      },
    ]);
    const { webhook } = await create({ changed: ['stage_id'] });
    expect(await errorsOf('PATCH', `/${webhook.webhook_id}`, { types: ['note.updated'] })).toEqual([
      400,
      { changed: '"stage_id" is not a field of notes: send changed too' },
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
    await rows('UPDATE event_heads SET oldest_position = 2 WHERE organization_id = $1');
    expect(await errorsOf('POST', path, { from: 1 })).toEqual([
      400,
      { from: 'must be at least 2: older events are no longer retained' },
    ]);
  });
});

test('400: an organization has at most 100 webhooks', async () => {
  const { webhook } = await create();
  const text = `INSERT INTO webhook_endpoints (organization_id, id, url, secret, position)
    SELECT $1, gen_random_uuid(), url, secret, 0 FROM webhook_endpoints, generate_series(1, 99)
     WHERE organization_id = $1 AND id = $2`;
  await rows(text, webhook.webhook_id);
  const errors = { body: 'must leave at most 100 webhooks' };
  expect(await send('POST', '', { url })).toMatchObject({ status: 400, body: { errors } });
});
