import * as api from '@crm/contract';
import type { OperationContract } from '@crm/contract';
import { purgeExpiredResults } from '@crm/db';
import { type Answer, reportFigure } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, statusOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { countOf } = recordsOf(gateway);

const send = (contract: OperationContract, key: string, body: object, query?: Readonly<Record<string, string>>) =>
  gateway().client.call(contract, { body, query, headers: { 'idempotency-key': key } });
const noteBody = (title: string) => ({ note: { title }, contact_emails: ['ann@notes.com'] });
const dealBody = (name: string, deal_size = 1) => ({
  pipeline_id: gateway().organization.pipeline.id,
  opportunity: { name, deal_size },
  related_objects: { account_domain: 'deals.com' },
});
const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';

describe('R22: a request that is repeated under its Idempotency-Key', () => {
  test.each<[string, OperationContract, () => object]>([
    ['a note', api.createNote, () => noteBody('Once')],
    ['an account', api.createAccount, () => ({ domain: 'once.com', name: 'Once' })],
    ['a contact', api.createContact, () => ({ email: 'ann@once.com', first_name: 'Ann' })],
    ['an opportunity', api.createOpportunity, () => dealBody('Once')],
    ['many contacts', api.bulkCreateContacts, () => ({ items: [{ email: 'bulk@once.com' }, { email: 'x' }] })],
  ])('%s: answers the first response byte for byte, even if its keys are in another order', async (_about, ...call) => {
    const [contract, body] = call;
    const first = await send(contract, 'same-key', body());
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    const second = await send(contract, 'same-key', Object.fromEntries(Object.entries(body()).reverse()));
    expect([second.status, isReplay(second), second.text]).toEqual([200, true, first.text]);
    expect(statusOf(second)).toBe(statusOf(first));
  });

  test('answers as the first time, with the same warnings, even if the record was deleted since', async () => {
    await send(api.createOpportunity, 'then-0', dealBody('Then', 1));
    const first = await send(api.createOpportunity, 'then-1', dealBody('Then', 2));
    expect(first.fieldsWarnedOf).toEqual(['opportunity.deal_size']);
    await gateway().rows(`DELETE FROM opportunities WHERE organization_id = $1 AND name = 'Then'`);
    const second = await send(api.createOpportunity, 'then-1', dealBody('Then', 2));
    expect(second.text).toBe(first.text);
    expect(await countOf(`opportunities WHERE name = 'Then'`)).toBe(0);
  });

  test('is answered even if it would be refused by now', async () => {
    const post = async (method: string, path: string, body: object) =>
      (await gateway().client.send(method, `/v1/inbound/${path}`, { body })).data as { field: { field_id: string } };
    const field = { object: 'contact', current_name: 'Passing', slug: 'passing', attribute_type: 'number' };
    const { field_id: fieldId } = (await post('POST', 'fields', field)).field;
    const body = { email: 'p@passing.com', custom__passing: 1 };
    const first = await send(api.createContact, 'passing', body);
    expect(first.status).toBe(200);
    // The value of an archived field may only be sent back to a record that has it.
    await post('PATCH', `contacts/${(first.data as { people_id: string }).people_id}`, { custom__passing: null });
    await post('PATCH', `fields/${fieldId}`, { is_active: false });
    expect((await send(api.createContact, 'other', body)).status).toBe(400);
    const second = await send(api.createContact, 'passing', body);
    expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  });

  test('creates one note when sent forty times at once', async () => {
    const send40 = Array.from({ length: 40 }, () => send(api.createNote, 'forty', noteBody('Forty')));
    const answers = await Promise.all(send40);
    const notes = Number(await countOf(`notes WHERE title = 'Forty'`));
    reportFigure('R22', 'notes of 40 parallel calls under one key', notes, 1);
    expect(notes).toBe(1);
    const good = answers.filter(({ status }) => status === 200);
    expect(new Set(good.map(({ text }) => text)).size).toBe(1);
    expect(good.filter((answer) => !isReplay(answer))).toHaveLength(1);
    // The whole body, so that a failure shows the wrong answer.
    const others = answers.filter(({ status }) => status !== 200 && status !== 409);
    expect(others.map(({ status, text }) => `${status} ${text}`)).toEqual([]);
    expect((await send(api.createNote, 'forty', noteBody('Forty'))).text).toBe(good[0]?.text);
  });
});

describe('an Idempotency-Key', () => {
  test('belongs to one operation, one organization and one request', async () => {
    const body = { domain: 'mine.com' };
    await send(api.createAccount, 'mine', body);
    expect((await send(api.createAccount, 'mine', { domain: 'other.com' })).status).toBe(422);
    expect((await send(api.createAccount, 'mine', body, { on_match: 'update' })).status).toBe(422);
    expect((await send(api.createAccount, 'mine', { domain: 'not a domain' })).status).toBe(422);
    expect(isReplay(await send(api.createContact, 'mine', { email: 'ann@mine.com' }))).toBe(false);
    const stranger = gateway().clientOf(gateway().stranger);
    const theirs = await stranger.call(api.createAccount, { body, headers: { 'idempotency-key': 'mine' } });
    expect(isReplay(theirs)).toBe(false);
    expect(await countOf(`accounts WHERE domain = 'other.com'`)).toBe(0);
  });

  test('is unused after a refused request', async () => {
    expect((await send(api.createAccount, 'refused', { domain: 'x' })).status).toBe(400);
    const answer = await send(api.createAccount, 'refused', { domain: 'now-good.com' });
    expect([answer.status, isReplay(answer)]).toEqual([200, false]);
  });

  test('has at most 255 characters', async () => {
    expect((await send(api.createNote, 'k'.repeat(255), noteBody('Long'))).status).toBe(200);
    const answer = await send(api.createNote, 'k'.repeat(256), noteBody('Too long'));
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, ['Idempotency-Key']]);
  });
});

describe('expired stored results', () => {
  const expire = (organizationId: string, condition: string) =>
    gateway().database.query(organizationId, {
      text: `UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE organization_id = $1 AND ${condition}`,
      values: [],
    });

  test('are no longer answered', async () => {
    const first = await send(api.createNote, 'day', noteBody('Day'));
    await expire(gateway().organization.id, `result->>'title' = 'Day'`);
    const again = await send(api.createNote, 'day', noteBody('Day'));
    expect(isReplay(again)).toBe(false);
    expect(again.text).not.toBe(first.text);
  });

  test('are deleted by the upkeep', async () => {
    const idle = await gateway().createOrganization();
    const count = async () => {
      const text = 'SELECT count(*)::int AS n FROM idempotency_keys WHERE organization_id = $1';
      return gateway().database.query(idle.id, { text, values: [] });
    };
    for (const key of ['one', 'two', 'three'])
      await gateway()
        .clientOf(idle)
        .call(api.createNote, { body: noteBody(key), headers: { 'idempotency-key': key } });
    expect(await count()).toEqual([{ n: 3 }]);
    await expire(idle.id, `result->>'title' <> 'three'`);
    expect(await purgeExpiredResults(gateway().database)).toBeGreaterThanOrEqual(2);
    expect(await count()).toEqual([{ n: 1 }]);
  });
});
