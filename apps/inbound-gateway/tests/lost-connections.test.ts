import { setTimeout as sleep } from 'node:timers/promises';
import { createNote, createOpportunity } from '@crm/contract';
import { type Answer, type FaultProxy, reportFigure, startFaultProxy, type TestClient, testSize } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startOwnGateway, type TestGateway } from './support/gateway.js';
import { untilWritesWait } from './support/until-a-write-waits.js';

/** Each fifth call is cut off at a random time, the others before each of their tables. */
const rounds = testSize({ short: 10, soak: 50 });

let gateway: TestGateway;
let proxy: FaultProxy;
let lossyClient: TestClient;

beforeAll(async () => {
  gateway = await startOwnGateway();
  proxy = await startFaultProxy(gateway.gatewayUrl);
  lossyClient = await gateway.startOn(proxy.url);
});
afterAll(async () => {
  await gateway.stop();
  await proxy.stop();
});

const countOf = async (table: string, condition: string, value: string): Promise<number | undefined> => {
  const text = `SELECT count(*)::int AS n FROM ${table} WHERE organization_id = $1 AND ${condition}`;
  return (await gateway.rows<{ n: number }>(text, [value]))[0]?.n;
};

/**
 * Counts an opportunity and the records made with it, in one statement: with Citus, a worker may still run and commit a write whose
 * connection to the coordinator has ended.
 */
const countAll = async (name: string, domain: string): Promise<Record<'deals' | 'accounts' | 'contacts', number>> => {
  const text = `SELECT
      (SELECT count(*)::int FROM opportunities WHERE organization_id = $1 AND name = $2) AS deals,
      (SELECT count(*)::int FROM accounts WHERE organization_id = $1 AND domain = $3) AS accounts,
      (SELECT count(*)::int FROM contacts WHERE organization_id = $1 AND email LIKE '%@' || $3) AS contacts`;
  const [row] = await gateway.rows<Record<'deals' | 'accounts' | 'contacts', number>>(text, [name, domain]);
  if (row === undefined) throw new Error('no counts');
  return row;
};

/** Repeats a call as a client would. A cut connection may be handed out once more before the pool notices. */
const untilDone = async (call: () => Promise<Answer>): Promise<void> => {
  let status = 503;
  for (let attempt = 0; attempt < 10 && status === 503; attempt++) ({ status } = await call());
  expect(status).toBe(200);
};

/** Ends the connections of gateways that are writing. */
const endWrites = async (): Promise<void> => {
  await gateway.database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%FROM write(%' AND state = 'active' AND pid <> pg_backend_pid()`);
};

/** Ends a call's connection just before the call writes to a table, while its earlier writes are uncommitted. */
const endBefore = async (table: string, call: () => Promise<Answer>): Promise<Answer> => {
  const holder = await gateway.database.pool.connect();
  try {
    await holder.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    const answer = call();
    await untilWritesWait(gateway.writeDatabase, 1);
    await endWrites();
    return await answer;
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
};

/** Ends a call's connection at a random time, possibly before the call begins or after it has committed. */
const endAtRandom = async (call: () => Promise<Answer>): Promise<Answer> => {
  const answer = call();
  await sleep(Math.random() * 12);
  await endWrites();
  return answer;
};

test('R4: an opportunity whose connection ends at any moment is stored whole or not at all', async () => {
  const tables = ['accounts', 'contacts', 'opportunities', 'opportunity_contacts'];
  let refused = 0;
  let partial = 0;
  for (let round = 0; round < rounds; round++) {
    const domain = `r4-${round}.com`;
    const body = {
      pipeline_id: gateway.organization.pipeline.id,
      opportunity: { name: `R4 ${round}` },
      related_objects: {
        primary_contact_email: `p@${domain}`,
        additional_contact_emails: [`a@${domain}`, `b@${domain}`, `c@${domain}`],
      },
    };
    const call = (): Promise<Answer> => lossyClient.call(createOpportunity, { body });
    const table = tables[round % (tables.length + 1)];
    const { status } = await (table === undefined ? endAtRandom(call) : endBefore(table, call));
    if (status !== 200) refused += 1;
    expect(table === undefined ? [200, 503] : [503]).toContain(status);

    const { deals, accounts, contacts } = await countAll(`R4 ${round}`, domain);
    if (accounts !== deals || contacts !== 4 * deals) partial += 1;
    await untilDone(call);
    expect(await countOf('opportunities', 'name = $2', `R4 ${round}`)).toBe(1);
    expect(await countOf('contacts', `email LIKE '%@' || $2`, domain)).toBe(4);
  }
  reportFigure('R4', `calls of ${rounds} that were cut off`, refused, 'printed');
  reportFigure('R4', 'partial rows', partial, 0);
  expect(partial).toBe(0);
  expect(refused).toBeGreaterThan(0);
  await expectConsistent(gateway);
});

describe('R22: a note whose answer is lost', () => {
  const send = (title: string, headers: Readonly<Record<string, string>> = {}) =>
    lossyClient.call(createNote, { body: { note: { title }, contact_emails: ['ann@lost.com'] }, headers });

  test('is stored once, because no layer retries it silently', async () => {
    proxy.loseAnswerTo('Lost');
    expect((await send('Lost')).status).toBe(503);
    const notes = await countOf('notes', 'title = $2', 'Lost');
    reportFigure('R22', 'notes whose commit was not answered, without a key', notes ?? 0, 1);
    expect(notes).toBe(1);
  });

  test('is answered when the client repeats it with its Idempotency-Key', async () => {
    proxy.loseAnswerTo('Keyed');
    expect((await send('Keyed', { 'idempotency-key': 'lost' })).status).toBe(503);
    const again = await send('Keyed', { 'idempotency-key': 'lost' });
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await countOf('notes', 'title = $2', 'Keyed')).toBe(1);
  });
});
