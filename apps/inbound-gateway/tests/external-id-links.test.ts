import * as contracts from '@crm/contract';
import type { Answer } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, statusOf, unknownId } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { row, account, contact, opportunity, changeContact, changeOpportunity, countOf } = recordsOf(gateway);

type Fields = Readonly<Record<string, unknown>>;

const idOf = ({ data }: Answer): string => Object.values(data as Readonly<Record<string, string>>)[0] ?? '';

describe('external_id of an opportunity', () => {
  const createAccount = (domain: string) => gateway().client.call(contracts.createAccount, { body: { domain } });
  const send = (
    fields: Fields,
    related_objects: Fields = {},
    onMatch = 'keep',
    { id } = gateway().organization.pipeline,
  ) =>
    gateway().client.call(contracts.createOpportunity, {
      body: { pipeline_id: id, opportunity: fields, related_objects },
      query: { on_match: onMatch },
    });

  test('200: replaces the account and contacts of the record with on_match=update', async () => {
    const external_id = 'related';
    const id = idOf(await send({ name: 'Related', external_id }, { account_domain: 'first.example' }));
    const second = { account_domain: 'second.example', primary_contact_email: 'p@second.example' };
    const kept = await send({ external_id }, second);
    expect([statusOf(kept), kept.fieldsWarnedOf]).toEqual(['updated', ['related_objects.account_domain']]);
    const stored = { account_domain: 'first.example', contact_email: 'p@second.example' };
    expect(await row('opportunities', id)).toMatchObject(stored);
    expect(statusOf(await send({ external_id }, second, 'update'))).toBe('updated');
    expect(statusOf(await send({ external_id }, {}, 'update'))).toBe('matched');
    expect(await row('opportunities', id)).toMatchObject({ account_domain: 'second.example', name: 'Related' });
  });

  test('409: refuses a record in another pipeline', async () => {
    const id = idOf(await send({ name: 'Piped', external_id: 'piped' }));
    const answer = await send({ external_id: 'piped' }, {}, 'update', gateway().organization.otherPipeline);
    expect([answer.status, answer.body.conflict]).toEqual([409, { field: 'opportunity.external_id', existing_id: id }]);
  });

  test('a merge of accounts also takes it for opportunities that are merged with them', async () => {
    const kept = idOf(await send({ name: 'Collides' }, { account_domain: 'keeps.example' }));
    await send({ name: 'Collides', external_id: 'collides' }, { account_domain: 'goes.example' });
    const [id, from] = [await createAccount('keeps.example'), await createAccount('goes.example')];
    const body = { from: idOf(from), deals: 'merge' };
    expect((await gateway().client.call(contracts.mergeAccount, { params: { id: idOf(id) }, body })).status).toBe(200);
    expect(await row('opportunities', kept)).toMatchObject({ external_id: 'collides' });
  });
});

const resultsOf = ({ data }: Answer) => (data as contracts.BulkResults).results;
const unknown = (object: string): string => `is not the external_id of ${object}: create it first`;

describe('links by external id', () => {
  const call = <C extends contracts.OperationContract>(contract: C, body: object, query?: Record<string, string>) =>
    gateway().client.call(contract, { body, query });
  const deal = (name: string, related_objects: object, fields: object = {}) => ({
    pipeline_id: gateway().organization.pipeline.id,
    opportunity: { name, ...fields },
    related_objects,
  });
  const rowOf = (table: string, id: string) => row(table, id) as Promise<Record<string, unknown>>;
  const idsOf = async (field: string, value: string): Promise<unknown[]> => {
    const text = `SELECT id FROM opportunities WHERE organization_id = $1 AND ${field} = $2 ORDER BY id`;
    return (await gateway().rows(text, [value])).map(({ id }) => id);
  };

  test('a deal gets the account and the people with the ids, and its natural key is by that account', async () => {
    const accountId = await account({ domain: 'l1.example', external_id: 'L1' });
    const [ann, bob, eve] = await Promise.all(
      ['ann', 'bob', 'eve'].map((name) => contact({ email: `${name}@private.example`, external_id: `L1-${name}` })),
    );
    const related = {
      account_external_id: ' L1 ',
      primary_contact_external_id: 'L1-ann',
      additional_contact_emails: ['eve@private.example'],
      additional_contact_external_ids: ['L1-bob', 'L1-ann'],
    };
    const id = idOf(await call(contracts.createOpportunity, deal('Linked', related)));
    const stored = { account_id: accountId, contact_id: ann, account_key: accountId, account_domain: 'l1.example' };
    expect(await rowOf('opportunities', id)).toMatchObject(stored);
    const links =
      'SELECT contact_id FROM opportunity_contacts WHERE organization_id = $1 AND opportunity_id = $2 ORDER BY position';
    expect((await gateway().rows(links, [id])).map((link) => link['contact_id'])).toEqual([eve, bob]);
    const again = await call(contracts.createOpportunity, deal('Linked', { account_domain: 'l1.example' }));
    expect([statusOf(again), idOf(again)]).toEqual(['matched', id]);
    expect(await idsOf('name', 'Linked')).toEqual([id]);
    // The domains of the emails are no accounts of the deal.
    expect(await countOf("opportunities WHERE account_domain = 'private.example'")).toBe(0);
  });

  test('a deal without an account gets that of its primary contact, unless that is free mail', async () => {
    const accountId = await account({ domain: 'l2.example', external_id: 'L2' });
    await contact({ email: 'ann@elsewhere.example', external_id: 'L2-ann', account_external_id: 'L2' });
    const [first, second] = [{ primary_contact_external_id: 'L2-ann' }, { primary_contact_external_id: 'L2-free' }];
    const id = idOf(await call(contracts.createOpportunity, deal('Of Ann', first)));
    expect(await rowOf('opportunities', id)).toMatchObject({ account_id: accountId });
    const free = await contact({ email: 'l2@gmail.com', external_id: 'L2-free' });
    const other = idOf(await call(contracts.createOpportunity, deal('Free', second)));
    expect(await rowOf('opportunities', other)).toMatchObject({ account_id: null, account_key: free });
  });

  test('a contact belongs to the account with the id, and a new email does not move it', async () => {
    const [one, two] = [
      await account({ domain: 'l3.example', external_id: 'L3' }),
      await account({ domain: 'l3b.example', external_id: 'L3b' }),
    ];
    const id = await contact({ email: 'ann@l3home.example', account_external_id: 'L3' });
    expect(await rowOf('contacts', id)).toMatchObject({ account_id: one });
    expect(await countOf("accounts WHERE domain = 'l3home.example'")).toBe(0);
    const { data } = await changeContact(id, { email: 'ann@l3new.example' });
    expect(data.contact).toMatchObject({ account_id: one, account_domain: 'l3.example', account_external_id: 'L3' });
    await changeContact(id, { email: 'ann@l3b.example', account_external_id: 'L3b' });
    expect(await rowOf('contacts', id)).toMatchObject({ account_id: two });
    // Now its account is that of its email, and moves with it.
    await changeContact(id, { email: 'ann@l3.example' });
    expect(await rowOf('contacts', id)).toMatchObject({ account_id: one });
    await changeContact(id, { account_domain: 'l3made.example' });
    expect((await changeContact(id, {})).data.contact).toMatchObject({ account_domain: 'l3made.example' });
    await changeContact(id, { account_external_id: null });
    expect(await rowOf('contacts', id)).toMatchObject({ account_id: null, version: 6 });
    const body = { email: 'ann@l3.example', account_external_id: 'L3b' };
    const kept = await call(contracts.createContact, body);
    expect([statusOf(kept), kept.fieldsWarnedOf]).toEqual(['matched', ['account_external_id']]);
    expect(statusOf(await call(contracts.createContact, body, { on_match: 'update' }))).toBe('updated');
    const same = await call(contracts.createContact, body);
    expect([statusOf(same), same.fieldsWarnedOf]).toEqual(['matched', []]);
    expect(statusOf(await call(contracts.createContact, body, { on_match: 'update' }))).toBe('matched');
  });

  test('400: an unknown id, and one of another record than the domain or email beside it, on their paths', async () => {
    await account({ domain: 'l4.example', external_id: 'L4' });
    await account({ domain: 'l4b.example' });
    await contact({ email: 'ann@l4.example', external_id: 'L4-ann' });
    const bad = {
      account_external_id: 'L4',
      account_domain: 'l4b.example',
      primary_contact_external_id: 'nobody',
      additional_contact_external_ids: ['L4-ann', 'l4-ann'],
    };
    const errors = {
      'related_objects.account_external_id':
        'names the account "l4.example", but the request also names "l4b.example": send one of them, or both of one record',
      'related_objects.primary_contact_external_id': unknown('a contact'),
      'related_objects.additional_contact_external_ids[1]': unknown('a contact'),
    };
    const created = await call(contracts.createOpportunity, deal('Refused', bad));
    expect([created.status, created.errors]).toEqual([400, errors]);
    const id = await opportunity({ name: 'Held' });
    const patched = await changeOpportunity(id, { related_objects: bad });
    expect([patched.status, patched.errors]).toEqual([400, errors]);
    const results = resultsOf(
      await call(contracts.bulkCreateOpportunities, { items: [deal('Refused', bad), deal('Fine', {})] }),
    );
    expect(results.map((result) => result.errors)).toEqual([errors, undefined]);
    const items = [{ id, related_objects: bad }];
    expect(resultsOf(await call(contracts.bulkUpdateOpportunities, { items }))[0]?.errors).toEqual(errors);
    const lost = await call(contracts.createContact, { email: 'x@l4.example', account_external_id: 'nobody' });
    expect([lost.status, lost.errors]).toEqual([400, { account_external_id: unknown('an account') }]);
    const note = { note: { title: 'N' }, account_external_ids: ['L4', 'no'], contact_external_ids: ['no'] };
    expect((await call(contracts.createNote, note)).errors).toEqual({
      'account_external_ids[1]': unknown('an account'),
      'contact_external_ids[0]': unknown('a contact'),
    });
    expect((await changeOpportunity(unknownId, { related_objects: { account_external_id: 'L4' } })).status).toBe(404);
  });

  test('updates, bulk calls and notes take them, also with the domain of the same record', async () => {
    const accountId = await account({ domain: 'l5.example', external_id: 'L5' });
    const ann = await contact({ email: 'ann@l5.example', external_id: 'L5-ann' });
    const id = await opportunity({ name: 'Moves' });
    const related_objects = {
      account_external_id: 'L5',
      account_domain: 'L5.example',
      primary_contact_external_id: 'L5-ann',
      additional_contact_external_ids: [],
    };
    const { data } = await changeOpportunity(id, { related_objects });
    expect(data.opportunity).toMatchObject({
      ...{ account_id: accountId, account_external_id: 'L5', contact_id: ann, contact_external_id: 'L5-ann' },
      additional_contacts: [],
    });
    const items = [{ id, related_objects: { account_external_id: null, primary_contact_external_id: null } }];
    expect(resultsOf(await call(contracts.bulkUpdateOpportunities, { items }))[0]?.record_status).toBe('updated');
    expect(await rowOf('opportunities', id)).toMatchObject({ account_id: null, contact_id: null, account_key: '' });
    // Items of one call may link the record of an earlier one only in other calls: each call creates one kind of record.
    const people = [
      { email: 'bob@l5home.example', account_external_id: 'L5' },
      { email: 'eve@l5.example', account_external_id: 'x' },
    ];
    const results = resultsOf(await call(contracts.bulkCreateContacts, { items: people }));
    expect(results.map((result) => result.record_status)).toEqual(['created', null]);
    expect(await rowOf('contacts', String(results[0]?.id))).toMatchObject({ account_id: accountId });
    const body = {
      note: { title: 'N' },
      account_external_ids: ['L5'],
      contact_external_ids: ['L5-ann'],
      account_domains: ['l5.example'],
    };
    const noteId = idOf(await call(contracts.createNote, body));
    expect(await countOf('note_accounts WHERE note_id = $2 AND account_id = $3', noteId, accountId)).toBe(1);
    expect(await countOf('note_contacts WHERE note_id = $2 AND contact_id = $3', noteId, ann)).toBe(1);
    const byId = deal('By id', related_objects, { external_id: 'L5-deal' });
    const dealId = idOf(await call(contracts.createOpportunity, byId, { on_match: 'update' }));
    const move = deal('By id', { account_external_id: 'L3' }, { external_id: 'L5-deal' });
    const kept = await call(contracts.createOpportunity, move);
    expect([idOf(kept), kept.fieldsWarnedOf]).toEqual([dealId, ['related_objects.account_domain']]);
    expect(statusOf(await call(contracts.createOpportunity, move, { on_match: 'update' }))).toBe('updated');
    expect(await rowOf('opportunities', dealId)).toMatchObject({ account_domain: 'l3.example' });
  });
});
