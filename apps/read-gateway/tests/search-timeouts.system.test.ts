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
import type { Answer, TestClient } from '@crm/testing';
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
  // Loads the key and the setup before a table is locked.
  expect((await client.call(listPipelines)).status).toBe(200);
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

const filters = { field: 'name', operator: 'contains', value: 'c' };
const ofAll = 'took too long: add a filter on a date or an exact value';
const ofDeals = 'took too long: add a filter on a date, a stage, an owner or an exact value, or a pipeline_id';
const tooLong = expect.stringMatching(/^took too long: /);

describe('R11, 503: a page whose statement times out', () => {
  test('names the parameter to narrow with advice for its object, and sends no Retry-After', async () => {
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
      if (errors === undefined) continue;
      expect([body.code, headers.get('retry-after')]).toEqual(['timeout', null]);
    }
    expect((await client.call(searchAccounts, { body: { filters } })).data.accounts.map((one) => one.id)).toEqual([id]);
  });
});

describe('R31, 503: an organization whose searches all time out', () => {
  test('leaves other organizations their connections to a replica, and its excess requests get Retry-After', async () => {
    const open = (applicationName: string): Database => {
      const options = { url: gateway.gatewayUrl, applicationName, maxConnections: 5, poolWaitMs: 700 };
      const connectionLimit = new SharedLimit({ share: 4 });
      return openDatabase({ ...options, connectionLimit, statementTimeoutMs: 2_500, lockTimeoutMs: 3_500 });
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
    // Loads both keys and setups first.
    await Promise.all([greedy.call(listPipelines), greedy.call(listPipelines, { key })]);
    const { ofOthers, own } = await whileTablesTakeForEver(async () => {
      const searches = Array.from({ length: 8 }, () => greedy.call(searchAccounts, { body: { filters }, headers }));
      // The first answer is a search that got no connection in time: by then the organization holds all it may have.
      const first = await Promise.race(searches);
      const calls = await Promise.all(Array.from({ length: 3 }, () => greedy.call(listContacts, { key, headers })));
      return { ofOthers: calls, own: [first, ...(await Promise.all(searches))] };
    });
    expect(ofOthers.map(({ status }) => status)).toEqual(Array(3).fill(200));
    expect(new Set(own.map(({ status }) => status))).toEqual(new Set([503]));
    expect(own[0]?.headers.get('retry-after')).toBe('1');
    await Promise.all([primary.close(), replica.close()]);
  });
});
