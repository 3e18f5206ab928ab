import {
  bulkCreateAccounts,
  bulkCreateContacts,
  bulkCreateOpportunities,
  bulkUpdateAccounts,
  type BulkResults,
  createAccount,
  createContact,
  createOpportunity,
  deleteContact,
  mergeAccount,
  type OperationContract,
  updateContact,
  updateOpportunity,
} from '@crm/contract';
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

const kinds: readonly (readonly [name: string, kind: Kind])[] = [
  [
    'accounts',
    {
      table: 'accounts',
      create: createAccount,
      bulk: bulkCreateAccounts,
      body: (label, fields) => ({ ...(label !== null && { domain: `${label}.example` }), ...fields }),
    },
  ],
  [
    'contacts',
    {
      table: 'contacts',
      create: createContact,
      bulk: bulkCreateContacts,
      body: (label, fields) => ({ ...(label !== null && { email: `a@${label}.example` }), ...fields }),
    },
  ],
  [
    'opportunities',
    {
      table: 'opportunities',
      create: createOpportunity,
      bulk: bulkCreateOpportunities,
      body: (label, fields) => ({
        pipeline_id: races.gateway.organization.pipeline.id,
        opportunity: { ...(label !== null && { name: label }), ...fields },
        related_objects: { account_domain: 'races.example' },
      }),
    },
  ],
];

const send = (contract: OperationContract, request: object): Promise<Answer> => races.send([contract, request]);

/** In these races 400 and 409 are valid too: the record of the external id may not exist yet, or two records may have the keys. */
const expectAnswered = (answers: readonly Answer[]): void => {
  const failed = answers.filter(({ status }) => ![200, 400, 404, 409].includes(status));
  expect(failed.map(({ status, text }) => `${status} ${text.slice(0, 300)}`)).toEqual([]);
};

const repeated = async (table: string): Promise<unknown[]> =>
  races.gateway.rows(
    `SELECT external_id FROM ${table} WHERE organization_id = $1 AND external_id IS NOT NULL GROUP BY external_id HAVING count(*) > 1`,
  );

describe.each(kinds)('parallel creates of %s', (name, { table, create, bulk, body }) => {
  test('the same external_id creates one record, in single and bulk calls', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const label = `${name}-${round}`;
      const one = body(label, { external_id: label });
      const items = [
        body(`${label}-b`, { external_id: `${label}-b` }),
        one,
        body(`${label}-a`, { external_id: `${label}-a` }),
      ];
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
    expect(
      await races.gateway.rows(
        `SELECT count(*)::int AS n FROM ${table} WHERE organization_id = $1 AND external_id LIKE $2`,
        [`${name}-%`],
      ),
    ).toEqual([{ n: rounds * 3 }]);
    await expectConsistent(races.gateway);
  });

  test('external ids that move between natural keys each stay with one record', async () => {
    for (let round = 0; round < rounds; round += 1) {
      // Every label meets every external id, in opposite orders. on_match=update moves natural keys and external ids.
      const label = (index: number) => `${name}-w${round}-${index % 5}`;
      const id = (index: number) => `${name}-x${round}-${(index * 3) % 5}`;
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
  const idOf = ({ data }: Answer): string => Object.values(data as object)[0] as string;
  for (let round = 0; round < rounds; round += 1) {
    const key = `mixed-${round}`;
    const make = async (contract: OperationContract, body: Fields) => idOf(await send(contract, { body }));
    const [kept, other] = [
      await make(createAccount, { domain: `kept-${key}.example` }),
      await make(createAccount, { domain: `other-${key}.example`, external_id: key }),
    ];
    const [ann, bob] = [
      await make(createContact, { email: `ann@kept-${key}.example`, external_id: key }),
      await make(createContact, { email: `bob@kept-${key}.example` }),
    ];
    const deal = await make(createOpportunity, {
      pipeline_id: races.gateway.organization.pipeline.id,
      opportunity: { name: key },
      related_objects: { account_domain: `other-${key}.example` },
    });
    const upsert = { query: { on_match: 'update' } };
    const answers = await Promise.all([
      send(mergeAccount, { params: { id: kept }, body: { from: other } }),
      ...['a', 'b', 'c'].map((industry) => send(createAccount, { ...upsert, body: { external_id: key, industry } })),
      send(bulkUpdateAccounts, {
        body: {
          items: [
            { id: kept, external_id: key },
            { id: other, external_id: null },
          ],
        },
      }),
      send(deleteContact, { params: { id: ann } }),
      send(updateContact, { params: { id: bob }, body: { external_id: key } }),
      send(createContact, { ...upsert, body: { external_id: key, email: `carl@new-${key}.example` } }),
      send(bulkCreateContacts, {
        ...upsert,
        body: {
          items: [
            { external_id: key, phone: '1' },
            { external_id: `${key}-2`, email: `bob@kept-${key}.example` },
          ],
        },
      }),
      send(updateOpportunity, { params: { id: deal }, body: { opportunity: { external_id: key } } }),
      send(createOpportunity, {
        ...upsert,
        body: {
          pipeline_id: races.gateway.organization.pipeline.id,
          opportunity: { name: `${key} two`, external_id: key },
        },
      }),
    ]);
    expectAnswered(answers);
  }
  for (const table of ['accounts', 'contacts', 'opportunities']) expect(await repeated(table)).toEqual([]);
  await expectConsistent(races.gateway);
});

test('the server counted no deadlock in these calls', async () => {
  await races.expectNoDeadlocks('R4', 'calls with external ids');
});
