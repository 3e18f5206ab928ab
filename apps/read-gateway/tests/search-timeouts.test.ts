import {
  getAccount,
  listAccounts,
  listContacts,
  listNotes,
  listPipelines,
  type OperationContract,
  searchAccounts,
  searchContacts,
  searchOpportunities,
  summarizeAccounts,
  summarizeContacts,
  summarizeOpportunities,
} from '@crm/contract';
import { accountCreate, type AdministrationDatabase, openAdministrationDatabase, runWrite } from '@crm/db';
import type { Answer, TestClient } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { addRecord } from './support/subject.js';

let gateway: TestGateway;
let database: AdministrationDatabase;
let client: TestClient;
let id: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  const { organization } = gateway;
  id = await addRecord(gateway.database, organization, 'account', { key: 'a', name: 'Acme' });
  // Shorter than the lock timeout, so that the statement timeout is the one that ends it.
  database = openAdministrationDatabase({
    url: gateway.gatewayUrl,
    applicationName: 'impatient',
    statementTimeoutMs: 700,
  });
  client = await gateway.startOn(database);
});
afterAll(async () => {
  await gateway.stop();
  await database.close();
});

/** The X-Read-After token of a new write. */
const readMarkOf = async ({ database, organization }: TestGateway): Promise<string> => {
  const write = accountCreate(
    { domain: 'mark.example', name: null, definitions: new Map(), values: new Map() },
    'keep',
  );
  return (await runWrite(database, organization.id, write, null)).readMark;
};

/** Locks a table while `work` runs, so that every statement on it takes until its timeout. */
const whileTableTakesForEver = async <T>(table: string, work: () => Promise<T>): Promise<T> => {
  const connection = await gateway.database.pool.connect();
  try {
    await connection.query('BEGIN');
    await connection.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return await work();
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
};

const whileAccountsTakeForEver = <T>(work: () => Promise<T>): Promise<T> => whileTableTakesForEver('accounts', work);

const expectNarrowing = (answer: Answer, path: string): void => {
  expect([answer.status, answer.body.code]).toEqual([503, 'timeout']);
  expect(answer.headers.get('retry-after')).toBeNull();
  expect(answer.fieldsAtFault).toEqual([path]);
  expect(answer.errors[path]).toMatch(/^took too long: /);
};

const filters = { field: 'name', operator: 'contains', value: 'c' };

describe('R11, 503: a page whose statement times out', () => {
  test.each([
    ['filters', { filters, sort: 'name' }],
    ['query', { query: 'acme', filters }],
    ['q', { q: 'acme', sort: 'name' }],
    ['sort', { sort: 'name' }],
  ])('names %s as the parameter to narrow and sends no Retry-After', async (path, body) => {
    expectNarrowing(await whileAccountsTakeForEver(() => client.call(searchAccounts, { body })), path);
    expect((await client.call(searchAccounts, { body })).data.accounts.map((one) => one.id)).toEqual([id]);
  });

  test.each([
    ['filters', {}],
    ['filters', { filters }],
    ['query', { query: 'acme' }],
    ['q', { q: 'acme', filters }],
  ])('names %s for a summary', async (path, body) => {
    expectNarrowing(await whileAccountsTakeForEver(() => client.call(summarizeAccounts, { body })), path);
    expect((await client.call(summarizeAccounts, { body })).data.total).toEqual({ count: 1 });
  });

  test('advises filters that the object has', async () => {
    const advice = async (table: string, contract: OperationContract) =>
      (await whileTableTakesForEver(table, () => client.call(contract, { body: { filters } }))).errors['filters'];
    const ofAll = 'took too long: add a filter on a date or an exact value';
    for (const contract of [searchAccounts, summarizeAccounts]) expect(await advice('accounts', contract)).toBe(ofAll);
    for (const contract of [searchContacts, summarizeContacts]) expect(await advice('contacts', contract)).toBe(ofAll);
    for (const contract of [searchOpportunities, summarizeOpportunities]) {
      const ofDeals = 'took too long: add a filter on a date, a stage, an owner or an exact value, or a pipeline_id';
      expect(await advice('opportunities', contract)).toBe(ofDeals);
    }
  });

  test('names q for a list', async () => {
    expectNarrowing(await whileAccountsTakeForEver(() => client.call(listAccounts, { query: 'q=acme' })), 'q');
  });

  test('names q for a list of notes', async () => {
    expectNarrowing(await whileTableTakesForEver('notes', () => client.call(listNotes, { query: 'q=budget' })), 'q');
    const plain = await whileTableTakesForEver('notes', () => client.call(listNotes));
    expect([plain.status, plain.body.errors]).toEqual([503, undefined]);
  });

  test('names no parameter if none can be narrowed', async () => {
    for (const answer of await whileAccountsTakeForEver(async () => [
      await client.call(listAccounts),
      await client.call(searchAccounts, { body: { limit: 1 } }),
      await client.call(getAccount, { params: { id } }),
    ])) {
      expect(answer.status).toBe(503);
      expect(answer.body.errors).toBeUndefined();
    }
  });
});

describe('R11, R31: an organization whose searches all time out', () => {
  test.each([
    ['', false],
    [', also on a replica with X-Read-After', true],
  ])(
    'leaves other organizations their connections, and its own excess requests get 503%s',
    async (_where, isMarked) => {
      const open = (applicationName: string): AdministrationDatabase => {
        const options = { url: gateway.gatewayUrl, applicationName, maxConnections: 5, poolWaitMs: 700 };
        return openAdministrationDatabase({ ...options, statementTimeoutMs: 2_500, lockTimeoutMs: 3_500 });
      };
      const shared = open('shared');
      const replica = isMarked ? open('replica') : undefined;
      const greedy = await gateway.startOn(shared, replica);
      const headers = isMarked ? { 'x-read-after': await readMarkOf(gateway) } : {};
      const { key } = gateway.stranger;
      // Loads both keys and setups first.
      await Promise.all([greedy.call(listPipelines), greedy.call(listPipelines, { key })]);
      const { ofOthers, own } = await whileAccountsTakeForEver(async () => {
        const searches = Array.from({ length: 15 }, () => greedy.call(searchAccounts, { body: { filters }, headers }));
        // The first answer is a search that got no connection in time: by then the organization holds all it may have.
        const first = await Promise.race(searches);
        const calls = await Promise.all(Array.from({ length: 5 }, () => greedy.call(listContacts, { key, headers })));
        return { ofOthers: calls, own: [first, ...(await Promise.all(searches))] };
      });
      expect(ofOthers.map(({ status }) => status)).toEqual(Array(5).fill(200));
      expect(new Set(own.map(({ status }) => status))).toEqual(new Set([503]));
      expect(own[0]?.headers.get('retry-after')).toBe('1');
      await Promise.all([shared.close(), replica?.close()]);
    },
  );
});
