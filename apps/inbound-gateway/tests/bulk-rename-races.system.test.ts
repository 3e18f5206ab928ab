import { bulkCreateOpportunities, bulkUpdateOpportunities, createOpportunity, updateOpportunity } from '@crm/contract';
import { type Answer, reportFigure, type TestClient } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { countDeadlocks } from './support/deadlocks.js';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { untilWritesWait } from './support/until-a-write-waits.js';

let gateway: TestGateway;
let processes: TestClient[];

beforeAll(async () => {
  gateway = await startTestGateway();
  processes = await gateway.startProcesses(2);
});
afterAll(() => gateway.stop());

type Call = (client: TestClient) => Promise<Answer>;

/** Sends all calls at once, spread over both processes. Single items may be refused: only one opportunity gets a name. */
const race = async (calls: readonly Call[]): Promise<void> => {
  const answers = await Promise.all(
    calls.map((call, index) => call(processes[index % processes.length] ?? gateway.client)),
  );
  const failed = answers.filter(({ status }) => status !== 200 && status !== 409);
  expect(failed.map(({ status, text }) => `${status} ${text.slice(0, 300)}`)).toEqual([]);
};

const streams = [0, 1, 2, 3];
const numbers = Array.from({ length: 40 }, (_, index) => index);
/** The same items in a different order for each stream. */
const rotated = <T>(items: readonly T[], by: number): T[] => [...items.slice(by * 10), ...items.slice(0, by * 10)];

const deal = (name: string, domain: string) => ({
  pipeline_id: gateway.organization.pipeline.id,
  opportunity: { name },
  related_objects: { account_domain: domain },
});

const create = async (names: readonly string[], domain: string): Promise<string[]> => {
  const items = names.map((name) => deal(name, domain));
  const { data } = await gateway.client.call(bulkCreateOpportunities, { body: { items } });
  return data.results.map(({ id }) => id ?? '');
};

const update =
  (items: readonly object[]): Call =>
  (client) =>
    client.call(bulkUpdateOpportunities, { body: { items } });

describe('R2: no deadlock between bulk calls that change the natural keys of opportunities', () => {
  /** Bulk calls of four streams. Each gives its own opportunities the same new names, in a different order. */
  const renames = (ids: readonly (readonly string[])[], prefix: string): Call[] =>
    streams.map((by) =>
      update(
        rotated(
          numbers.map((n) => ({ id: ids[by]?.[n], opportunity: { name: `${prefix} ${n}` } })),
          by,
        ),
      ),
    );
  const countOf = async (pattern: string): Promise<number> =>
    (await gateway.rows(`SELECT name FROM opportunities WHERE organization_id = $1 AND name LIKE $2`, [pattern]))
      .length;

  test('setting the same names in different orders', async () => {
    const ids = await Promise.all(
      streams.map((by) =>
        create(
          numbers.map((n) => `Old ${by} ${n}`),
          'names.com',
        ),
      ),
    );
    await race(renames(ids, 'New'));
    expect(await countOf('New %')).toBe(numbers.length);
  });

  test('setting the same names next to creates and single changes', async () => {
    const domain = 'creates.com';
    const ids = await Promise.all(
      streams.map((by) =>
        create(
          numbers.map((n) => `Old ${by} ${n}`),
          domain,
        ),
      ),
    );
    const wanted = (n: number) => deal(`Newer ${n}`, domain);
    const creates = streams.map(
      (by): Call =>
        (client) =>
          client.call(bulkCreateOpportunities, { body: { items: rotated(numbers, by).map(wanted) } }),
    );
    const singles = numbers.slice(0, 10).flatMap((n): Call[] => [
      (client) => client.call(createOpportunity, { body: wanted(n + 20) }),
      (client) =>
        client.call(updateOpportunity, {
          params: { id: ids[0]?.[n] ?? '' },
          body: { opportunity: { name: `Newer ${n + 30}` } },
        }),
    ]);
    const some = renames(ids, 'Newer');
    await race([...some.slice(0, 2), ...creates.slice(0, 2), ...singles]);
    await race([...some.slice(2), ...creates.slice(2)]);
    expect(await countOf('Newer %')).toBe(numbers.length);
  });

  test('setting a new account in one item and a new name in a later one', async () => {
    const some = numbers.slice(0, 25);
    const ids = await Promise.all(
      streams.map((by) =>
        create(
          some.map((n) => `Move ${by} ${n}`),
          `from-${by}.com`,
        ),
      ),
    );
    await create(['Any'], 'to.com');
    const moves = streams.map((by) => {
      const order = [...some.slice(by * 6), ...some.slice(0, by * 6)];
      return update([
        ...order.map((n) => ({ id: ids[by]?.[n], related_objects: { account_domain: 'to.com' } })),
        ...order.map((n) => ({ id: ids[by]?.[n], opportunity: { name: `Moved ${n}` } })),
      ]);
    });
    // All calls wait for the name lock of the account, so that they start at the same moment.
    const holder = await gateway.writeDatabase.pool.connect();
    await holder.query('BEGIN');
    await holder.query(
      `SELECT lock_names($1, 'account', ARRAY(SELECT id FROM accounts WHERE organization_id = $1 AND domain = 'to.com'), true)`,
      [gateway.organization.id],
    );
    const racing = race(moves);
    await untilWritesWait(gateway.writeDatabase, moves.length);
    await holder.query('ROLLBACK');
    holder.release();
    await racing;
    const rows = await gateway.rows(
      `SELECT name FROM opportunities WHERE organization_id = $1 AND name LIKE 'Moved %' AND account_domain = 'to.com'`,
    );
    expect(rows.length).toBe(some.length);
  });

  test('swapping names within one call', async () => {
    const [left, right] = await create(['Left', 'Right'], 'swap.com');
    const swap = update([
      { id: left, opportunity: { name: 'Between' } },
      { id: right, opportunity: { name: 'Left' } },
      { id: left, opportunity: { name: 'Right' } },
    ]);
    await race([swap]);
    const rows = await gateway.rows<{ id: string; name: string }>(
      `SELECT id, name FROM opportunities WHERE organization_id = $1 AND account_domain = 'swap.com' ORDER BY name`,
    );
    expect(rows).toEqual([
      { id: right, name: 'Left' },
      { id: left, name: 'Right' },
    ]);
    await expectConsistent(gateway);
  });

  // Runs last, because it ends the connections of all gateways.
  test('the server counted no deadlock in all these calls', async () => {
    const deadlocks = await countDeadlocks(gateway);
    reportFigure('R2', 'deadlocks of bulk renames of opportunities', deadlocks, 0);
    expect(deadlocks).toBe(0);
  });
});
