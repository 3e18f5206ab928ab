import {
  getAccount,
  listAccounts,
  listContacts,
  listNotes,
  listPipelines,
  type OperationContract,
  searchAccounts,
  searchOpportunities,
  summarizeAccounts,
} from '@crm/contract';
import { changeOf } from '@crm/domain';
import { accountCreate, type Database, openDatabase, runWrite } from '@crm/db';
import { SharedLimit } from '@crm/http';
import { type Answer, type TestClient, until, untilServed } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startOwnGateway, useGateway } from './support/gateway.js';
import { addRecord } from './support/subject.js';

let database: Database;
// Before the gateway's own database is dropped.
afterAll(() => database.close());
const gateway = useGateway(startOwnGateway);
let client: TestClient;
let id: string;

// The tests lock whole tables, so the database is their own.
beforeAll(async () => {
  id = await addRecord(gateway.database, gateway.organization, 'account', { key: 'a', name: 'Acme' });
  // Shorter than the lock timeout, so that the statement timeout is the one that ends it.
  database = openDatabase({ url: gateway.gatewayUrl, applicationName: 'impatient', statementTimeoutMs: 200 });
  ({ client } = await gateway.start({ database }));
  // Loads the key and the setup before a table is locked. On a busy machine, that may also exceed the statement timeout.
  await until(async () => (await client.call(listPipelines)).status === 200);
});

/** Locks tables while `work` runs, so that every statement on them takes until its timeout. */
const whileTablesTakeForEver = async <T>(work: () => Promise<T>): Promise<T> => {
  const connection = await gateway.database.pool.connect();
  try {
    await connection.query('BEGIN');
    await connection.query('LOCK TABLE accounts, opportunities, notes IN ACCESS EXCLUSIVE MODE');
    return await work();
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
};

/** Opens that many connections of a pool, which then stay open. */
const openConnections = async (pool: Database, count: number): Promise<void> => {
  let release = (): void => undefined;
  const all = new Promise<void>((resolve) => (release = resolve));
  let opened = 0;
  const work = (): Promise<void> => {
    if ((opened += 1) === count) release();
    return all;
  };
  await Promise.all(Array.from({ length: count }, () => pool.withConnection(work)));
};

/** The sessions of this database that wait for a lock. */
const countWaitingSessions = async (): Promise<number> => {
  const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await gateway.database.pool.query(text)).rowCount ?? 0;
};

const filters = { field: 'name', operator: 'contains', value: 'c' };
const ofAll = 'took too long: add a filter on a date or an exact value';
const ofDeals = 'took too long: add a filter on a date, a stage, an owner or an exact value, or a pipeline_id';
const tooLong = expect.stringMatching(/^took too long: /);

describe('R11, 503: a page whose statement times out', () => {
  test('names the parameter to narrow with advice for its object, or has Retry-After if there is none', async () => {
    const asked: readonly (readonly [contract: OperationContract, request: object, errors: object | undefined])[] = [
      [searchAccounts, { body: { filters, sort: 'name' } }, { filters: ofAll }],
      [searchAccounts, { body: { query: 'acme', filters } }, { query: tooLong }],
      [searchAccounts, { body: { q: 'acme', sort: 'name' } }, { q: tooLong }],
      [searchAccounts, { body: { sort: 'name' } }, { sort: tooLong }],
      [searchAccounts, { body: { limit: 1 } }, undefined],
      [searchOpportunities, { body: { filters } }, { filters: ofDeals }],
      [summarizeAccounts, { body: {} }, { filters: ofAll }],
      [summarizeAccounts, { body: { q: 'acme', filters } }, { q: tooLong }],
      [listAccounts, { query: 'q=acme' }, { q: tooLong }],
      [listAccounts, {}, undefined],
      [listNotes, { query: 'q=budget' }, { q: tooLong }],
      [listNotes, {}, undefined],
      [getAccount, { params: { id } }, undefined],
    ];
    const answers: Answer[] = [];
    await whileTablesTakeForEver(async () => {
      // One after the other, because an organization gets only some of the connections.
      for (const [contract, request] of asked) answers.push(await client.call(contract, request));
    });
    for (const [index, [contract, request, errors]] of asked.entries()) {
      const { status, body, headers } = answers[index] as Answer;
      const about = { contract: contract.id, request };
      expect({ ...about, status, errors: body.errors }).toEqual({ ...about, status: 503, errors });
      const wait = headers.get('retry-after');
      expect({ ...about, code: body.code, wait }).toEqual({
        ...about,
        code: 'timeout',
        wait: errors === undefined ? '1' : null,
      });
    }
    const search = () => client.call(searchAccounts, { body: { filters } });
    const found = await untilServed(search);
    expect(found.data.accounts.map((one) => one.id)).toEqual([id]);
  });
});

describe('R31, 503: an organization whose searches all wait', () => {
  test('leaves other organizations their connections to a replica, and its excess requests get Retry-After', async () => {
    const [maxConnections, share] = [5, 4];
    const open = (applicationName: string): Database => {
      const options = { url: gateway.gatewayUrl, applicationName, maxConnections, poolWaitMs: 700 };
      // The searches wait until the test unlocks the tables.
      const limits = { statementTimeoutMs: 60_000, lockTimeoutMs: 60_000 };
      return openDatabase({ ...options, ...limits, connectionLimit: new SharedLimit({ share }) });
    };
    const [primary, replica] = [open('primary'), open('replica')];
    const { client: greedy } = await gateway.start({ database: primary, replica });
    const account = changeOf('account', { domain: 'mark.example', name: null });
    const { readMark } = await runWrite(
      gateway.database,
      gateway.organization.id,
      accountCreate(account, 'keep'),
      null,
    );
    const headers = { 'x-read-after': readMark };
    const { key } = gateway.stranger;
    // Loads both keys and setups, and opens all connections.
    await Promise.all([greedy.call(listPipelines), greedy.call(listPipelines, { key })]);
    await Promise.all([primary, replica].map((pool) => openConnections(pool, maxConnections)));
    const searches: Promise<Answer>[] = [];
    await whileTablesTakeForEver(async () => {
      for (let count = 0; count < 2 * share; count += 1)
        searches.push(greedy.call(searchAccounts, { body: { filters }, headers }));
      // The first answer is a search that got no connection in time: by then the organization holds all it may have.
      const first = await Promise.race(searches);
      expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await countWaitingSessions()).toBe(share);
      // One after the other, because there is one connection for them.
      for (let count = 0; count < 3; count += 1)
        expect((await greedy.call(listContacts, { key, headers })).status).toBe(200);
    });
    const statuses = (await Promise.all(searches)).map(({ status }) => status);
    expect(statuses.sort()).toEqual(searches.map((_, index) => (index < share ? 200 : 503)));
    await Promise.all([primary.close(), replica.close()]);
  });
});
