import * as api from '@crm/contract';
import type { OperationContract } from '@crm/contract';
import type { Answer, TestRequest } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, statusOf } from './support/records-of.js';
import { untilAWriteWaitsFor } from './support/until-a-write-waits.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { account, contact, opportunity, row, countOf } = recordsOf(gateway);

/**
 * Sends a call that waits for a record, while `sql` changes or deletes that record in a separate transaction.
 * `$1` is the organization, `$2` the id.
 */
const callWhile = async (
  sql: string,
  id: string | null,
  contract: OperationContract,
  request: TestRequest,
): Promise<Answer> => {
  const { writeDatabase, organization, client } = gateway();
  const holder = await writeDatabase.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(sql, id === null ? [organization.id] : [organization.id, id]);
    const answer = client.call(contract, request);
    await untilAWriteWaitsFor(holder, writeDatabase);
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
    const answer = await callWhile(moved, id, api.createContact, { body, query: update });
    expect(statusOf(answer)).toBe('created');
    const rows = await gateway().rows(
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
      pipeline_id: gateway().organization.pipeline.id,
      opportunity: { name: 'ten', deal_size: 5 },
      related_objects: { account_domain: 'ten.com' },
    };
    const answer = await callWhile(renamed, id, api.createOpportunity, { body, query: update });
    expect(statusOf(answer)).toBe('created');
  });
});

test('a create during the deletion of the record that it found creates the record again', async () => {
  const id = await contact({ email: 'gone@gone-while.com' });
  const deleted = write('delete_contact', `jsonb_build_object('id', $2::uuid)`);
  const body = { email: 'gone@gone-while.com', first_name: 'Back' };
  const answer = await callWhile(deleted, id, api.createContact, { body, query: update });
  expect([answer.status, statusOf(answer)]).toEqual([200, 'created']);
});

test('R27: the stored answer of a create that only found the person is erased by a deletion that runs in parallel', async () => {
  const email = 'kept@result-race.com';
  const id = await contact({ email, first_name: 'Kim', last_name: 'Lee' });
  const once = `'{"operation": "api.createContact", "key": "race", "request_hash": "x"}'`;
  const changed = `{"set": {"email": "${email}"}, "derived": {}, "custom_fields": {}, "normalized": {}}`;
  const input = `'{"accounts": [], "account_domain": "result-race.com", "change": ${changed}, "on_match": "keep"}'`;
  const found = `SELECT write($1::uuid, 'create_contact', ${input}, ${once})`;
  expect((await callWhile(found, null, api.deleteContact, { params: { id } })).status).toBe(200);
  expect(await countOf('idempotency_keys')).toBe(0);
});

test('a create that fills the names of a contact which another call has just created is repeated (40001)', async () => {
  await account({ domain: 'names.com' });
  const changed = `{"set": {"email": "new@names.com"}, "derived": {}, "custom_fields": {}, "normalized": {}}`;
  const input = `'{"accounts": [], "account_domain": "names.com", "change": ${changed}, "on_match": "keep"}'`;
  const body = { email: 'new@names.com', first_name: 'New' };
  const answer = await callWhile(write('create_contact', input), null, api.createContact, { body });
  expect([answer.status, statusOf(answer)]).toEqual([200, 'updated']);
});

test('an opportunity shows the contact that has the email now', async () => {
  const one = await contact({ email: 'one@swap.com', first_name: 'One' });
  const deal = await opportunity({ name: 'Swap' }, { account_domain: 'swap.com' });
  const moved = write('update_contact', change('{"set": {"email": "moved@swap.com"}, "account_domain": "swap.com"}'));
  const body = { related_objects: { primary_contact_email: 'one@swap.com' } };
  expect((await callWhile(moved, one, api.updateOpportunity, { params: { id: deal }, body })).status).toBe(200);
  const two = await contact({ email: 'one@swap.com' });
  expect(two).not.toBe(one);
  expect(await row('opportunities', deal)).toMatchObject({ contact_id: two });
  const named = await gateway().client.call(api.updateContact, { params: { id: two }, body: { first_name: 'Two' } });
  expect(named.status).toBe(200);
});
