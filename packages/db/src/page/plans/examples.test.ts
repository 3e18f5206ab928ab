import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { exampleRequest, type ExampleRequest } from '../../../tests/support/example-request.js';
import { Parameters } from '../parameters.js';
import { planPage, type Step } from '../plan.js';
import { emptySlotsSql } from './empty-slot.js';
import { pageSql } from './page-sql.js';

const folder = new URL('.', import.meta.url);

interface Example {
  readonly request: ExampleRequest;
  readonly sql: string;
}

/** The examples in a file's doc comments: a request between backquotes, then a block of SQL. */
const examplesIn = (file: string): readonly Example[] => {
  const text = readFileSync(new URL(file, folder), 'utf8').replace(/^ \* ?/gm, '');
  return [...text.matchAll(/Example[^`]*`(\{[^`]*\})`[^`]*```sql\n([^`]*)```/g)].map(([, request = '', sql = '']) => ({
    request: JSON.parse(request) as ExampleRequest,
    sql,
  }));
};

/** The SQL with one space between words, and none around parentheses and commas. */
const normalized = (sql: string): string =>
  sql
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')
    .trim();

/** The SQL of the first step with this `read` in the plan of a request. */
const generate = (example: ExampleRequest, read: string): string => {
  const request = exampleRequest(example);
  for (const { part, steps } of planPage(request)) {
    const step = steps.find((candidate: Step) => candidate.read === read);
    if (step === undefined) continue;
    const { page } = pageSql(request, part, [step], request.limit + 1, new Parameters());
    return page.replaceAll(emptySlotsSql, 'EMPTY_SLOTS').replaceAll(/\/\*.*?\*\/ /g, '');
  }
  throw new Error(`The plan has no step ${read}`);
};

const allReads: readonly Step['read'][] = [
  ...(['in-order', 'merge-pipelines', 'merge-values', 'label-order', 'empty-slot'] as const),
  ...(['scan-next', 'sort-few', 'sort-matches'] as const),
];

describe('the example in the doc comment', () => {
  const examples = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => examplesIn(file).map((example, index) => ({ read: basename(file, '.ts'), index, ...example })));

  test.each(examples)('of $read is what the plan generates (example $index)', ({ read, request, sql }) => {
    expect(normalized(sql)).toBe(normalized(generate(request, read)));
  });

  test('exists for every kind of step', () => {
    expect([...new Set(examples.map(({ read }) => read))].sort()).toEqual([...allReads].sort());
  });
});
