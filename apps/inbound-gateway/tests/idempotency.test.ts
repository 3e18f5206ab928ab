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
  type Sent = readonly [body: object, query?: Readonly<Record<string, string>>];
  const items = (...domains: string[]) => ({ items: domains.map((domain) => ({ domain })) });
  const people = { items: [{ email: 'a@keys.com' }, { email: 'b@keys.com' }] };
  const deals = () => ({ items: [dealBody('Bulk 1'), dealBody('Bulk 2')] });
  const [update, atomic] = [{ on_match: 'update' }, { atomic: 'true' }];
  test.each<[string, OperationContract, () => Sent, () => readonly Sent[]]>([
    [
      'an account',
      api.createAccount,
      () => [{ domain: 'mine.com' }],
      () => [[{ domain: 'other.com' }], [{ domain: 'not a domain' }], [{ domain: 'mine.com' }, update]],
    ],
    ['a contact', api.createContact, () => [{ email: 'a@mine.com' }], () => [[{ email: 'a@mine.com' }, update]]],
    ['an opportunity', api.createOpportunity, () => [dealBody('Mine')], () => [[dealBody('Mine'), update]]],
    ['an update', api.createOpportunity, () => [dealBody('Yours'), update], () => [[dealBody('Yours')]]],
    [
      'a note',
      api.createNote,
      () => [noteBody('Mine')],
      () => [
        [noteBody('mine')],
        [{ ...noteBody('Mine'), account_domains: ['notes.com'] }],
        [{ note: { title: 'Mine', content: 'x' }, contact_emails: ['ann@notes.com'] }],
      ],
    ],
    [
      'many accounts',
      api.bulkCreateAccounts,
      () => [items('b1.com', 'b2.com')],
      () => [
        [items('b1.com', 'b2.com'), update],
        [items('b1.com', 'b2.com'), atomic],
        [items('b2.com', 'b1.com')],
        [items('b1.com')],
        [items('b1.com', 'b2.com', 'b3.com')],
        [{ items: [{ domain: 'b1.com', name: 'B' }, { domain: 'b2.com' }] }],
      ],
    ],
    [
      'many contacts',
      api.bulkCreateContacts,
      () => [people, update],
      () => [[people], [people, { ...update, ...atomic }]],
    ],
    ['many opportunities', api.bulkCreateOpportunities, () => [deals(), atomic], () => [[deals()], [deals(), update]]],
  ])(
    'of %s answers only the same query and body again; another request is 422',
    async (about, contract, sent, others) => {
      const key = `of ${about}`;
      const [body, query] = sent();
      expect((await send(contract, key, body, query)).status).toBe(200);
      for (const [otherBody, otherQuery] of others()) {
        const answer = await send(contract, key, otherBody, otherQuery);
        expect([otherBody, otherQuery, answer.status]).toEqual([otherBody, otherQuery, 422]);
      }
      expect(isReplay(await send(contract, key, body, query))).toBe(true);
      expect(await countOf(`accounts WHERE domain = 'other.com'`)).toBe(0);
    },
  );

  test('belongs to one operation and one organization', async () => {
    const body = { domain: 'mine.com' };
    await send(api.createAccount, 'mine', body);
    expect(isReplay(await send(api.createContact, 'mine', { email: 'ann@mine.com' }))).toBe(false);
    const stranger = gateway().clientOf(gateway().stranger);
    const theirs = await stranger.call(api.createAccount, { body, headers: { 'idempotency-key': 'mine' } });
    expect(isReplay(theirs)).toBe(false);
  });

  test('is unused after a refused request', async () => {
    expect((await send(api.createAccount, 'refused', { domain: 'x' })).status).toBe(400);
    const answer = await send(api.createAccount, 'refused', { domain: 'now-good.com' });
    expect([answer.status, isReplay(answer)]).toEqual([200, false]);
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
