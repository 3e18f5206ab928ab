import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import {
  account,
  contact,
  externalIdCalls,
  type Fields,
  opportunity,
  resultsOf,
  statusOf,
  warnedOf,
} from './support/external-id-kinds.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

const { create, update, bulk, stored, countOf } = externalIdCalls(() => gateway);

describe.each([account, contact, opportunity])('external_id of an $name', (kind) => {
  const { name } = kind;
  const make = async (label: string, fields: Fields = {}) =>
    kind.idOf(await create(kind, { ...kind.key(label), ...fields }));

  test('200: a create stores it, trimmed, and finds the record by it alone', async () => {
    const id = await make(`${name}-alone`, { external_id: '  SF-1 ' });
    expect(await stored(kind, id)).toMatchObject({ external_id: 'SF-1', version: 1 });
    const found = await create(kind, { external_id: 'SF-1', ...kind.change('Later') });
    expect([found.status, statusOf(found), kind.idOf(found)]).toEqual([200, 'matched', id]);
    expect(warnedOf(found)).toEqual([kind.paths.change]);
    const changed = await create(kind, { external_id: 'SF-1', ...kind.change('Later') }, 'update');
    expect([statusOf(changed), kind.idOf(changed)]).toEqual(['updated', id]);
    expect(await stored(kind, id)).toMatchObject({ [kind.columns.change]: 'Later', version: 2 });
    expect(statusOf(await create(kind, { external_id: 'SF-1' }, 'update'))).toBe('matched');
  });

  test('200: adds it to a record found by natural key with on_match=update only', async () => {
    const id = await make(`${name}-plain`);
    const fields = { ...kind.key(`${name}-plain`), external_id: 'later' };
    const kept = await create(kind, fields);
    expect([kind.idOf(kept), statusOf(kept), warnedOf(kept)]).toEqual([id, 'matched', [kind.paths.externalId]]);
    expect(await stored(kind, id)).toMatchObject({ external_id: null, version: 1 });
    expect(statusOf(await create(kind, fields, 'update'))).toBe('updated');
    expect(await stored(kind, id)).toMatchObject({ external_id: 'later', version: 2 });
    expect(statusOf(await create(kind, fields))).toBe('matched');
  });

  test('200: with on_match=update, gives the record of the external id the natural key that is sent', async () => {
    const id = await make(`${name}-old`, { external_id: 'moves' });
    const fields = { ...kind.key(`${name}-new`), external_id: 'moves' };
    const before = await stored(kind, id);
    const kept = await create(kind, fields);
    expect([kind.idOf(kept), statusOf(kept), warnedOf(kept)]).toEqual([id, 'matched', [kind.paths.key]]);
    expect(await stored(kind, id)).toEqual(before);
    const moved = await create(kind, fields, 'update');
    expect([kind.idOf(moved), statusOf(moved)]).toEqual([id, 'updated']);
    const [key] = Object.values(kind.key(`${name}-new`));
    expect(await stored(kind, id)).toMatchObject({ [kind.columns.key]: key, external_id: 'moves' });
  });

  test('400: refuses one that is too long or not a string, and an unknown one without a natural key', async () => {
    const long = await create(kind, { ...kind.key(`${name}-long`), external_id: 'x'.repeat(256) });
    expect([long.status, Object.keys(long.body.errors ?? {})]).toEqual([400, [kind.paths.externalId]]);
    expect((await create(kind, { ...kind.key(`${name}-long`), external_id: 5 })).status).toBe(400);
    expect((await create(kind, { ...kind.key(`${name}-long`), external_id: 'x'.repeat(255) })).status).toBe(200);
    const unknown = await create(kind, { external_id: 'nobody', ...kind.change('x') });
    expect(unknown.status).toBe(400);
    expect(unknown.body.errors).toEqual({ [kind.paths.key]: `is required: no ${name} has this external_id` });
    for (const fields of [{}, { external_id: null }, { external_id: ' ' }]) {
      const answer = await create(kind, fields);
      expect([answer.status, answer.body.errors]).toEqual([400, { [kind.paths.key]: 'is required' }]);
    }
  });

  test('409: refuses an external id and a natural key of two different records', async () => {
    const one = await make(`${name}-one`, { external_id: 'one' });
    const two = await make(`${name}-two`);
    for (const onMatch of ['keep', 'update']) {
      const answer = await create(kind, { ...kind.key(`${name}-two`), external_id: 'one' }, onMatch);
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
      expect(answer.body.conflict).toEqual({ field: kind.paths.externalId, existing_id: one, other_id: two });
    }
    const [result] = resultsOf(await bulk(kind, [{ ...kind.key(`${name}-two`), external_id: 'one' }]));
    expect(result?.errors?.[kind.paths.externalId]).toContain(two);
  });

  test('PATCH sets, keeps and clears it, and answers 409 for that of another record', async () => {
    const holder = await make(`${name}-holder`, { external_id: 'held' });
    const id = await make(`${name}-patched`);
    const set = await update(kind, id, { external_id: 'mine' });
    expect(set.data).toMatchObject({ [name]: { external_id: 'mine', version: 2 } });
    expect((await update(kind, id, { external_id: 'mine' })).data).toMatchObject({ [name]: { version: 2 } });
    const kept = await update(kind, id, kind.change('x'));
    expect(kept.data).toMatchObject({ [name]: { external_id: 'mine', version: 3 } });
    const taken = await update(kind, id, { external_id: 'held' });
    expect([taken.status, taken.body.conflict]).toEqual([409, { field: kind.paths.externalId, existing_id: holder }]);
    const cleared = await update(kind, id, { external_id: null });
    expect(cleared.data).toMatchObject({ [name]: { external_id: null, version: 4 } });
    expect((await update(kind, holder, { external_id: 'mine' })).status).toBe(200);
    const stale = await gateway.client.call(kind.update, {
      params: { id },
      body: name === 'opportunity' ? { opportunity: { external_id: 'stale' } } : { external_id: 'stale' },
      headers: { 'If-Match': '"1"' },
    });
    expect(stale.status).toBe(412);
    expect((await update(kind, '00000000-0000-7000-8000-000000000000', { external_id: 'mine' })).status).toBe(404);
  });

  test('belongs to one organization; another one can use the same', async () => {
    const id = await make(`${name}-ours`, { external_id: 'shared' });
    const stranger = gateway.clientOf(gateway.stranger);
    const body = (fields: Fields) =>
      name === 'opportunity' ? { pipeline_id: gateway.stranger.pipeline.id, opportunity: fields } : fields;
    const alone = await stranger.call(kind.create, { body: body({ external_id: 'shared' }) });
    expect(alone.status).toBe(400);
    const theirs = await stranger.call(kind.create, {
      body: body({ ...kind.key(`${name}-ours`), external_id: 'shared' }),
    });
    expect(statusOf(theirs)).toBe('created');
    expect(kind.idOf(theirs)).not.toBe(id);
  });

  test('bulk: applies items with the same external id to one record, in order', async () => {
    const created = resultsOf(
      await bulk(
        kind,
        [
          { ...kind.key(`${name}-b2`), external_id: 'bulk', ...kind.change('first') },
          { ...kind.key(`${name}-b3`), external_id: 'other' },
          { external_id: 'bulk', ...kind.change('second') },
          { external_id: 'unknown' },
        ],
        'update',
      ),
    );
    expect(created.map(({ record_status }) => record_status)).toEqual(['created', 'created', 'updated', null]);
    expect(created[3]?.errors).toEqual({ [kind.paths.key]: `is required: no ${name} has this external_id` });
    const id = String(created[0]?.id);
    expect(await stored(kind, id)).toMatchObject({ [kind.columns.change]: 'second' });
    const moved = resultsOf(
      await bulk(
        kind,
        [
          { ...kind.key(`${name}-b9`), external_id: 'bulk' },
          { ...kind.key(`${name}-b1`), external_id: 'bulk' },
          { ...kind.key(`${name}-b5`) },
        ],
        'update',
      ),
    );
    expect(moved.map((result) => result.record_status)).toEqual(['updated', 'updated', 'created']);
    const [key] = Object.values(kind.key(`${name}-b1`));
    expect(await stored(kind, id)).toMatchObject({ [kind.columns.key]: key });
    expect(await countOf(kind, 'bulk')).toBe(1);
  });

  test('bulk: items that share an external id act as single calls in their order would', async () => {
    await make(`${name}-held`);
    const statuses = async (items: readonly Fields[]) =>
      resultsOf(await bulk(kind, items)).map((result) => result.record_status);
    const held = { ...kind.key(`${name}-held`), external_id: 'after held' };
    expect(await statuses([held, { ...kind.key(`${name}-held2`), external_id: 'after held' }])).toEqual([
      'matched',
      'created',
    ]);
    const shares = (label: string) => ({ ...kind.key(`${name}-${label}`), external_id: 'turn' });
    expect(await statuses([kind.key(`${name}-turn1`), shares('turn1'), shares('turn2')])).toEqual([
      'created',
      'matched',
      'created',
    ]);
    expect(await countOf(kind, 'turn')).toBe(1);
    const late = { ...kind.key(`${name}-late`), external_id: 'late' };
    expect(await statuses([{ external_id: 'late' }, late, late, kind.key(`${name}-late`)])).toEqual([
      null,
      'created',
      'matched',
      'matched',
    ]);
  });

  test('bulk: refuses an item whose key an earlier item took away, and an atomic call as a whole', async () => {
    const id = await make(`${name}-raced1`, { external_id: 'raced' });
    const items = [
      { ...kind.key(`${name}-raced2`), external_id: 'raced' },
      { ...kind.key(`${name}-raced1`), ...kind.change('x') },
    ];
    const statuses = async () => resultsOf(await bulk(kind, items, 'update')).map((result) => result.record_status);
    if (name === 'opportunity') {
      // The keys of opportunities are claimed before the first item is applied.
      expect(await statuses()).toEqual(['updated', 'created']);
      return;
    }
    const atomic = await bulk(kind, items, 'update', { atomic: 'true' });
    expect([atomic.status, atomic.body.code]).toEqual([409, 'conflict']);
    expect(await stored(kind, id)).toMatchObject({ version: 1 });
    const results = resultsOf(await bulk(kind, items, 'update'));
    expect(results.map((result) => result.record_status)).toEqual(['updated', null]);
    expect(results[1]?.errors?.[kind.paths.key]).toContain('send the item again in a new call');
    expect(await statuses()).toEqual(['matched', 'created']);
  });

  test('is in events, and in their list of changed fields', async () => {
    const id = await make(`${name}-event`, { external_id: 'event' });
    await update(kind, id, { external_id: null });
    const events = await gateway.rows(
      'SELECT type, record, previous, changed FROM events WHERE organization_id = $1 AND record_id = $2 ORDER BY position',
      [id],
    );
    expect(events).toMatchObject([
      { type: `${name}.created`, record: { external_id: 'event' } },
      {
        type: `${name}.updated`,
        record: { external_id: null },
        previous: { external_id: 'event' },
        changed: ['external_id'],
      },
    ]);
  });
});
