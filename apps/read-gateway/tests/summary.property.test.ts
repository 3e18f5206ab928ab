import {
  type OperationContract,
  type Summary,
  summarizeAccounts,
  summarizeContacts,
  summarizeOpportunities,
} from '@crm/contract';
import { dateUnits, type FieldIndex, filterKindOf, type ObjectType, summaryFunctions } from '@crm/domain';
import { propertyRuns } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fieldCasesOf } from './property/field-cases.js';
import { pairsOf, questionsAbout } from './property/questions.js';
import { expectedSummary, type SummaryQuestion } from './property/summary-oracle.js';
import { makeWorld, type World } from './property/world.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

const runs = propertyRuns({ short: 200, soak: 10_000 });
const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const contracts: Readonly<Record<ObjectType, OperationContract>> = {
  opportunity: summarizeOpportunities,
  account: summarizeAccounts,
  contact: summarizeContacts,
};

let gateway: TestGateway;
let world: World;

beforeAll(async () => {
  process.stdout.write(`summary property: FC_SEED=${seed} FC_RUNS=${runs}\n`);
  gateway = await startTestGateway();
  world = await makeWorld(gateway.database, gateway.organization, seed);
});
afterAll(() => gateway.stop());

const groupedKinds: ReadonlySet<string> = new Set(['option', 'checkbox', 'boolean']);
const dateKinds: ReadonlySet<string> = new Set(['instant', 'timestamp', 'datetime', 'date']);
const groupedNames = ['stage_id', 'owner_id', 'pipeline_id', 'account_id', 'currency'];

/** Everything that an object can be grouped by, and every number that can be measured. */
const askable = (fieldIndex: FieldIndex) => {
  const cases = fieldCasesOf(fieldIndex).filter(({ ref }) => ref.source !== 'relation');
  const named = cases.map(({ ref, spellings }) => ({ kind: filterKindOf(ref), name: spellings[0] ?? '' }));
  return {
    groups: named.flatMap(({ kind, name }) => {
      if (dateKinds.has(kind)) return dateUnits.map((unit) => `${name}:${unit}`);
      return groupedKinds.has(kind) || groupedNames.includes(name) ? [name] : [];
    }),
    numbers: named.flatMap(({ kind, name }) => (kind === 'number' ? [name] : [])),
  };
};

const questionsOf = (objectType: ObjectType): fc.Arbitrary<SummaryQuestion> => {
  const fieldIndex = world.setup.fieldIndex(objectType, null);
  const { groups, numbers } = askable(fieldIndex);
  const search = fc.constantFrom(...pairsOf(fieldIndex)).chain((pair) => questionsAbout(world, objectType, pair));
  // Amounts are the only numbers with a currency.
  const number = numbers.includes('amount')
    ? fc.oneof(fc.constant('amount'), fc.constantFrom(...numbers))
    : fc.constantFrom(...numbers);
  const measure = fc.tuple(fc.constantFrom(...summaryFunctions), number).map(([compute, name]) => `${compute}:${name}`);
  return fc
    .record({
      asked: fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: search }),
      group_by: fc.uniqueArray(fc.constantFrom(...groups), { maxLength: 2 }),
      measures: fc.uniqueArray(fc.oneof(measure, measure, fc.constant('count')), { maxLength: 4 }),
      limit: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(1_000)),
    })
    .map(({ asked, ...rest }) => {
      const { filters, query, pipeline_id, stage_id } = asked?.question ?? {};
      return JSON.parse(JSON.stringify({ ...rest, filters, query, pipeline_id, stage_id })) as SummaryQuestion;
    });
};

const partOf = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !['key', 'label', 'currency'].includes(name)));

describe('200', () => {
  test.each(['opportunity', 'account', 'contact'] as const)(
    'any summary of an %s equals a computation over the records of the same search, to the last decimal',
    async (objectType) => {
      const fieldIndex = world.setup.fieldIndex(objectType, null);
      let grouped = 0;
      const property = fc.asyncProperty(questionsOf(objectType), async (question) => {
        const answer = await gateway.client.call(contracts[objectType], { body: question });
        expect(answer.status).toBe(200);
        const { groups, total, total_by_currency: currencies, truncated } = answer.data as Summary;
        const ofCurrency = [...currencies].map((one) => ({ currency: one.currency, part: partOf({ ...one }) }));
        if (groups.length > 1) grouped += 1;
        expect({
          groups: groups.map((group) => ({ key: group.key, part: partOf({ ...group }) })),
          total: partOf({ ...total }),
          total_by_currency: ofCurrency,
          truncated,
        }).toEqual(expectedSummary(world.records[objectType], fieldIndex, question));
      });
      await fc.assert(property, { numRuns: runs / 2, seed });
      expect(grouped).toBeGreaterThan(runs / 8);
    },
    runs * 1_000,
  );
});
