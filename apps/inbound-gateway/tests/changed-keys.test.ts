import {
  createContact,
  createOpportunity,
  deleteContact,
  type OperationContract,
  updateContact,
  updateOpportunity,
} from '@crm/contract';
import type { Answer, TestRequest } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records-of.js';
import { untilAWriteWaitsFor } from './support/until-a-write-waits.js';

let gateway: TestGateway;
const { account, contact, opportunity } = recordsOf(() => gateway);

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

/**
 * Runs a create that finds its record and then waits for it, while `sql` changes or deletes that record in a separate transaction.
 * `$1` is the organization, `$2` the id.
 */
const createWhile = async (
  sql: string,
  id: string,
  contract: OperationContract,
  request: TestRequest,
): Promise<Answer> => {
  const holder = await gateway.writeDatabase.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(sql, [gateway.organization.id, id]);
    const answer = gateway.client.call(contract, request);
    await untilAWriteWaitsFor(holder, gateway.writeDatabase);
    await holder.query('COMMIT');
    return await answer;
  } finally {
    holder.release();
  }
};

const write = (name: string, input: string): string => `SELECT write($1::uuid, '${name}', ${input}, NULL)`;
const change = (set: string): string =>
  `jsonb_build_object('id', $2::uuid, 'accounts', '[]'::jsonb, 'contacts', '[]'::jsonb, 'change', '${set}'::jsonb)`;
const update = { on_match: 'update' };

describe('a create during a change of the key by which it found its record', () => {
  test('creates a contact with the old email; the changed contact keeps its new email and account', async () => {
    await account({ domain: 'f.com' });
    const id = await contact({ email: 'e@one.com' });
    const moved = write('update_contact', change('{"set": {"email": "f@f.com"}, "account_domain": "f.com"}'));
    const body = { email: 'e@one.com', first_name: 'New' };
    const answer = await createWhile(moved, id, createContact, { body, query: update });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-record-status')).toBe('created');
    const rows = await gateway.rows(
      `SELECT c.email, a.domain FROM contacts c JOIN accounts a ON a.organization_id = $1 AND a.id = c.account_id
        WHERE c.organization_id = $1 AND c.email IN ('e@one.com', 'f@f.com') ORDER BY 1`,
    );
    expect(rows).toEqual([
      { email: 'e@one.com', domain: 'one.com' },
      { email: 'f@f.com', domain: 'f.com' },
    ]);
  });

  test('creates an opportunity with the old name', async () => {
    const id = await opportunity({ name: 'ten' }, { account_domain: 'ten.com' });
    const renamed = write(
      'update_opportunity',
      change('{"set": {"name": "renamed"}, "derived": {"normalized_name": "renamed"}}'),
    );
    const body = {
      pipeline_id: gateway.organization.pipeline.id,
      opportunity: { name: 'ten', deal_size: 5 },
      related_objects: { account_domain: 'ten.com' },
    };
    const answer = await createWhile(renamed, id, createOpportunity, { body, query: update });
    expect(answer.headers.get('x-record-status')).toBe('created');
  });
});

test('a create during the deletion of the record that it found creates the record again', async () => {
  const id = await contact({ email: 'gone@gone-while.com' });
  const deleted = write('delete_contact', `jsonb_build_object('id', $2::uuid)`);
  const body = { email: 'gone@gone-while.com', first_name: 'Back' };
  const answer = await createWhile(deleted, id, createContact, { body, query: update });
  expect([answer.status, answer.headers.get('x-record-status')]).toEqual([200, 'created']);
});

test('R27: the stored answer of a create that only found the person is erased by a deletion that runs in parallel', async () => {
  const email = 'kept@result-race.com';
  const id = await contact({ email, first_name: 'Kim', last_name: 'Lee' });
  const holder = await gateway.writeDatabase.pool.connect();
  const once = `'{"operation": "createContact", "key": "race", "request_hash": "x"}'`;
  const input = `'{"accounts": [], "account_domain": "result-race.com", "change": {"set": {"email": "${email}"}, "derived": {}, "custom_fields": {}, "normalized": {}}, "on_match": "keep"}'`;
  await holder.query('BEGIN');
  await holder.query(`SELECT write($1::uuid, 'create_contact', ${input}, ${once})`, [gateway.organization.id]);
  const deletion = gateway.client.call(deleteContact, { params: { id } });
  await untilAWriteWaitsFor(holder, gateway.writeDatabase);
  await holder.query('COMMIT');
  holder.release();
  expect((await deletion).status).toBe(200);
  expect(await gateway.rows('SELECT 1 FROM idempotency_keys WHERE organization_id = $1')).toEqual([]);
});

test('an opportunity shows the contact that has the email now', async () => {
  const one = await contact({ email: 'one@swap.com', first_name: 'One' });
  const deal = await opportunity({ name: 'Swap' }, { account_domain: 'swap.com' });
  const moved = write('update_contact', change('{"set": {"email": "moved@swap.com"}, "account_domain": "swap.com"}'));
  const holder = await gateway.writeDatabase.pool.connect();
  await holder.query('BEGIN');
  await holder.query(moved, [gateway.organization.id, one]);
  const body = { related_objects: { primary_contact_email: 'one@swap.com' } };
  const answer = gateway.client.call(updateOpportunity, { params: { id: deal }, body });
  await untilAWriteWaitsFor(holder, gateway.writeDatabase);
  await holder.query('COMMIT');
  holder.release();
  expect((await answer).status).toBe(200);
  const two = await contact({ email: 'one@swap.com' });
  expect(two).not.toBe(one);
  expect(
    await gateway.rows('SELECT contact_id FROM opportunities WHERE organization_id = $1 AND id = $2', [deal]),
  ).toEqual([{ contact_id: two }]);
  expect((await gateway.client.call(updateContact, { params: { id: two }, body: { first_name: 'Two' } })).status).toBe(
    200,
  );
});
