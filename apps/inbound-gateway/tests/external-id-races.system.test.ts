import * as api from '@crm/contract';
import type { BulkResults, OperationContract } from '@crm/contract';
import { type Answer, testSize } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { type Races, startRaces } from './support/races.js';

const rounds = testSize({ short: 6, soak: 60 });

let races: Races;
beforeAll(async () => {
  races = await startRaces();
});
afterAll(() => races.gateway.stop());

type Fields = Readonly<Record<string, unknown>>;

/** What the races send for one kind of record: creates with the natural key of a label, single and in bulk. */
interface Kind {
  readonly table: string;
  readonly create: OperationContract;
  readonly bulk: OperationContract;
  readonly body: (label: string | null, fields: Fields) => Fields;
}

const deal = (opportunity: Fields, account_domain = 'races.example') => ({
  pipeline_id: races.gateway.organization.pipeline.id,
  opportunity,
  related_objects: { account_domain },
});
const kinds: readonly Kind[] = [
  {
    ...{ table: 'accounts', create: api.createAccount, bulk: api.bulkCreateAccounts },
    body: (label, fields) => ({ ...(label !== null && { domain: `${label}.example` }), ...fields }),
  },
  {
    ...{ table: 'contacts', create: api.createContact, bulk: api.bulkCreateContacts },
    body: (label, fields) => ({ ...(label !== null && { email: `a@${label}.example` }), ...fields }),
  },
  {
    ...{ table: 'opportunities', create: api.createOpportunity, bulk: api.bulkCreateOpportunities },
    body: (label, fields) => deal({ ...(label !== null && { name: label }), ...fields }),
  },
];

const send = (contract: OperationContract, request: object): Promise<Answer> => races.send([contract, request]);
const newId = (contract: OperationContract, body: object): Promise<string> => races.idOf(contract, body);

/** In these races 400 and 409 are valid too: the record of the external id may not exist yet, or two records may have the keys. */
const expectAnswered = (answers: readonly Answer[]): void => {
  const failed = answers.filter(({ status }) => ![200, 400, 404, 409].includes(status));
  expect(failed.map(({ status, text }) => `${status} ${text.slice(0, 300)}`)).toEqual([]);
};

const repeated = async (table: string): Promise<unknown[]> =>
  races.gateway.rows(
    `SELECT external_id FROM ${table} WHERE organization_id = $1 AND external_id IS NOT NULL GROUP BY external_id HAVING count(*) > 1`,
  );

describe.each(kinds)('parallel creates of $table', ({ table, create, bulk, body }) => {
  test('the same external_id creates one record, in single and bulk calls', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const label = `${table}-${round}`;
      const one = body(label, { external_id: label });
      const beside = (suffix: string) => body(`${label}-${suffix}`, { external_id: `${label}-${suffix}` });
      const items = [beside('b'), one, beside('a')];
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          index % 4 === 0
            ? send(bulk, { body: { items: index % 8 === 0 ? items : [...items].reverse() } })
            : send(create, { body: one }),
        ),
      );
      expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
      const results = answers.flatMap(({ data }) => (data as Partial<BulkResults>).results ?? []);
      expect(results.filter(({ success }) => !success)).toEqual([]);
    }
    const text = `SELECT count(*)::int AS n FROM ${table} WHERE organization_id = $1 AND external_id LIKE $2`;
    expect(await races.gateway.rows(text, [`${table}-%`])).toEqual([{ n: rounds * 3 }]);
    await expectConsistent(races.gateway);
  });

  test('external ids that move between natural keys each stay with one record', async () => {
    for (let round = 0; round < rounds; round += 1) {
      // Every label meets every external id, in opposite orders. on_match=update moves natural keys and external ids.
      const label = (index: number) => `${table}-w${round}-${index % 5}`;
      const id = (index: number) => `${table}-x${round}-${(index * 3) % 5}`;
      const mixed = (from: number) =>
        Array.from({ length: 5 }, (_, i) =>
          body((from + i) % 3 === 0 ? null : label(from + i), { external_id: id(from + 2 * i) }),
        );
      const query = { on_match: 'update' };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          index % 2 === 0
            ? send(bulk, { query, body: { items: index % 4 === 0 ? mixed(index) : mixed(index).reverse() } })
            : send(create, { query, body: body(label(index), { external_id: id(index + 1) }) }),
        ),
      );
      expectAnswered(answers);
    }
    expect(await repeated(table)).toEqual([]);
    await expectConsistent(races.gateway);
  });
});

test('changes, merges and erasures in parallel with creates never give two records the same external id', async () => {
  const upsert = { query: { on_match: 'update' } };
  for (let round = 0; round < rounds; round += 1) {
    const key = `mixed-${round}`;
    const [kept, other] = [
      await newId(api.createAccount, { domain: `kept-${key}.example` }),
      await newId(api.createAccount, { domain: `other-${key}.example`, external_id: key }),
    ];
    const [ann, bob] = [
      await newId(api.createContact, { email: `ann@kept-${key}.example`, external_id: key }),
      await newId(api.createContact, { email: `bob@kept-${key}.example` }),
    ];
    const dealId = await newId(api.createOpportunity, deal({ name: key }, `other-${key}.example`));
    const exchanged = [
      { id: kept, external_id: key },
      { id: other, external_id: null },
    ];
    const people = [
      { external_id: key, phone: '1' },
      { external_id: `${key}-2`, email: `bob@kept-${key}.example` },
    ];
    const answers = await Promise.all([
      send(api.mergeAccount, { params: { id: kept }, body: { from: other } }),
      ...['a', 'b', 'c'].map((industry) =>
        send(api.createAccount, { ...upsert, body: { external_id: key, industry } }),
      ),
      send(api.bulkUpdateAccounts, { body: { items: exchanged } }),
      send(api.deleteContact, { params: { id: ann } }),
      send(api.updateContact, { params: { id: bob }, body: { external_id: key } }),
      send(api.createContact, { ...upsert, body: { external_id: key, email: `carl@new-${key}.example` } }),
      send(api.bulkCreateContacts, { ...upsert, body: { items: people } }),
      send(api.updateOpportunity, { params: { id: dealId }, body: { opportunity: { external_id: key } } }),
      send(api.createOpportunity, { ...upsert, body: deal({ name: `${key} two`, external_id: key }) }),
    ]);
    expectAnswered(answers);
  }
  for (const table of ['accounts', 'contacts', 'opportunities']) expect(await repeated(table)).toEqual([]);
  await expectConsistent(races.gateway);
});

test('the server counted no deadlock in these calls', async () => {
  await races.expectNoDeadlocks('R4', 'calls with external ids');
});
