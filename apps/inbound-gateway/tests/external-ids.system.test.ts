import * as contracts from '@crm/contract';
import type { Answer } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, statusOf, unknownId } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { row, countOf } = recordsOf(gateway);

type Fields = Readonly<Record<string, unknown>>;

/** How the tests write one kind of record. */
interface Kind {
  readonly name: string;
  readonly table: string;
  readonly create: contracts.OperationContract;
  readonly update: contracts.OperationContract;
  readonly remove: contracts.OperationContract;
  readonly bulkCreate: contracts.OperationContract;
  /** Comes before the names of fields in errors. */
  readonly prefix: string;
  /** The field of the natural key, and another one. */
  readonly key: string;
  readonly other: string;
  readonly keyOf: (label: string) => string;
}

const account: Kind = {
  name: 'account',
  table: 'accounts',
  prefix: '',
  key: 'domain',
  other: 'industry',
  create: contracts.createAccount,
  update: contracts.updateAccount,
  remove: contracts.deleteAccount,
  bulkCreate: contracts.bulkCreateAccounts,
  keyOf: (label) => `${label}.example`,
};
const contact: Kind = {
  name: 'contact',
  table: 'contacts',
  prefix: '',
  key: 'email',
  other: 'job_title',
  create: contracts.createContact,
  update: contracts.updateContact,
  remove: contracts.deleteContact,
  bulkCreate: contracts.bulkCreateContacts,
  keyOf: (label) => `ann@${label}.example`,
};
const opportunity: Kind = {
  name: 'opportunity',
  table: 'opportunities',
  prefix: 'opportunity.',
  key: 'name',
  other: 'next_step',
  create: contracts.createOpportunity,
  update: contracts.updateOpportunity,
  remove: contracts.deleteOpportunity,
  bulkCreate: contracts.bulkCreateOpportunities,
  keyOf: (label) => label,
};

const idOf = ({ data }: Answer): string => Object.values(data as Readonly<Record<string, string>>)[0] ?? '';
const resultsOf = ({ data }: Answer) => (data as contracts.BulkResults).results;
const bodyOf = ({ prefix }: Kind, fields: Fields, pipeline_id = gateway().organization.pipeline.id) =>
  prefix === '' ? fields : { pipeline_id, opportunity: fields };
const create = (kind: Kind, fields: Fields, onMatch = 'keep') =>
  gateway().client.call(kind.create, { body: bodyOf(kind, fields), query: { on_match: onMatch } });
const update = ({ update: contract, prefix }: Kind, id: string, fields: Fields, headers = {}) =>
  gateway().client.call(contract, { params: { id }, body: prefix === '' ? fields : { opportunity: fields }, headers });
const bulk = (kind: Kind, items: readonly Fields[], onMatch = 'keep', query: Fields = {}): Promise<Answer> =>
  gateway().client.call(kind.bulkCreate, {
    body: { items: items.map((fields) => bodyOf(kind, fields)) },
    query: { on_match: onMatch, ...query },
  });

describe.each([account, contact, opportunity])('external_id of an $name', (kind) => {
  const { name, key, other, table } = kind;
  const pathOf = (field: string): string => `${kind.prefix}${field}`;
  /** The natural key of a label, and other fields. */
  const fieldsOf = (label: string, fields: Fields = {}) => ({ [key]: kind.keyOf(`${name}-${label}`), ...fields });
  const make = async (label: string, fields: Fields = {}) => idOf(await create(kind, fieldsOf(label, fields)));
  const statuses = async (items: readonly Fields[], onMatch?: string) =>
    resultsOf(await bulk(kind, items, onMatch)).map((result) => result.record_status);

  test('200: a create stores it, trimmed, and finds the record by it alone', async () => {
    const id = await make('alone', { external_id: '  SF-1 ' });
    expect(await row(table, id)).toMatchObject({ external_id: 'SF-1', version: 1 });
    const fields = { external_id: 'SF-1', [other]: 'Later' };
    const found = await create(kind, fields);
    expect([statusOf(found), idOf(found), found.fieldsWarnedOf]).toEqual(['matched', id, [pathOf(other)]]);
    const changed = await create(kind, fields, 'update');
    expect([statusOf(changed), idOf(changed)]).toEqual(['updated', id]);
    expect(await row(table, id)).toMatchObject({ [other]: 'Later', version: 2 });
    expect(statusOf(await create(kind, { external_id: 'SF-1' }, 'update'))).toBe('matched');
  });

  test('200: adds it to a record found by natural key with on_match=update only', async () => {
    const id = await make('plain');
    const fields = fieldsOf('plain', { external_id: 'later' });
    const kept = await create(kind, fields);
    expect([idOf(kept), statusOf(kept), kept.fieldsWarnedOf]).toEqual([id, 'matched', [pathOf('external_id')]]);
    expect(await row(table, id)).toMatchObject({ external_id: null, version: 1 });
    expect(statusOf(await create(kind, fields, 'update'))).toBe('updated');
    expect(await row(table, id)).toMatchObject({ external_id: 'later', version: 2 });
    expect(statusOf(await create(kind, fields))).toBe('matched');
  });

  test('200: with on_match=update, gives the record of the external id the natural key that is sent', async () => {
    const id = await make('old', { external_id: 'moves' });
    const fields = fieldsOf('new', { external_id: 'moves' });
    const before = await row(table, id);
    const kept = await create(kind, fields);
    expect([idOf(kept), statusOf(kept), kept.fieldsWarnedOf]).toEqual([id, 'matched', [pathOf(key)]]);
    expect(await row(table, id)).toEqual(before);
    const moved = await create(kind, fields, 'update');
    expect([idOf(moved), statusOf(moved)]).toEqual([id, 'updated']);
    expect(await row(table, id)).toMatchObject(fields);
  });

  test('400: refuses one that is too long or not a string, and an unknown one without a natural key', async () => {
    for (const external_id of ['x'.repeat(256), 5]) {
      const refused = await create(kind, fieldsOf('long', { external_id }));
      expect([refused.status, refused.fieldsAtFault]).toEqual([400, [pathOf('external_id')]]);
    }
    expect((await create(kind, fieldsOf('long', { external_id: 'x'.repeat(255) }))).status).toBe(200);
    const unknown = await create(kind, { external_id: 'nobody', [other]: 'x' });
    expect(unknown.errors).toEqual({ [pathOf(key)]: `is required: no ${name} has this external_id` });
    for (const fields of [{}, { external_id: null }, { external_id: ' ' }])
      expect((await create(kind, fields)).errors).toEqual({ [pathOf(key)]: 'is required' });
  });

  test('409: refuses an external id and a natural key of two different records', async () => {
    const [one, two] = [await make('one', { external_id: 'one' }), await make('two')];
    const fields = fieldsOf('two', { external_id: 'one' });
    const conflict = { field: pathOf('external_id'), existing_id: one, other_id: two };
    for (const onMatch of ['keep', 'update']) {
      const answer = await create(kind, fields, onMatch);
      expect([answer.status, answer.body.conflict]).toEqual([409, conflict]);
    }
    const [result] = resultsOf(await bulk(kind, [fields]));
    expect(result?.errors?.[pathOf('external_id')]).toContain(two);
  });

  test('409: a new external id with the natural key of a record that has another one, also of an earlier item', async () => {
    const existing_id = await make('taken', { external_id: 'X1' });
    const before = await row(table, existing_id);
    const conflict = { field: pathOf(key), existing_id, external_id: 'X1' };
    for (const onMatch of ['keep', 'update']) {
      const answer = await create(kind, fieldsOf('taken', { external_id: 'X2', [other]: 'x' }), onMatch);
      expect([answer.status, answer.body.conflict]).toEqual([409, conflict]);
      const items = ['Y1', 'Y2', 'Y3', 'Y1'].map((external_id) => fieldsOf('same', { external_id }));
      const results = resultsOf(await bulk(kind, items, onMatch));
      const status = onMatch === 'keep' ? 'created' : 'matched';
      expect(results.map(({ record_status }) => record_status)).toEqual([status, null, null, 'matched']);
      const holder = onMatch === 'keep' ? 'of item 0' : results[0]?.id;
      expect(results[1]?.errors).toEqual({
        [pathOf(key)]: `is already used by the record ${holder}, whose external_id is "Y1"`,
      });
    }
    const mixed = [{ external_id: 'Z1' }, { external_id: 'Z2' }].map((one, i) => fieldsOf(`mixed${i}`, one));
    const last = resultsOf(await bulk(kind, [...mixed, fieldsOf('mixed1', { external_id: 'Z1' })]))[2];
    expect(last?.errors).toEqual({
      [pathOf('external_id')]:
        'is already used by the record of item 0; the natural key is used by the record of item 1',
    });
    const atomic = await bulk(kind, [fieldsOf('taken', { external_id: 'X2' })], 'keep', { atomic: 'true' });
    expect([atomic.status, atomic.fieldsAtFault]).toEqual([400, [`items[0].${pathOf(key)}`]]);
    expect(await row(table, existing_id)).toEqual(before);
    expect(statusOf(await create(kind, fieldsOf('taken', { external_id: 'X1' })))).toBe('matched');
    expect(statusOf(await create(kind, fieldsOf('taken')))).toBe('matched');
  });

  test('PATCH sets, keeps and clears it, shows that in events, and answers 409 for that of another record', async () => {
    const holder = await make('holder', { external_id: 'held' });
    const id = await make('patched');
    for (const [fields, external_id, version] of [
      [{ external_id: 'mine' }, 'mine', 2],
      [{ external_id: 'mine' }, 'mine', 2],
      [{ [other]: 'x' }, 'mine', 3],
      [{ external_id: null }, null, 4],
    ] as const)
      expect((await update(kind, id, fields)).data).toMatchObject({ [name]: { external_id, version } });
    const taken = await update(kind, id, { external_id: 'held' });
    expect([taken.status, taken.body.conflict]).toEqual([409, { field: pathOf('external_id'), existing_id: holder }]);
    expect((await update(kind, holder, { external_id: 'mine' })).status).toBe(200);
    expect((await update(kind, id, { external_id: 'stale' }, { 'If-Match': '"1"' })).status).toBe(412);
    expect((await update(kind, unknownId, { external_id: 'mine' })).status).toBe(404);
    const text = 'SELECT * FROM events WHERE organization_id = $1 AND record_id = $2 ORDER BY position DESC LIMIT 1';
    const previous = { external_id: 'mine' };
    const event = { record: { external_id: null }, previous, changed: ['external_id'] };
    expect(await gateway().rows(text, [id])).toMatchObject([event]);
  });

  test('belongs to one organization; another one can use the same', async () => {
    const id = await make('ours', { external_id: 'shared' });
    const { stranger, clientOf } = gateway();
    const theirs = (fields: Fields) =>
      clientOf(stranger).call(kind.create, { body: bodyOf(kind, fields, stranger.pipeline.id) });
    expect((await theirs({ external_id: 'shared' })).status).toBe(400);
    const created = await theirs(fieldsOf('ours', { external_id: 'shared' }));
    expect(statusOf(created)).toBe('created');
    expect(idOf(created)).not.toBe(id);
  });

  test('bulk: items that share an external id act on one record, as single calls in their order would', async () => {
    const results = resultsOf(
      await bulk(
        kind,
        [
          fieldsOf('b2', { external_id: 'bulk', [other]: 'first' }),
          fieldsOf('b3', { external_id: 'other' }),
          { external_id: 'bulk', [other]: 'second' },
          { external_id: 'unknown' },
        ],
        'update',
      ),
    );
    expect(results.map(({ record_status }) => record_status)).toEqual(['created', 'created', 'updated', null]);
    expect(results[3]?.errors).toEqual({ [pathOf(key)]: `is required: no ${name} has this external_id` });
    const moves = ['b9', 'b1'].map((label) => fieldsOf(label, { external_id: 'bulk' }));
    expect(await statuses([...moves, fieldsOf('b5')], 'update')).toEqual(['updated', 'updated', 'created']);
    expect(await row(table, String(results[0]?.id))).toMatchObject(fieldsOf('b1', { [other]: 'second' }));
    expect(await countOf(`${table} WHERE external_id = 'bulk'`)).toBe(1);

    await make('held');
    const held = ['held', 'held2'].map((label) => fieldsOf(label, { external_id: 'after held' }));
    expect(await statuses(held)).toEqual(['matched', 'created']);
    const pair = ['pair1', 'pair2'].map((label) => fieldsOf(label, { external_id: 'pair' }));
    const atomic = resultsOf(await bulk(kind, pair, 'keep', { atomic: 'true' }));
    expect(atomic.map(({ record_status }) => record_status)).toEqual(['created', 'matched']);
    const turns = ['turn1', 'turn2'].map((label) => fieldsOf(label, { external_id: 'turn' }));
    expect(await statuses([fieldsOf('turn1'), ...turns])).toEqual(['created', 'matched', 'created']);
    expect(await countOf(`${table} WHERE external_id = 'turn'`)).toBe(1);
    const late = fieldsOf('late', { external_id: 'late' });
    const items = [{ external_id: 'late' }, late, late, fieldsOf('late')];
    expect(await statuses(items)).toEqual([null, 'created', 'matched', 'matched']);
  });

  test('bulk: an item creates a record with the natural key that an earlier item took from another', async () => {
    await make('raced1', { external_id: 'raced' });
    const items = [fieldsOf('raced2', { external_id: 'raced' }), fieldsOf('raced1', { [other]: 'x' })];
    expect(await statuses(items, 'update')).toEqual(['updated', 'created']);
  });

  const merge = { account: contracts.mergeAccount, contact: contracts.mergeContact }[name];
  if (merge !== undefined)
    test('a merge keeps that of the kept record, or takes the other one', async () => {
      const run = (id: string, from: string) => gateway().client.call(merge, { params: { id }, body: { from } });
      const [bare, given] = [await make('bare'), await make('given', { external_id: 'Given' })];
      expect((await run(bare, given)).data).toMatchObject({ filled: expect.arrayContaining(['external_id']) });
      expect(await row(table, bare)).toMatchObject({ external_id: 'Given', normalized: { external_id: 'given' } });
      const own = await make('own', { external_id: 'Own' });
      expect((await run(own, bare)).status).toBe(200);
      expect(await row(table, own)).toMatchObject({ external_id: 'Own' });
      expect((await create(kind, { external_id: 'Given' })).status).toBe(400);
    });

  // The deletion of a contact erases it.
  if (name !== 'contact')
    test('a restored record gets it back; 409: another record has it', async () => {
      const id = await make('gone', { external_id: 'Restored' });
      const remove = () => gateway().client.call(kind.remove, { params: { id } });
      const restore = async () => {
        const text = 'SELECT max(position)::int AS position FROM events WHERE organization_id = $1 AND record_id = $2';
        return gateway().client.call(contracts.restoreRecord, { body: (await gateway().rows(text, [id]))[0] });
      };
      await remove();
      expect((await restore()).status).toBe(200);
      expect(await row(table, id)).toMatchObject({ external_id: 'Restored', normalized: { external_id: 'restored' } });
      await remove();
      const existing_id = await make('holds', { external_id: 'Restored' });
      const refused = await restore();
      expect([refused.status, refused.body.conflict]).toEqual([409, { field: pathOf('external_id'), existing_id }]);
    });
});
