import * as contracts from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './gateway.js';
import { recordsOf } from './records.js';

type HistoryContract =
  typeof contracts.listAccountHistory | typeof contracts.listContactHistory | typeof contracts.listOpportunityHistory;

/** The common answers of the histories of all objects. */
export const describeHistory = (
  contract: HistoryContract,
  object: 'account' | 'contact' | 'opportunity',
  add: (records: ReturnType<typeof recordsOf>, name: string) => Promise<string>,
): void => {
  const unknownId = '01890000-0000-7000-8000-000000000000';
  let gateway: TestGateway;
  let id: string;
  beforeAll(async () => {
    gateway = await startTestGateway();
    id = await addHere('first');
    await addHere('other');
  });
  afterAll(() => gateway.stop());

  const recordsHere = () =>
    recordsOf(
      () => gateway.database,
      () => gateway.organization,
    );
  const addHere = (name: string): Promise<string> => add(recordsHere(), name);
  const read = (recordId: string, query: Readonly<Record<string, string | number>> = {}) =>
    gateway.client.call(contract, { params: { id: recordId }, query });
  /** Copies the newest event of a record as that many further events. */
  const repeatEvents = async (recordId: string, count: number): Promise<void> => {
    const { pool } = gateway.database;
    await pool.query(
      `WITH h AS (UPDATE event_heads SET position = position + $3 WHERE organization_id = $1 RETURNING position)
       INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, record, changed)
       SELECT $1, h.position - $3 + n, e.occurred_at, gen_random_uuid(), $4 || '.updated', e.object, e.record_id, 1 + n, e.record, '{}'
         FROM h, generate_series(1, $3::int) n,
              (SELECT * FROM events WHERE organization_id = $1 AND record_id = $2 ORDER BY position DESC LIMIT 1) e`,
      [gateway.organization.id, recordId, count, object],
    );
  };

  describe('200', () => {
    test('returns only the events of the record, newest first, page by page', async () => {
      await repeatEvents(id, 6);
      const { log_id: logId } = (await gateway.client.call(contracts.getLatestPosition)).data;
      for (const limit of [1, 3, 7, 100]) {
        const versions: number[] = [];
        let cursor = '';
        do {
          const { data, status } = await read(id, { limit, cursor });
          expect([status, data.limit, data.log_id]).toEqual([200, limit, logId]);
          expect(data.events.every((event) => event.record_id === id && event.object === object)).toBe(true);
          versions.push(...data.events.map(({ version }) => version));
          cursor = data.next_cursor ?? '';
        } while (cursor !== '');
        expect(versions).toEqual([7, 6, 5, 4, 3, 2, 1]);
      }
      const { events } = (await read(id)).data;
      expect(events.at(-1)).toMatchObject({ type: `${object}.created`, record: { id }, previous: null });
    });

    test('returns none for a record whose events have expired', async () => {
      const old = await addHere('old');
      await gateway.database.pool.query('DELETE FROM events WHERE record_id = $1', [old]);
      const log_id = expect.stringMatching(/^[0-9a-f]+-\d+-\d+-\d+$/);
      expect((await read(old)).data).toEqual({ events: [], has_more: false, next_cursor: null, limit: 100, log_id });
    });

    test('leaves out expired events that are still stored', async () => {
      const organization = await gateway.createOrganization();
      const client = gateway.clientOf(organization);
      const records = recordsOf(
        () => gateway.database,
        () => organization,
      );
      const [old, late] = [await add(records, 'old'), await add(records, 'late')];
      const positionsOf = async (recordId: string) =>
        (await client.call(contract, { params: { id: recordId } })).data.events.map(({ position }) => position);
      const [oldest] = await positionsOf(late);
      await gateway.database.pool.query('UPDATE event_heads SET oldest_position = $2 WHERE organization_id = $1', [
        organization.id,
        oldest,
      ]);
      expect([await positionsOf(old), await positionsOf(late)]).toEqual([[], [oldest]]);
    });

    test('returns the events of a deleted record that are still in the log', async () => {
      const gone = await addHere('gone');
      const table = { account: 'accounts', contact: 'contacts', opportunity: 'opportunities' }[object];
      await gateway.database.pool.query(`DELETE FROM ${table} WHERE id = $1`, [gone]);
      expect((await read(gone)).data.events.map(({ type }) => type)).toEqual([`${object}.created`]);
    });
  });

  describe('400', () => {
    test.each(['limit=0', 'limit=501', 'limit=1e2', 'cursor=x', 'wait=1', 'after=1'])(
      'refuses the query %s',
      async (query) => {
        const answer = await gateway.client.call(contract, { params: { id }, query });
        expect([answer.status, answer.fieldsAtFault]).toEqual([400, [query.slice(0, query.indexOf('='))]]);
      },
    );

    test('refuses a malformed id', async () => {
      expect((await read('x')).fieldsAtFault).toEqual(['id']);
    });

    test('refuses a cursor of another record or limit', async () => {
      const cursor = (await read(id, { limit: 1 })).data.next_cursor ?? '';
      const other = await addHere('cursor');
      expect((await read(id, { limit: 1, cursor })).status).toBe(200);
      expect((await read(id, { limit: 2, cursor })).fieldsAtFault).toEqual(['cursor']);
      expect((await read(other, { limit: 1, cursor })).fieldsAtFault).toEqual(['cursor']);
    });
  });

  describe('404', () => {
    test('answers an unknown record, one of another organization and one of another object alike', async () => {
      const unknown = await read(unknownId);
      expect(unknown.status).toBe(404);
      const strangers = recordsOf(
        () => gateway.database,
        () => gateway.stranger,
      );
      expect((await read(await add(strangers, 'theirs'))).comparable).toBe(unknown.comparable);
      const records = recordsHere();
      const other =
        object === 'account'
          ? await records.addContact('x@y.example', null, null)
          : await records.addAccount('z.example', 'Z');
      expect((await read(other)).comparable).toBe(unknown.comparable);
    });
  });
};
