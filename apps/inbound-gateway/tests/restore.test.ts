import * as api from '@crm/contract';
import type { OperationContract } from '@crm/contract';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { storedRecords } from './support/logged-records.js';
import { recordsOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { account: newAccount, contact, note, opportunity: newOpportunity, row } = recordsOf(gateway);
/** The position of the deletion of an account. */
let deletion: number;

const headPosition = async (): Promise<number> => {
  const text = 'SELECT position::int FROM event_heads WHERE organization_id = $1';
  return (await gateway().rows<{ position: number }>(text))[0]?.position ?? 0;
};
const restore = (position: unknown, headers: Readonly<Record<string, string>> = {}) =>
  gateway().client.call(api.restoreRecord, { body: { position }, headers });
const storedAs = async (object: string, id: string) =>
  (await storedRecords(gateway().database, gateway().organization.id)).get(`${object} ${id}`);
const account = (domain: string, more: object = {}) => newAccount({ domain, ...more });
const opportunity = (name: string, related: object, more: object = {}) => newOpportunity({ name, ...more }, related);
const merge = (contract: typeof api.mergeAccount | typeof api.mergeContact, id: string, from: string) =>
  gateway().client.call(contract, { params: { id }, body: { from } });
const restoreBody = (body: object) => gateway().client.call(api.restoreRecord, { body });
/** Deletes a record. @returns the position of the event */
const deleteById = async (contract: OperationContract, id: string): Promise<number> =>
  ((await gateway().client.call(contract, { params: { id } })).data as { position: number }).position;

beforeEach(async () => {
  deletion = await deleteById(api.deleteAccount, await account(`gone${Date.now()}.com`));
});

describe('200', () => {
  test('restores an account with its id and values, as a new version and an event', async () => {
    const id = await account('acme.com', { name: 'Acme', industry: 'Tools' });
    const before = await storedAs('account', id);
    const position = await deleteById(api.deleteAccount, id);
    const answer = await restore(position);
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ object: 'account', id, version: 2 });
    const after = await storedAs('account', id);
    expect(after).toEqual({ ...before, version: 2, updated_at: after?.['updated_at'] });
    const [event] = await gateway().rows<{ type: string; record: object; request_id: string; position: number }>(
      'SELECT type, record, request_id, position::int FROM events WHERE organization_id = $1 ORDER BY position DESC LIMIT 1',
    );
    expect(event).toMatchObject({ type: 'account.restored', record: after, position: position + 1 });
    expect(event?.request_id).toBe(answer.headers.get('x-request-id'));
  });

  test('restores the aliases of an account; warnings name those that find another account now', async () => {
    const id = await account('kept-aliases.com');
    for (const name of ['b', 'a', 'c']) await merge(api.mergeAccount, id, await account(`${name}-alias.com`));
    const position = await deleteById(api.deleteAccount, id);
    const holder = await account('b-alias.com');
    const { body } = await restore(position);
    expect(body).toMatchObject({
      warnings: [
        { field: 'additional_domains', message: `b-alias.com belongs to the account ${holder} now: it was left out` },
      ],
    });
    expect(await storedAs('account', id)).toMatchObject({ additional_domains: ['a-alias.com', 'c-alias.com'] });
    expect(await account('a-alias.com')).toBe(id);
  });

  test('restores an opportunity with its links to records that still exist; warnings name the others', async () => {
    const related = {
      account_domain: 'links.com',
      primary_contact_email: 'ann@links.com',
      additional_contact_emails: ['bob@links.com', 'cid@links.com'],
    };
    const id = await opportunity('Links', related, { deal_size: 12.5 });
    const before = await storedAs('opportunity', id);
    const position = await deleteById(api.deleteOpportunity, id);
    const contacts = before?.['additional_contact_ids'] as readonly string[];
    await gateway().client.call(api.deleteContact, { params: { id: contacts[0] ?? '' } });
    await gateway().client.call(api.deleteContact, { params: { id: String(before?.['contact_id']) } });
    const answer = await restore(position);
    expect([answer.status, answer.fieldsWarnedOf]).toEqual([200, ['contact_id', 'additional_contact_ids']]);
    const after = await storedAs('opportunity', id);
    expect(after).toEqual({
      ...before,
      contact_id: null,
      additional_contact_ids: contacts.slice(1),
      version: 2,
      updated_at: after?.['updated_at'],
    });
  });

  test('restores the last deletion of the record that the request names', async () => {
    const id = await account('by-id.com', { name: 'First life' });
    await deleteById(api.deleteAccount, id);
    const record = { object: 'account', id: id.toUpperCase() };
    expect((await restoreBody(record)).data).toEqual({ object: 'account', id, version: 2 });
    await gateway().client.call(api.updateAccount, { params: { id }, body: { name: 'Second life' } });
    await deleteById(api.deleteAccount, id);
    expect((await restoreBody(record)).data).toEqual({ object: 'account', id, version: 4 });
    expect(await storedAs('account', id)).toMatchObject({ name: 'Second life' });
    const again = await restoreBody(record);
    expect([again.status, again.body]).toMatchObject([409, { conflict: { field: 'domain', existing_id: id } }]);
  });

  test('restores the values of a field that was archived since; they show when the field is active again', async () => {
    const { organization, database } = gateway();
    const slots = async (table: string, id: string) => {
      const { custom_fields, normalized, text_1 } = (await row(table, id)) ?? {};
      return { custom_fields, normalized, text_1 };
    };
    for (const objectType of ['account', 'opportunity'] as const)
      await organization.defineField({ objectType, slug: 'region', attributeType: 'string' });
    const custom_fields = { region: 'Nord' };
    const accountId = await account('archived-field.com', { custom_fields });
    const dealId = await opportunity('Archived field', {}, { custom_fields });
    const before = [await slots('accounts', accountId), await slots('opportunities', dealId)];
    expect(before).toMatchObject([{ text_1: 'nord' }, { text_1: 'nord' }]);
    const positions = [await deleteById(api.deleteAccount, accountId), await deleteById(api.deleteOpportunity, dealId)];
    await database.prisma.customField.updateMany({
      where: { organizationId: organization.id, slug: 'region' },
      data: { isActive: false },
    });
    // Waits until the gateway's cached setup, which has the fields, has expired.
    await sleep(1_100);
    for (const position of positions) expect((await restore(position)).status).toBe(200);
    expect([await slots('accounts', accountId), await slots('opportunities', dealId)]).toEqual(before);
  });

  test('links an opportunity to the records that its account and contacts were merged into', async () => {
    const related = {
      account_domain: 'merged-later.com',
      primary_contact_email: 'ann@merged-later.com',
      additional_contact_emails: ['bob@merged-later.com', 'cid@merged-later.com'],
    };
    const id = await opportunity('Merged links', related);
    const before = await storedAs('opportunity', id);
    const [bob = '', cid = ''] = before?.['additional_contact_ids'] as readonly string[];
    const position = await deleteById(api.deleteOpportunity, id);
    const kept = await account('kept-later.com');
    await merge(api.mergeAccount, kept, String(before?.['account_id']));
    const eve = await contact({ email: 'eve@kept-later.com' });
    await merge(api.mergeContact, eve, String(before?.['contact_id']));
    await merge(api.mergeContact, cid, bob);
    const answer = await restore(position);
    expect(answer.status).toBe(200);
    expect(answer.body.warnings).toBeUndefined();
    expect(await storedAs('opportunity', id)).toMatchObject({
      account_id: kept,
      contact_id: eve,
      additional_contact_ids: [cid],
    });
    expect(await opportunity('Merged links', related)).toBe(id);
  });

  test('puts an opportunity whose stage was archived into the stage where new ones start', async () => {
    const [, qualified, won] = gateway().organization.pipeline.stages;
    const id = await opportunity('Archived stage', {}, { stage_id: won?.id });
    const position = await deleteById(api.deleteOpportunity, id);
    const archive = 'UPDATE stages SET is_active = $3 WHERE organization_id = $1 AND id = $2';
    await gateway().rows(archive, [won?.id, false]);
    const answer = await restore(position);
    await gateway().rows(archive, [won?.id, true]);
    expect(answer.body).toMatchObject({
      warnings: [{ field: 'stage_id', message: expect.stringMatching(/archived/) }],
    });
    expect(await storedAs('opportunity', id)).toMatchObject({ stage_id: qualified?.id });
  });
});

describe('400', () => {
  test.each<[object, string[]]>([
    [{}, ['id', 'object']],
    [{ object: 'account' }, ['id']],
    [{ object: 'contact', id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4' }, ['object']],
    [{ object: 'account', id: '7' }, ['id']],
    [{ position: 1, object: 'account', id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4' }, ['position']],
  ])('refuses %j, which names no record, or two', async (body, fields) => {
    const answer = await restoreBody(body);
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, fields]);
  });

  test('refuses the position of another kind of event', async () => {
    const answer = await restore(deletion - 1);
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { errors: { position: 'is not the position of a deletion' } },
    ]);
  });
});

describe('404', () => {
  test('answers a position that the log does not have with the same bytes, even if another organization has it', async () => {
    const ahead = (await headPosition()) + 1;
    const unknown = await restore(Number.MAX_SAFE_INTEGER);
    expect(unknown.status).toBe(404);
    expect((await restore(ahead)).comparable).toBe(unknown.comparable);
    const foreign = await gateway()
      .clientOf(gateway().stranger)
      .call(api.restoreRecord, { body: { position: deletion } });
    expect(foreign.comparable).toBe(unknown.comparable);
  });

  test('refuses a record that was not deleted, or belongs to another organization', async () => {
    const id = await account('alive.com');
    expect((await restoreBody({ object: 'account', id })).status).toBe(404);
    await deleteById(api.deleteAccount, id);
    expect((await restoreBody({ object: 'opportunity', id })).status).toBe(404);
    const foreign = gateway().clientOf(gateway().stranger);
    expect((await foreign.call(api.restoreRecord, { body: { object: 'account', id } })).status).toBe(404);
  });

  test('refuses an event that has expired', async () => {
    const text = 'UPDATE event_heads SET oldest_position = $2 WHERE organization_id = $1';
    await gateway().rows(text, [deletion + 1]);
    expect((await restore(deletion)).status).toBe(404);
    await gateway().rows(text, [1]);
  });
});

describe('409', () => {
  test('refuses an account whose domain another account has now, or that is already restored', async () => {
    const id = await account('taken.com');
    const position = await deleteById(api.deleteAccount, id);
    const other = await account('taken.com');
    const conflict = { field: 'domain', existing_id: other };
    const answer = await restore(position);
    expect([answer.status, answer.body]).toMatchObject([409, { code: 'conflict', conflict }]);
    await deleteById(api.deleteAccount, other);
    expect((await restore(position)).status).toBe(200);
    expect((await restore(position)).body).toMatchObject({ conflict: { field: 'domain', existing_id: id } });
  });

  test('refuses an opportunity whose name another one has now, or that was restored and renamed', async () => {
    const related = { account_domain: 'names.com' };
    const id = await opportunity('Taken', related);
    const position = await deleteById(api.deleteOpportunity, id);
    const other = await opportunity('Taken', related);
    const answer = await restore(position);
    expect([answer.status, answer.body]).toMatchObject([409, { conflict: { existing_id: other } }]);
    await deleteById(api.deleteOpportunity, other);
    expect((await restore(position)).status).toBe(200);
    await gateway().client.call(api.updateOpportunity, { params: { id }, body: { opportunity: { name: 'Renamed' } } });
    expect((await restore(position)).body).toMatchObject({ statusCode: 409, conflict: { existing_id: id } });
  });

  test('refuses a deletion after which the record was restored and deleted again', async () => {
    const id = await account('twice-gone.com', { name: 'First life' });
    const first = await deleteById(api.deleteAccount, id);
    expect((await restore(first)).status).toBe(200);
    const last = await deleteById(api.deleteAccount, id);
    const answer = await restore(first);
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain(`restore the deletion at position ${last}`);
    expect((await restore(last)).data).toMatchObject({ id, version: 3 });
  });

  test('refuses an account that was merged into another one', async () => {
    const kept = await account('kept.com');
    const other = await account('merged.com');
    await merge(api.mergeAccount, kept, other);
    const rows = await gateway().rows<{ position: number }>(
      `SELECT position::int FROM events WHERE organization_id = $1 AND record_id = $2 AND type = 'account.deleted'`,
      [other],
    );
    const answer = await restore(rows[0]?.position);
    expect([answer.status, answer.body]).toMatchObject([409, { conflict: { field: 'domain', existing_id: kept } }]);
  });

  test('refuses a contact and a note, which deletion erases', async () => {
    const answer = await restore(await deleteById(api.deleteContact, await contact({ email: 'ann@erased.com' })));
    expect(answer.status).toBe(409);
    expect(answer.text).toMatch(/were erased/);
    const noteId = await note({ title: 'T' }, { account_domains: ['erased.com'] });
    expect((await restore(await deleteById(api.deleteNote, noteId))).status).toBe(409);
  });
});
