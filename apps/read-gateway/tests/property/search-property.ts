import {
  type OperationContract,
  type Summary,
  summarizeAccounts,
  summarizeContacts,
  summarizeOpportunities,
} from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  dateUnits,
  type FieldIndex,
  filterKindOf,
  maxSummaryPercentiles,
  type ObjectType,
  summaryFunctions,
} from '@crm/domain';
import fc from 'fast-check';
import { fieldCasesOf } from './field-cases.js';
import { expectedIds } from './oracle.js';
import { isPlausible } from './pools.js';
import { type AskedQuestion, type Pair, pairsOf, questionsAbout } from './questions.js';
import { expectedSummary, type SummaryQuestion } from './summary-oracle.js';
import { walkSearch } from '../support/walk.js';
import { makeWorld, type World } from './world.js';
import type { TestGateway } from '../support/gateway.js';

const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const seedStep = 0x9e3779b1;

const objectTypes: readonly ObjectType[] = ['opportunity', 'account', 'contact'];

let gateway: TestGateway;
let world: World;

interface AskedOf {
  readonly objectType: ObjectType;
  readonly pair: Pair;
}

/** Each pair once, with the objects whose fields have it. */
const pairsByName = (): ReadonlyMap<string, readonly AskedOf[]> => {
  const byName = new Map<string, AskedOf[]>();
  for (const objectType of objectTypes) {
    for (const pair of pairsOf(world.setup.fieldIndex(objectType, null))) {
      byName.set(pair.name, [...(byName.get(pair.name) ?? []), { objectType, pair }]);
    }
  }
  return byName;
};

/** A sort by each type of field in both directions, with an object that has such a field. */
const ordersByName = (): ReadonlyMap<string, AskedQuestion> => {
  const byName = new Map<string, AskedQuestion>();
  for (const objectType of objectTypes) {
    const cases = fieldCasesOf(world.setup.fieldIndex(objectType, null)).filter(({ sorts }) => sorts);
    for (const { type, storage, spellings } of cases) {
      for (const direction of ['asc', 'desc']) {
        const sort = `${spellings[0] ?? ''}:${direction}`;
        byName.set(`${type} ${storage} ${direction}`, { objectType, question: { sort, limit: 60 } });
      }
    }
  }
  return byName;
};

const check = async ({ objectType, question }: AskedQuestion): Promise<void> => {
  const records = world.records[objectType];
  const fieldIndex = world.setup.fieldIndex(objectType, null);
  const walked = await walkSearch(gateway.client, objectType, question);
  expect(walked.map(({ id }) => id)).toEqual(expectedIds(records, fieldIndex, question));
};

const summaryOf: Readonly<Record<ObjectType, OperationContract>> = {
  opportunity: summarizeOpportunities,
  account: summarizeAccounts,
  contact: summarizeContacts,
};
const groupedKinds: ReadonlySet<string> = new Set(['option', 'checkbox', 'boolean']);
const dateKinds: ReadonlySet<string> = new Set(['instant', 'timestamp', 'datetime', 'date']);
const groupedNames = [
  ...['stage_id', 'outcome', 'owner_id', 'pipeline_id', 'account_id', 'currency', 'industry', 'employee_range'],
];
const timeZones = ['UTC', 'Asia/Kolkata', 'America/New_York', 'Pacific/Kiritimati'];

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

const summaryQuestions = (objectType: ObjectType): fc.Arbitrary<SummaryQuestion> => {
  const fieldIndex = world.setup.fieldIndex(objectType, null);
  const own = askable(fieldIndex);
  const ofAccount = objectType === 'account' ? [] : askable(world.setup.fieldIndex('account', null)).groups;
  const groups = [...own.groups, ...ofAccount.map((name) => `account.${name}`)];
  const numbers = [...own.numbers, ...(objectType === 'opportunity' ? ['days_to_close'] : [])];
  const search = fc.constantFrom(...pairsOf(fieldIndex)).chain((pair) => questionsAbout(world, objectType, pair));
  // Amounts are the only numbers with a currency.
  const number = numbers.includes('amount')
    ? fc.oneof(fc.constant('amount'), fc.constantFrom(...numbers))
    : fc.constantFrom(...numbers);
  const measure = fc.tuple(fc.constantFrom(...summaryFunctions), number).map(([compute, name]) => `${compute}:${name}`);
  // Ids are sorted by their labels, which other tests cover.
  const sorts = (names: readonly string[]) =>
    fc
      .uniqueArray(fc.constantFrom('count', ...names.filter((name) => !name.endsWith('_id'))), { maxLength: 3 })
      .chain((keys) => fc.tuple(...keys.map((key) => fc.constantFrom(key, `${key}:asc`, `${key}:desc`))));
  return fc
    .record({
      asked: fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: search }),
      group_by: fc.uniqueArray(fc.constantFrom(...groups), { maxLength: 3 }),
      measures: fc
        .uniqueArray(fc.oneof(measure, measure, fc.constant('count')), { maxLength: 4 })
        .filter((names) => names.filter((name) => /^(median|p90):/.test(name)).length <= maxSummaryPercentiles),
      time_zone: fc.constantFrom(...timeZones),
      limit: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(1_000)),
    })
    .chain((drawn) => sorts([...drawn.group_by, ...drawn.measures]).map((sort) => ({ ...drawn, sort })))
    .map(({ asked, ...rest }) => {
      const { filters, query, pipeline_id, stage_id } = asked?.question ?? {};
      return JSON.parse(JSON.stringify({ ...rest, filters, query, pipeline_id, stage_id })) as SummaryQuestion;
    });
};

const partOf = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !['key', 'label', 'currency'].includes(name)));

/** How much to ask. */
interface PropertySize {
  /** Searches over all pairs of a type and an operator, at least one about each. */
  readonly searches: number;
  /** Asks about every n-th pair and sort only, a different share for each seed. */
  readonly onePairIn: number;
  /** Summaries of each object. */
  readonly summaries: number;
}

const describeSearches = ({ searches, onePairIn }: PropertySize): void => {
  const isChosen = (_one: unknown, index: number): boolean => index % onePairIn === Math.abs(seed) % onePairIn;

  test(
    'returns what the rules say, in the right order, for any filter, sort, words and limit, on all pages',
    async () => {
      const pairs = [...pairsByName().values()].filter(isChosen);
      const numRuns = Math.ceil(searches / pairs.length);
      for (const [index, askedOf] of pairs.entries()) {
        const questions = fc.oneof(...askedOf.map(({ objectType, pair }) => questionsAbout(world, objectType, pair)));
        const property = fc.asyncProperty(questions, (question) => check(question));
        // With the same seed, every pair would get the same sorts and scopes.
        await fc.assert(property, { numRuns, seed: (seed + index * seedStep) | 0 });
      }
      // With few runs, a sort may be missing by chance.
      for (const question of [...ordersByName().values()].filter(isChosen)) await check(question);
      process.stdout.write(`${pairs.length} pairs, ${numRuns} searches about each\n`);
    },
    120_000 + searches * 1_000,
  );
};

/** Values that no comparison with a whole value takes: none, and texts that are longer than one of a filter may be. */
const isAskable = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== '' &&
  JSON.stringify(value) !== '[]' &&
  JSON.stringify(value).length <= 1_000;

/** The comparisons that must find a record by a value: one for each part of a date range or location. */
const equalities = (
  name: string,
  value: unknown,
  isWhole: boolean,
): { readonly field: string; readonly value: unknown }[] => {
  if (!isAskable(value)) return [];
  if (typeof value === 'object' && !Array.isArray(value))
    return Object.entries(value as object).flatMap(([part, one]) => equalities(`${name}.${part}`, one, false));
  // A location that is sent as a text becomes an address.
  return [{ field: isWhole ? `${name}.formatted` : name, value }];
};

interface FoundBy {
  readonly id: string;
  readonly filters: object;
}

/** By field: what must find which record, by the values that were sent and those that are read. */
const findings = (objectType: ObjectType): ReadonlyMap<string, readonly FoundBy[]> => {
  const cases = fieldCasesOf(world.setup.fieldIndex(objectType, null));
  const found = new Map<string, FoundBy[]>();
  for (const { id, wire } of world.records[objectType]) {
    const read: Readonly<Record<string, unknown>> = { ...wire, ...wire.custom_fields };
    const sent = world.sent[objectType].get(id) ?? {};
    for (const { ref, spellings } of cases) {
      const [name = ''] = spellings;
      // An update may have cleared what a create sent.
      if (!isAskable(read[name])) continue;
      const kind = filterKindOf(ref);
      // A number near 1970 may be seconds, so filters refuse it.
      const isInstant = kind === 'instant' || kind === 'timestamp';
      const isDoubtful = (value: unknown): boolean => isInstant && typeof value === 'number' && !isPlausible(value);
      for (const value of [read[name], sent[name]].filter((one) => !isDoubtful(one)))
        for (const filter of equalities(name, value, kind === 'whole'))
          found.set(name, [...(found.get(name) ?? []), { id, filters: { ...filter, operator: 'eq' } }]);
    }
  }
  return found;
};

const describeFoundValues = ({ onePairIn }: PropertySize): void => {
  test('the value that was sent and the one that is read find the record, in every field', async () => {
    let asked = 0;
    for (const objectType of objectTypes)
      for (const [index, all] of [...findings(objectType).values()].entries()) {
        if (index % onePairIn !== Math.abs(seed) % onePairIn) continue;
        const distinct = [...new Map(all.map((one) => [JSON.stringify(one.filters), one])).values()];
        for (const { id, filters } of distinct.slice(0, onePairIn === 1 ? 40 : 4)) {
          const found = await walkSearch(gateway.client, objectType, { filters, limit: 500 });
          const ids = found.map((record) => record.id);
          expect({ filters, ids }).toEqual({ filters, ids: expect.arrayContaining([id]) as unknown });
          asked += 1;
        }
      }
    expect(asked).toBeGreaterThan(20);
  }, 300_000);
};

/** The records of every world have several values of these, so that some summary has several groups whatever is drawn. */
const fieldOfSeveralGroups = { account: 'is_freemail', contact: 'account_id', opportunity: 'account_id' } as const;

const describeSummaries = ({ summaries }: PropertySize): void => {
  test.each(objectTypes)(
    'any summary of an %s equals a computation over the records of the same search, to the last decimal',
    async (objectType) => {
      const fieldIndex = world.setup.fieldIndex(objectType, null);
      let grouped = 0;
      const property = fc.asyncProperty(summaryQuestions(objectType), async (question) => {
        const answer = await gateway.client.call(summaryOf[objectType], { body: question });
        expect([answer.status, answer.errors]).toEqual([200, {}]);
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
      const only = { group_by: [fieldOfSeveralGroups[objectType]], measures: ['count'], limit: 100 };
      const first = { ...only, sort: [], time_zone: 'UTC' };
      await fc.assert(property, { numRuns: summaries, seed, examples: [[first]] });
      expect(grouped).toBeGreaterThan(0);
    },
    120_000 + summaries * 1_000,
  );
};

/** Random searches and summaries, compared with a computation over the same records. */
export const describeSearchProperty = (start: () => Promise<TestGateway>, size: PropertySize): void => {
  beforeAll(async () => {
    process.stdout.write(`search property: FC_SEED=${seed}\n`);
    gateway = await start();
    world = await makeWorld(gateway, seed);
  });
  afterAll(() => gateway.stop());

  describe('200: searches', () => describeSearches(size));
  describe('200: searches by a value', () => describeFoundValues(size));
  describe('200: summaries', () => describeSummaries(size));
};
