import { propertyRuns } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ObjectType } from '@crm/domain';
import fc from 'fast-check';
import { Coverage } from './property/coverage.js';
import { fieldCasesOf } from './property/field-cases.js';
import { expectedIds } from './property/oracle.js';
import { type AskedQuestion, type Pair, pairsOf, questionsAbout } from './property/questions.js';
import { walkSearch } from './property/walk.js';
import { makeWorld, type World } from './property/world.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

const runs = propertyRuns({ short: 300, soak: 20_000 });
const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** This many runs let every pair select some records but not all at least once. */
const runsToTellApart = 20_000;

const seedStep = 0x9e3779b1;

const objectTypes: readonly ObjectType[] = ['opportunity', 'account', 'contact'];

let gateway: TestGateway;
let world: World;

beforeAll(async () => {
  process.stdout.write(`search property: FC_SEED=${seed} FC_RUNS=${runs}\n`);
  gateway = await startTestGateway();
  world = await makeWorld(gateway.database, gateway.organization, seed);
});

afterAll(async () => {
  await gateway.stop();
});

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

const check = async ({ objectType, question }: AskedQuestion, coverage: Coverage): Promise<void> => {
  const records = world.records[objectType];
  const fieldIndex = world.setup.fieldIndex(objectType, null);
  coverage.count(fieldIndex, records, question.filters, question.sort);
  const walked = await walkSearch(gateway.client, objectType, question);
  expect(walked.map(({ id }) => id)).toEqual(expectedIds(records, fieldIndex, question));
};

describe('200', () => {
  test(
    'returns what the rules say, in the right order, for any filter, sort, words and limit, on all pages',
    async () => {
      const coverage = new Coverage();
      for (const objectType of objectTypes) coverage.expect(world.setup.fieldIndex(objectType, null));
      const pairs = pairsByName();
      const numRuns = Math.ceil(runs / pairs.size);
      for (const [index, askedOf] of [...pairs.values()].entries()) {
        const questions = fc.oneof(...askedOf.map(({ objectType, pair }) => questionsAbout(world, objectType, pair)));
        const property = fc.asyncProperty(questions, (question) => check(question, coverage));
        // With the same seed, every pair would get the same sorts and scopes.
        await fc.assert(property, { numRuns, seed: (seed + index * seedStep) | 0 });
      }
      // With few runs, a sort may be missing by chance.
      for (const question of ordersByName().values()) await check(question, coverage);
      process.stdout.write(`${coverage.table}\n${pairs.size} pairs, ${numRuns} searches about each\n`);
      expect(coverage.missing).toEqual([]);
      if (runs >= runsToTellApart) expect(coverage.idle).toEqual([]);
    },
    runs * 1_000,
  );
});
