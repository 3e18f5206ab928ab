import { setTimeout as sleep } from 'node:timers/promises';
import { abandonedAfterSeconds, completeRebuilds, loadSetup, openDatabase, refreshRecords } from '@crm/db';
import { type Answer, readTestStack } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { untilAWriteWaitsFor } from './support/until-a-write-waits.js';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { organization, send, rows: run } = useOrganization(gateway);

const createDeal = (name: string, opportunity: object = {}, related_objects: object = {}): Promise<Answer> =>
  send('POST', 'opportunities', {
    pipeline_id: organization.pipeline.id,
    opportunity: { name, ...opportunity },
    related_objects,
  });
const idOf = (answer: Answer): string => String((answer.data as Record<string, unknown>)['opportunity_id']);
const versionOf = async (id: string): Promise<unknown> =>
  (await run('SELECT o.version FROM opportunities o WHERE o.organization_id = $1 AND o.id = $2', id))[0]?.['version'];
const readGateway = (path: string, headers: Record<string, string>, body?: unknown): Promise<Response> =>
  fetch(`${readTestStack().readUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': organization.key, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

test('a deal with the default currency is found by it, and sending it again changes nothing', async () => {
  await run(`UPDATE organizations SET currency = 'EUR' WHERE id = $1`);
  const id = idOf(await createDeal('Fibre'));
  const filters = [{ field: 'currency', operator: 'eq', value: 'EUR' }];
  const found = await readGateway('/v1/opportunities/search', {}, { filters });
  expect(await found.json()).toMatchObject({ data: { opportunities: [{ id }] } });
  await send('PATCH', `opportunities/${id}`, { opportunity: { currency: 'EUR' } });
  expect(await versionOf(id)).toBe(1);
});

test('a blank website or phone counts as not sent, and clears the value on updates', async () => {
  const created = await send('POST', 'accounts', { domain: 'blank.example', website: ' ' });
  const { company_id: id } = created.data as { company_id: string };
  await send('PATCH', `accounts/${id}`, { website: 'https://blank.example/' });
  const cleared = await send('PATCH', `accounts/${id}`, { website: '' });
  expect([created.status, cleared.status]).toEqual([200, 200]);
  expect(await run('SELECT a.website FROM accounts a WHERE a.organization_id = $1')).toEqual([{ website: null }]);
  const contact = await send('POST', 'contacts', { email: 'ann@blank.example', phone: '' });
  expect(contact.status).toBe(200);
});

describe('an archived pipeline', () => {
  test('gets no new and no restored deals, but a repeated create finds its deal', async () => {
    const id = idOf(await createDeal('Old'));
    const deleted = idOf(await createDeal('Deleted'));
    await send('DELETE', `opportunities/${deleted}`);
    await send('PATCH', `pipelines/${organization.pipeline.id}`, { is_active: false });
    expect(idOf(await createDeal('Old'))).toBe(id);
    const refused = await createDeal('New');
    expect([refused.status, refused.body]).toMatchObject([400, { errors: { pipeline_id: 'is archived' } }]);
    expect((await send('POST', 'restore', { object: 'opportunity', id: deleted })).status).toBe(409);
  });
});

test('a multi_select value keeps the order of the options on writing until it is sent again', async () => {
  const options = ['Red', 'Green'].map((label) => ({ label }));
  const field = { object: 'account', slug: 'colors', current_name: 'Colors', attribute_type: 'multi_select', options };
  const { field_id: fieldId } = ((await send('POST', 'fields', field)).data as { field: { field_id: string } }).field;
  const sent = { custom_fields: { colors: ['Green', 'Red'] } };
  const { data } = await send('POST', 'accounts', { domain: 'colors.example', ...sent });
  const { company_id: id } = data as { company_id: string };
  const stored = async () => (await run('SELECT custom_fields, version FROM accounts WHERE organization_id = $1'))[0];
  await send('PATCH', `fields/${fieldId}/options`, { value: 'Green', position: 1 });
  expect(await stored()).toEqual({ custom_fields: { colors: ['Red', 'Green'] }, version: 1 });
  await send('PATCH', `accounts/${id}`, sent);
  expect(await stored()).toEqual({ custom_fields: { colors: ['Green', 'Red'] }, version: 2 });
});

test('a part of a text does not split a letter from its combining mark, in whatever form the text was sent', async () => {
  for (const [form, text] of Object.entries({ composed: 'Caf\u00e9', decomposed: 'Cafe\u0301' })) {
    const domain = `${form}.example`;
    await send('POST', 'accounts', { domain, description: text });
    await createDeal(form, { next_step: text }, { account_domain: domain });
    await send('POST', 'notes', { note: { content: text }, account_domains: [domain] });
  }
  const countOf = async (path: string, object: string, body?: object): Promise<number> => {
    const { data } = (await (await readGateway(path, {}, body)).json()) as { data: Record<string, unknown[]> };
    return data[object]?.length ?? -1;
  };
  const found = (value: string): Promise<number[]> => {
    const search = (object: string, field: string) =>
      countOf(`/v1/${object}/search`, object, { filters: [{ field, operator: 'contains', value }] });
    const notes = countOf(`/v1/notes?q=${encodeURIComponent(value)}`, 'notes');
    return Promise.all([search('opportunities', 'next_step'), search('accounts', 'description'), notes]);
  };
  expect([await found('cafe\u0301'), await found('caf\u00e9')]).toEqual([
    [2, 2, 2],
    [2, 2, 2],
  ]);
  expect(await found('cafe')).toEqual([0, 0, 0]);
});

test('a stage that was archived a moment ago gets no deals, also from gateways that have not seen it', async () => {
  const [first, second] = organization.pipeline.stages;
  const id = idOf(await createDeal('Moving', { stage_id: first?.id }));
  await run('UPDATE stages SET is_active = false WHERE organization_id = $1 AND id = $2', second?.id);
  const moved = await send('PATCH', `opportunities/${id}`, { opportunity: { stage_id: second?.id } });
  const created = await createDeal('New', { stage_id: second?.id });
  // 400 if a busy machine took longer than the second for which a gateway trusts its setup.
  expect([400, 409]).toContain(moved.status);
  expect([400, 409]).toContain(created.status);
});

describe('no event without a change', () => {
  test('the contact of a deal that has none stays null', async () => {
    const id = idOf(await createDeal('Lonely', {}, { primary_contact_email: 'gone@gmail.com' }));
    const [contact] = await run('SELECT c.id FROM contacts c WHERE c.organization_id = $1');
    await send('DELETE', `contacts/${String(contact?.['id'])}`);
    const version = await versionOf(id);
    const answer = await send('PATCH', `opportunities/${id}`, { related_objects: { primary_contact_email: null } });
    expect([answer.status, await versionOf(id)]).toEqual([200, version]);
  });
});

describe('the size of the setup', () => {
  test.each([
    [
      'pipelines',
      `INSERT INTO pipelines (organization_id, id, name, comparable_name, position) SELECT $1, gen_random_uuid(), 'P' || n, 'p' || n, n FROM generate_series(1, 99) n`,
      'must leave at most 100 pipelines',
    ],
    [
      'fields',
      `INSERT INTO custom_fields (organization_id, id, object_type, slug, name, attribute_type, position, metadata)
       VALUES ($1, gen_random_uuid(), 'account', 'large', repeat('x', 1024 * 1024), 'string', 1, NULL)`,
      'must leave at most 1024 KB of names, labels and options in the setup',
    ],
  ])('%s: has a limit, and a change beyond it is not stored', async (path, fill, text) => {
    await run(fill);
    const field = { object: 'account', slug: 'more', attribute_type: 'string', current_name: 'More' };
    const pipeline = { name: 'More', stages: [{ label: 'First' }] };
    const answer = await send('POST', path, path === 'fields' ? field : pipeline);
    expect([answer.status, answer.body]).toMatchObject([400, { errors: { body: text } }]);
    const table = path === 'fields' ? 'custom_fields' : 'pipelines';
    expect(await run(`SELECT 1 FROM ${table} WHERE organization_id = $1 AND name = 'More'`)).toEqual([]);
  });

  test('a setup is loaded again only after a change', async () => {
    const { database } = gateway();
    const first = await loadSetup(database, organization.id);
    expect(await loadSetup(database, organization.id, first)).toBe(first);
    await send('POST', `pipelines/${organization.pipeline.id}/stages`, { label: 'Another' });
    expect((await loadSetup(database, organization.id, first)).version).not.toBe(first.version);
  });
});

describe('the rebuild of stored records', () => {
  const outdate = (age: string): Promise<Record<string, unknown>[]> =>
    run(
      `INSERT INTO record_rebuilds (organization_id, outdated_at, active_at)
       VALUES ($1, date_trunc('second', now()), now() - interval '${age}')`,
    );
  const left = async (): Promise<number> =>
    (await run('SELECT 1 FROM record_rebuilds WHERE organization_id = $1')).length;

  test('is taken over once no process has worked on it for two seconds, unless one works on a batch', async () => {
    const id = idOf(await createDeal('Stale'));
    await run(`UPDATE opportunities SET record = '{}' WHERE organization_id = $1 AND id = $2`, id);
    await outdate('-1 hour');
    const database = openDatabase({ url: gateway().gatewayUrl, applicationName: 'rebuild-test' });
    await completeRebuilds(database, abandonedAfterSeconds);
    expect(await left()).toBe(1);
    await run(`UPDATE record_rebuilds SET active_at = now() - interval '4 seconds' WHERE organization_id = $1`);
    const batch = await gateway().writeDatabase.pool.connect();
    await batch.query('BEGIN');
    await batch.query('SELECT 1 FROM record_rebuilds WHERE organization_id = $1 FOR UPDATE', [organization.id]);
    await completeRebuilds(database, abandonedAfterSeconds);
    await batch.query('ROLLBACK');
    batch.release();
    expect(await left()).toBe(1);
    await completeRebuilds(database, abandonedAfterSeconds);
    await database.close();
    expect(await left()).toBe(0);
    expect(await run(`SELECT 1 FROM opportunities WHERE organization_id = $1 AND record = '{}'`)).toEqual([]);
  });

  test('is not started by an equal label or visibility', async () => {
    const id = idOf(await createDeal('Stale'));
    const field = { object: 'opportunity', slug: 'tier', current_name: 'Tier', attribute_type: 'string' };
    const { data } = await send('POST', 'fields', field);
    const { field_id: fieldId } = (data as { field: { field_id: string } }).field;
    const stage = organization.pipeline.stages.find(({ label }) => label === 'Qualified');
    await run(`UPDATE opportunities SET record = '{}' WHERE organization_id = $1 AND id = $2`, id);
    const changes = [
      await send('PATCH', `stages/${stage?.id}`, { label: 'Qualified' }),
      await send('PATCH', `fields/${fieldId}`, { is_hidden: false, is_active: true }),
    ];
    expect(changes.map(({ status }) => status)).toEqual([200, 200]);
    const stale = `SELECT 1 FROM opportunities WHERE organization_id = $1 AND record = '{}'`;
    expect(await run(stale)).toHaveLength(1);
    await send('PATCH', `fields/${fieldId}`, { is_hidden: true });
    expect(await run(stale)).toEqual([]);
  });

  test('gives way to that of a later change, and counts bytes', async () => {
    await createDeal('One');
    await createDeal('Two');
    await outdate('0 seconds');
    expect(await refreshRecords(gateway().database, organization.id, '2020-01-01T00:00:00.000Z')).toBeNull();
    const [batch] = await run('SELECT done FROM rebuild_records($1, NULL, NULL, 500, 1)');
    expect(batch).toEqual({ done: 1 });
  });

  test('is over when a change is answered, also if a later change began it again, unless it takes two seconds', async () => {
    const id = idOf(await createDeal('Copied'));
    const copy = `jsonb_build_object('id', gen_random_uuid(), 'name', 'Copy ' || n, 'normalized_name', 'copy ' || n)`;
    await run(
      `INSERT INTO opportunities SELECT (jsonb_populate_record(o, ${copy})).* FROM opportunities o, generate_series(1, 1500) n
        WHERE o.organization_id = $1 AND o.id = $2`,
      id,
    );
    const [first, second] = organization.pipeline.stages;
    const rename = async (stageId: string | undefined, label: string): Promise<boolean> => {
      const sentAtMs = performance.now();
      await send('PATCH', `stages/${stageId}`, { label });
      return performance.now() - sentAtMs > 2_000 || (await left()) === 0;
    };
    expect(await Promise.all([rename(first?.id, 'Begun'), rename(second?.id, 'Begun again')])).toEqual([true, true]);
  });
});

test('moves of one organization run one after the other, and not for a caller that is gone', async () => {
  const { key, pipeline } = organization;
  const [first, second, third] = pipeline.stages.map(({ id }) => id);
  for (const stage_id of [first, second, third]) await createDeal(`In ${stage_id}`, { stage_id });
  const archive = (from: string | undefined, to: string | undefined, signal: AbortSignal | null = null) =>
    fetch(`${readTestStack().inboundUrl}/v1/inbound/stages/${from}`, {
      method: 'PATCH',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ is_active: false, move_opportunities_to: to }),
      signal,
    });
  const holder = await gateway().writeDatabase.pool.connect();
  await holder.query('BEGIN');
  await holder.query(`SELECT lock_organization($1, 'exclusive')`, [organization.id]);
  const one = archive(first, second);
  await untilAWriteWaitsFor(holder, gateway().writeDatabase);
  const leave = new AbortController();
  const left = archive(third, second, leave.signal).catch(() => null);
  const two = archive(second, third);
  await sleep(200);
  leave.abort();
  await holder.query('COMMIT');
  holder.release();
  expect([(await one).status, await left, (await two).status]).toEqual([200, null, 200]);
  const stages = await run('SELECT DISTINCT o.stage_id FROM opportunities o WHERE o.organization_id = $1');
  expect(stages).toEqual([{ stage_id: third }]);
});

test('X-Read-After covers changes of the setup', async () => {
  const path = `/v1/pipelines/${organization.pipeline.id}/stages`;
  await readGateway(path, {});
  const created = await send('POST', `pipelines/${organization.pipeline.id}/stages`, { label: 'Brand new' });
  const mark = created.headers.get('x-read-after') ?? '';
  const shown = await readGateway(path, { 'x-read-after': mark });
  expect(await shown.text()).toContain('Brand new');
});
