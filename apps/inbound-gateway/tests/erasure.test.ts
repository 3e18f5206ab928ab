import * as api from '@crm/contract';
import type { OperationContract } from '@crm/contract';
import { reportFigure, type TestRequest } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();

const send = async (contract: OperationContract, options: TestRequest) => {
  const answer = await gateway().client.call(contract, options);
  expect(answer.status).toBe(200);
  return answer;
};

/** Every row of the organization in any table that contains one of the texts, as `table: row`. */
const rowsWith = async (texts: readonly string[]): Promise<string[]> => {
  const { rows: tables } = await gateway().database.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'organization_id'`,
  );
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['contacts', 'idempotency_keys', 'notes']));
  const found = tables.map(
    ({ name }) =>
      `SELECT '${name}: ' || t::text AS row FROM "${name}" t WHERE t.organization_id = $1 AND t::text ~* $2`,
  );
  return (await gateway().rows<{ row: string }>(found.join(' UNION ALL '), [texts.join('|')])).map(({ row }) => row);
};

describe('R27: an erased person', () => {
  const names = { first_name: 'Canaria', last_name: 'Songbird', external_id: 'Warbler-1' };
  // The email and the names of the person; the account of a company stays.
  const traces = ['canary@', 'canaria', 'songbird', 'warbler'];

  test.each(['canary@example.com', 'canary@gmail.com'])('leaves no trace in any table: %s', async (email) => {
    const once = (key: string) => ({ 'idempotency-key': `${key} of ${email}` });
    const pipeline = gateway().organization.pipeline.id;
    const deal = {
      pipeline_id: pipeline,
      opportunity: { name: 'Website' },
      related_objects: { primary_contact_email: email },
    };
    const created = await send(api.createContact, { body: { email, ...names }, headers: once('a') });
    await send(api.createContact, { body: { email, ...names }, headers: once('b') });
    await send(api.createOpportunity, { body: deal, headers: once('c') });
    const additional = {
      ...deal,
      opportunity: { name: 'Shop' },
      related_objects: { account_domain: 'shop.com', additional_contact_emails: [email, 'stays@shop.com'] },
    };
    await send(api.createOpportunity, { body: additional, headers: once('d') });
    await send(api.bulkCreateContacts, {
      body: { items: [{ email, job_title: 'x' }] },
      query: { on_match: 'update' },
      headers: once('e'),
    });
    // The error of a refused item may repeat personal data, here in an unknown key.
    await send(api.bulkCreateContacts, {
      body: { items: [{ email: 'other@shop.com' }, { email: 'refused@shop.com', [email]: 'Canaria' }] },
      headers: once('g'),
    });
    const { people_id: id } = created.data as { people_id: string };
    await send(api.updateContact, { params: { id }, body: { phone: '+1 555 0100', external_id: 'Warbler-2' } });
    await send(api.bulkUpdateContacts, { body: { items: [{ id, first_name: 'Canaria' }] } });
    const note = { note: { title: 'Call Canaria' }, contact_emails: [email] };
    const noted = await send(api.createNote, { body: note, headers: once('f') });
    // The events of both contacts have the email of the merged one.
    const twin = await send(api.createContact, { body: { email: `canary@twin-${email.replace(/.*@/, '')}` } });
    const { people_id: from } = twin.data as { people_id: string };
    await send(api.mergeContact, { params: { id }, body: { from } });
    expect((await rowsWith(traces)).length).toBeGreaterThan(5);

    await send(api.deleteNote, { params: { id: (noted.data as { note_id: string }).note_id } });
    await send(api.deleteContact, { params: { id } });
    const left = await rowsWith(traces);
    reportFigure('R27', `rows that still name an erased person, ${email.replace(/.*@/, '')}`, left.length, 0);
    expect(left).toEqual([]);
  });

  test('is not in the answer to a repeat of the request that created the person', async () => {
    const call = () =>
      gateway().client.call(api.createContact, {
        body: { email: 'replay@gone.com', ...names },
        headers: { 'idempotency-key': 'replayed' },
      });
    const { data } = await call();
    expect((await call()).headers.get('idempotent-replayed')).toBe('true');
    await send(api.deleteContact, { params: { id: data.people_id } });
    const again = await call();
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(again.data.people_id).not.toBe(data.people_id);
  });
});

/** What the server has logged from `start` on, in bytes; null if its log is not in its data folder. */
const serverLog = async (start: number): Promise<string | null> => {
  const text = `SELECT pg_read_file('postgres.log', $1, 10000000, true) AS log`;
  return (await gateway().database.pool.query<{ log: string | null }>(text, [start])).rows[0]?.log ?? null;
};

test('R27: PostgreSQL logs no refused write, so it logs no name of a record', async () => {
  const { client, database, organization } = gateway();
  const [id, from] = await Promise.all(
    ['kept.example', 'other.example'].map(async (domain) => {
      const deal = { pipeline_id: organization.pipeline.id, opportunity: { name: 'Nightingale' } };
      await send(api.createOpportunity, { body: { ...deal, related_objects: { account_domain: domain } } });
      return ((await send(api.createAccount, { body: { domain } })).data as { company_id: string }).company_id;
    }),
  );
  const headers = { 'idempotency-key': 'logged' };
  await send(api.createAccount, { body: { domain: 'first.example' }, headers });
  const size = `SELECT coalesce((pg_stat_file('postgres.log', true)).size, 0)::int AS bytes`;
  const [{ bytes: start } = { bytes: 0 }] = (await database.pool.query<{ bytes: number }>(size)).rows;
  const refused = [
    await client.call(api.mergeAccount, { params: { id: String(id) }, body: { from } }),
    await client.call(api.updateAccount, { params: { id: String(id) }, body: { domain: 'other.example' } }),
    await client.call(api.bulkUpdateAccounts, { body: { items: [{ id, domain: 'other.example' }] } }),
    await client.call(api.createAccount, { body: { domain: 'second.example' }, headers }),
    await client.call(api.createPipeline, { body: { name: organization.pipeline.name, stages: [{ label: 'New' }] } }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([409, 409, 200, 422, 409]);
  await expect(database.pool.query(`SELECT 'Robin'::int`)).rejects.toThrow('Robin');
  const lines = (await serverLog(start))?.split('\n') ?? ['Robin'];
  expect(lines.find((line) => line.includes('Robin'))).toBeDefined();
  expect(lines.filter((line) => /Nightingale|function refuse/.test(line))).toEqual([]);
});
