import {
  createAccount,
  createContact,
  createNote,
  createOpportunity,
  deleteAccount,
  deleteContact,
  deleteNote,
  deleteOpportunity,
  mergeAccount,
  mergeContact,
  restoreRecord,
  updateOpportunity,
} from '@crm/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { storedRecords } from './support/logged-records.js';

let gateway: TestGateway;
/** The position of the deletion of an account. */
let deletion: number;

const headPosition = async (): Promise<number> => {
  const rows = await gateway.rows<{ position: number }>(
    'SELECT position::int FROM event_heads WHERE organization_id = $1',
  );
  return rows[0]?.position ?? 0;
};
const restore = (position: unknown, headers: Readonly<Record<string, string>> = {}) =>
  gateway.client.call(restoreRecord, { body: { position }, headers });
const stored = () => storedRecords(gateway.database, gateway.organization.id);

const account = async (domain: string, more: object = {}): Promise<string> =>
  (await gateway.client.call(createAccount, { body: { domain, ...more } })).data.company_id;
const opportunity = async (name: string, related: object, more: object = {}): Promise<string> => {
  const body = {
    pipeline_id: gateway.organization.pipeline.id,
    opportunity: { name, ...more },
    related_objects: related,
  };
  return (await gateway.client.call(createOpportunity, { body })).data.opportunity_id;
};
const deleteById = async (contract: typeof deleteAccount | typeof deleteOpportunity, id: string): Promise<number> => {
  const { status } = await gateway.client.call(contract, { params: { id } });
  expect(status).toBe(200);
  return headPosition();
};

beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  const id = await account(`gone${Date.now()}.com`);
  deletion = await deleteById(deleteAccount, id);
});
afterAll(() => gateway.stop());

describe('200', () => {
  test('restores an account with its id and values, as a new version and an event', async () => {
    const id = await account('acme.com', { name: 'Acme', industry: 'Tools' });
    const before = (await stored()).get(`account ${id}`);
    const position = await deleteById(deleteAccount, id);
    const answer = await restore(position);
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ object: 'account', id, version: 2 });
    const after = (await stored()).get(`account ${id}`);
    expect(after).toEqual({ ...before, version: 2, updated_at: after?.['updated_at'] });
    const [event] = await gateway.rows<{ type: string; record: object; request_id: string; position: number }>(
      'SELECT type, record, request_id, position::int FROM events WHERE organization_id = $1 ORDER BY position DESC LIMIT 1',
    );
    expect(event).toMatchObject({ type: 'account.restored', record: after, position: position + 1 });
    expect(event?.request_id).toBe(answer.headers.get('x-request-id'));
  });

  test('restores an opportunity with its links to records that still exist; warnings name the others', async () => {
    const related = {
      account_domain: 'links.com',
      primary_contact_email: 'ann@links.com',
      additional_contact_emails: ['bob@links.com', 'cid@links.com'],
    };
    const id = await opportunity('Links', related, { deal_size: 12.5 });
    const before = (await stored()).get(`opportunity ${id}`);
    const position = await deleteById(deleteOpportunity, id);
    const contacts = before?.['additional_contact_ids'] as readonly string[];
    await gateway.client.call(deleteContact, { params: { id: contacts[0] ?? '' } });
    await gateway.client.call(deleteContact, { params: { id: String(before?.['contact_id']) } });
    const answer = await restore(position);
    expect(answer.status).toBe(200);
    expect((answer.body as { warnings?: readonly { field: string }[] }).warnings?.map(({ field }) => field)).toEqual([
      'contact_id',
      'additional_contact_ids',
    ]);
    const after = (await stored()).get(`opportunity ${id}`);
    expect(after).toEqual({
      ...before,
      contact_id: null,
      additional_contact_ids: contacts.slice(1),
      version: 2,
      updated_at: after?.['updated_at'],
    });
  });

  test('restores the values of a field that was archived since; they show when the field is active again', async () => {
    const { organization, database } = gateway;
    const slots = async (table: string, id: string) => {
      const text = `SELECT custom_fields, normalized, text_1 FROM ${table} WHERE organization_id = $1 AND id = $2`;
      return (await gateway.rows(text, [id]))[0];
    };
    for (const objectType of ['account', 'opportunity'] as const)
      await organization.defineField({ objectType, slug: 'region', attributeType: 'string' });
    const custom_fields = { region: 'Nord' };
    const accountId = await account('archived-field.com', { custom_fields });
    const dealId = await opportunity('Archived field', {}, { custom_fields });
    const before = [await slots('accounts', accountId), await slots('opportunities', dealId)];
    expect(before).toMatchObject([{ text_1: 'nord' }, { text_1: 'nord' }]);
    const positions = [await deleteById(deleteAccount, accountId), await deleteById(deleteOpportunity, dealId)];
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
    const before = (await stored()).get(`opportunity ${id}`);
    const [bob = '', cid = ''] = before?.['additional_contact_ids'] as readonly string[];
    const position = await deleteById(deleteOpportunity, id);
    const kept = await account('kept-later.com');
    const from = String(before?.['account_id']);
    await gateway.client.call(mergeAccount, { params: { id: kept }, body: { from } });
    const eve = await gateway.client.call(createContact, { body: { email: 'eve@kept-later.com' } });
    const ann = String(before?.['contact_id']);
    await gateway.client.call(mergeContact, { params: { id: eve.data.people_id }, body: { from: ann } });
    await gateway.client.call(mergeContact, { params: { id: cid }, body: { from: bob } });
    const answer = await restore(position);
    expect(answer.status).toBe(200);
    expect(answer.body.warnings).toBeUndefined();
    expect((await stored()).get(`opportunity ${id}`)).toMatchObject({
      account_id: kept,
      contact_id: eve.data.people_id,
      additional_contact_ids: [cid],
    });
    expect(await opportunity('Merged links', related)).toBe(id);
  });

  test('puts an opportunity whose stage was archived into the stage where new ones start', async () => {
    const [, qualified, won] = gateway.organization.pipeline.stages;
    const id = await opportunity('Archived stage', {}, { stage_id: won?.id });
    const position = await deleteById(deleteOpportunity, id);
    const archive = 'UPDATE stages SET is_active = $3 WHERE organization_id = $1 AND id = $2';
    await gateway.rows(archive, [won?.id, false]);
    const answer = await restore(position);
    await gateway.rows(archive, [won?.id, true]);
    expect(answer.body).toMatchObject({
      warnings: [{ field: 'stage_id', message: expect.stringMatching(/archived/) }],
    });
    expect((await stored()).get(`opportunity ${id}`)).toMatchObject({ stage_id: qualified?.id });
  });

  test('answers the same for a repeat under an Idempotency-Key', async () => {
    const key = { 'idempotency-key': `restore ${deletion}` };
    const first = await restore(deletion, key);
    const again = await restore(deletion, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.data).toEqual(first.data);
  });
});

describe('400', () => {
  test('refuses a position that is not a positive integer', async () => {
    for (const position of [0, 1.5, '1', null]) {
      const answer = await restore(position);
      expect([position, answer.status, answer.fieldsAtFault]).toEqual([position, 400, ['position']]);
    }
  });

  test('refuses the position of another kind of event', async () => {
    const answer = await restore(deletion - 1);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: { position: 'is not the position of a deletion' } });
  });
});

describe('404', () => {
  test('answers a position that the log does not have with the same bytes, even if another organization has it', async () => {
    const ahead = (await headPosition()) + 1;
    const unknown = await restore(Number.MAX_SAFE_INTEGER);
    expect(unknown.status).toBe(404);
    expect((await restore(ahead)).comparable).toBe(unknown.comparable);
    const foreign = await gateway.clientOf(gateway.stranger).call(restoreRecord, { body: { position: deletion } });
    expect(foreign.comparable).toBe(unknown.comparable);
  });

  test('refuses an event that has expired', async () => {
    const text = 'UPDATE event_heads SET oldest_position = $2 WHERE organization_id = $1';
    await gateway.rows(text, [deletion + 1]);
    expect((await restore(deletion)).status).toBe(404);
    await gateway.rows(text, [1]);
  });
});

describe('409', () => {
  test('refuses an account whose domain another account has now, or that is already restored', async () => {
    const id = await account('taken.com');
    const position = await deleteById(deleteAccount, id);
    const other = await account('taken.com');
    const conflict = { field: 'domain', existing_id: other };
    const answer = await restore(position);
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ code: 'conflict', conflict });
    await deleteById(deleteAccount, other);
    expect((await restore(position)).status).toBe(200);
    expect((await restore(position)).body).toMatchObject({ conflict: { field: 'domain', existing_id: id } });
  });

  test('refuses an opportunity whose name another one has now, or that was restored and renamed', async () => {
    const related = { account_domain: 'names.com' };
    const id = await opportunity('Taken', related);
    const position = await deleteById(deleteOpportunity, id);
    const other = await opportunity('Taken', related);
    const answer = await restore(position);
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ conflict: { existing_id: other } });
    await deleteById(deleteOpportunity, other);
    expect((await restore(position)).status).toBe(200);
    await gateway.client.call(updateOpportunity, { params: { id }, body: { opportunity: { name: 'Renamed' } } });
    expect((await restore(position)).body).toMatchObject({ statusCode: 409, conflict: { existing_id: id } });
  });

  test('refuses a deletion after which the record was restored and deleted again', async () => {
    const id = await account('twice-gone.com', { name: 'First life' });
    const first = await deleteById(deleteAccount, id);
    expect((await restore(first)).status).toBe(200);
    const last = await deleteById(deleteAccount, id);
    const answer = await restore(first);
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain(`restore the deletion at position ${last}`);
    expect((await restore(last)).data).toMatchObject({ id, version: 3 });
  });

  test('refuses an account that was merged into another one', async () => {
    const kept = await account('kept.com');
    const other = await account('merged.com');
    await gateway.client.call(mergeAccount, { params: { id: kept }, body: { from: other } });
    const rows = await gateway.rows<{ position: number }>(
      `SELECT position::int FROM events WHERE organization_id = $1 AND record_id = $2 AND type = 'account.deleted'`,
      [other],
    );
    const answer = await restore(rows[0]?.position);
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ conflict: { field: 'domain', existing_id: kept } });
  });

  test('refuses a contact and a note, which deletion erases', async () => {
    const contact = await gateway.client.call(createContact, { body: { email: 'ann@erased.com' } });
    await gateway.client.call(deleteContact, { params: { id: contact.data.people_id } });
    const answer = await restore(await headPosition());
    expect(answer.status).toBe(409);
    expect(answer.text).toMatch(/were erased/);
    const body = { note: { title: 'T' }, account_domains: ['erased.com'] };
    const note = await gateway.client.call(createNote, { body });
    await gateway.client.call(deleteNote, { params: { id: note.data.note_id } });
    expect((await restore(await headPosition())).status).toBe(409);
  });
});
