import {
  bulkCreateContacts,
  createAccount,
  createContact,
  createNote,
  createOpportunity,
  type OperationContract,
} from '@crm/contract';
import { purgeExpiredResults } from '@crm/db';
import { type Answer, reportFigure } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { untilAWriteWaitsFor } from './support/until-a-write-waits.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const send = (contract: OperationContract, key: string, body: object, query?: Readonly<Record<string, string>>) =>
  gateway.client.call(contract, { body, query, headers: { 'idempotency-key': key } });
const noteBody = (title: string) => ({ note: { title }, contact_emails: ['ann@notes.com'] });
const dealBody = (name: string, deal_size = 1) => ({
  pipeline_id: gateway.organization.pipeline.id,
  opportunity: { name, deal_size },
  related_objects: { account_domain: 'deals.com' },
});
const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';
const countOf = async (condition: string): Promise<number | undefined> =>
  (
    await gateway.rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${condition.replace('WHERE', 'WHERE organization_id = $1 AND')}`,
    )
  )[0]?.n;

describe('R22: a request that is repeated under its Idempotency-Key', () => {
  test.each<[string, OperationContract, () => object]>([
    ['a note', createNote, () => noteBody('Once')],
    ['an account', createAccount, () => ({ domain: 'once.com', name: 'Once' })],
    ['a contact', createContact, () => ({ email: 'ann@once.com', first_name: 'Ann' })],
    ['an opportunity', createOpportunity, () => dealBody('Once')],
    ['many contacts', bulkCreateContacts, () => ({ items: [{ email: 'bulk@once.com' }, { email: 'x' }] })],
  ])('%s: answers the first response byte for byte', async (_about, contract, body) => {
    const first = await send(contract, 'same-key', body());
    expect(first.status).toBe(200);
    expect(isReplay(first)).toBe(false);
    const second = await send(contract, 'same-key', body());
    expect(second.status).toBe(200);
    expect(isReplay(second)).toBe(true);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('x-record-status')).toBe(first.headers.get('x-record-status'));
  });

  test('counts as the same request if the keys of its body are in another order', async () => {
    const first = await send(createContact, 'order', { email: 'o@order.com', first_name: 'A', last_name: 'B' });
    const second = await send(createContact, 'order', { last_name: 'B', first_name: 'A', email: 'o@order.com' });
    expect(second.text).toBe(first.text);
    expect(isReplay(second)).toBe(true);
  });

  test('answers as the first time, with the same warnings, even if the record was deleted since', async () => {
    await send(createOpportunity, 'then-0', dealBody('Then', 1));
    const first = await send(createOpportunity, 'then-1', dealBody('Then', 2));
    expect(first.fieldsWarnedOf).toEqual(['opportunity.deal_size']);
    await gateway.rows(`DELETE FROM opportunities WHERE organization_id = $1 AND name = 'Then'`);
    const second = await send(createOpportunity, 'then-1', dealBody('Then', 2));
    expect(second.text).toBe(first.text);
    expect(await countOf(`opportunities WHERE name = 'Then'`)).toBe(0);
  });

  test('is answered even if it would be refused by now', async () => {
    const post = async (method: string, path: string, body: object) =>
      (await gateway.client.send(method, `/v1/inbound/${path}`, { body })).data as { field: { field_id: string } };
    const field = { object: 'contact', name: 'Passing', slug: 'passing', attribute_type: 'number' };
    const { field_id: fieldId } = (await post('POST', 'fields', field)).field;
    const body = { email: 'p@passing.com', custom__passing: 1 };
    const first = await send(createContact, 'passing', body);
    expect(first.status).toBe(200);
    await post('PATCH', `fields/${fieldId}`, { is_active: false });
    expect((await send(createContact, 'other', body)).status).toBe(400);
    const second = await send(createContact, 'passing', body);
    expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  });

  test('creates one note when sent forty times at once', async () => {
    const headers = { 'idempotency-key': 'forty' };
    const body = noteBody('Forty');
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => gateway.client.call(createNote, { body, headers })),
    );
    const notes = await countOf(`notes WHERE title = 'Forty'`);
    reportFigure('R22', 'notes of 40 parallel calls under one key', notes ?? 0, 1);
    expect(notes).toBe(1);
    const good = answers.filter(({ status }) => status === 200);
    expect(new Set(good.map(({ text }) => text)).size).toBe(1);
    expect(good.filter((answer) => !isReplay(answer))).toHaveLength(1);
    // The whole body, so that a failure shows the wrong answer.
    const others = answers.filter(({ status }) => status !== 200 && status !== 409);
    expect(others.map(({ status, text }) => `${status} ${text}`)).toEqual([]);
    expect((await send(createNote, 'forty', body)).text).toBe(good[0]?.text);
  });
});

describe('an Idempotency-Key', () => {
  test('belongs to one operation, one organization and one request', async () => {
    const body = { domain: 'mine.com' };
    await send(createAccount, 'mine', body);
    expect((await send(createAccount, 'mine', { domain: 'other.com' })).status).toBe(422);
    expect((await send(createAccount, 'mine', body, { on_match: 'update' })).status).toBe(422);
    expect((await send(createAccount, 'mine', { domain: 'not a domain' })).status).toBe(422);
    expect(isReplay(await send(createContact, 'mine', { email: 'ann@mine.com' }))).toBe(false);
    const stranger = gateway.clientOf(gateway.stranger);
    const theirs = await stranger.call(createAccount, { body, headers: { 'idempotency-key': 'mine' } });
    expect(isReplay(theirs)).toBe(false);
    expect(await countOf(`accounts WHERE domain = 'other.com'`)).toBe(0);
  });

  test('is unused after a refused request', async () => {
    expect((await send(createAccount, 'refused', { domain: 'x' })).status).toBe(400);
    const answer = await send(createAccount, 'refused', { domain: 'now-good.com' });
    expect(answer.status).toBe(200);
    expect(isReplay(answer)).toBe(false);
  });

  test('has at most 255 characters', async () => {
    expect((await send(createNote, 'k'.repeat(255), noteBody('Long'))).status).toBe(200);
    const answer = await send(createNote, 'k'.repeat(256), noteBody('Too long'));
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['Idempotency-Key']);
  });

  test('expires after a day; each call deletes a few expired ones', async () => {
    const first = await send(createNote, 'day-0', noteBody('Day'));
    for (let i = 1; i < 12; i++) await send(createNote, `day-${i}`, noteBody('Day'));
    await gateway.rows(
      `UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE organization_id = $1 AND result->>'title' = 'Day'`,
    );
    const again = await send(createNote, 'day-0', noteBody('Day'));
    expect(isReplay(again)).toBe(false);
    expect(again.text).not.toBe(first.text);
    expect(await countOf(`idempotency_keys WHERE result->>'title' = 'Day' AND expires_at < now()`)).toBe(6);
  });
});

test('a request in progress holds its Idempotency-Key', async () => {
  const waiting = { 'idempotency-key': 'flight' };
  // The first request must not time out, however long the second answer takes.
  const client = await gateway.startOn(gateway.gatewayUrl, { lockTimeoutMs: 8_000, statementTimeoutMs: 9_000 });
  const blocker = await gateway.writeDatabase.pool.connect();
  try {
    // A request that creates this account waits for the uncommitted account of this transaction.
    await blocker.query('BEGIN');
    await blocker.query(
      `INSERT INTO accounts (organization_id, id, domain, search_text, created_at, updated_at)
       VALUES ($1, gen_random_uuid(), 'flight.com', 'flight.com', now(), now())`,
      [gateway.organization.id],
    );
    const body = { domain: 'flight.com' };
    const first = client.call(createAccount, { body, headers: waiting });
    await untilAWriteWaitsFor(blocker, gateway.writeDatabase);
    const second = await client.call(createAccount, { body, headers: waiting });
    expect(second.status).toBe(409);
    expect(second.text).toContain('A request with this Idempotency-Key is in flight');
    expect(second.headers.get('retry-after')).toBe('1');
    await blocker.query('ROLLBACK');
    expect((await first).status).toBe(200);
  } finally {
    blocker.release();
  }
});

test('expired stored results are deleted even if their organization no longer writes', async () => {
  const idle = await gateway.createOrganization();
  const count = async (): Promise<number> => {
    const text = 'SELECT count(*)::int AS n FROM idempotency_keys WHERE organization_id = $1';
    const [row] = await gateway.database.query<{ n: number }>(idle.id, { text, values: [] });
    return row?.n ?? -1;
  };
  for (const key of ['one', 'two', 'three'])
    await gateway.clientOf(idle).call(createNote, {
      body: { note: { title: key }, account_domains: ['idle.com'] },
      headers: { 'idempotency-key': key },
    });
  expect(await count()).toBe(3);
  await gateway.database.query(idle.id, {
    text: `UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE organization_id = $1 AND result->>'title' <> 'three'`,
    values: [],
  });
  expect(await purgeExpiredResults(gateway.database)).toBeGreaterThanOrEqual(2);
  expect(await count()).toBe(1);
});
