import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { exampleRequest, type ExampleRequest } from '../../../tests/support/example-request.js';
import { planPage, type Step } from '../plan.js';
import { pageSql } from './page-sql.js';

const folder = new URL('.', import.meta.url);

interface Example {
  /** The step that the SQL is of. */
  readonly read: string;
  readonly request: ExampleRequest;
  readonly sql: string;
}

/** The examples in a file's doc comments: `Example of STEP`, a request between backquotes, then a block of SQL. */
const examplesIn = (file: string): readonly Example[] => {
  const text = readFileSync(new URL(file, folder), 'utf8').replace(/^ \* ?/gm, '');
  const found = text.matchAll(/Example of ([a-z-]+)[^`]*`(\{[^`]*\})`[^`]*```sql\n([^`]*)```/g);
  return [...found].map(([, read = '', json = '', sql = '']) => {
    const request = JSON.parse(json) as ExampleRequest;
    return { read, request, sql };
  });
};

/** The SQL with one space between words, and none around parentheses and commas. */
const normalized = (sql: string): string =>
  sql
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')
    .trim();

/** The SQL of the first step with this `read` in the plan of a request. */
const generate = (example: ExampleRequest, read: string): string => {
  for (const plan of planPage(exampleRequest(example))) {
    const step = plan.steps.find((candidate: Step) => candidate.read === read);
    if (step === undefined) continue;
    const { text } = plan.parameters.statement(pageSql({ ...plan, steps: [step] }));
    return text.replaceAll(/\/\*.*?\*\/ /g, '');
  }
  throw new Error(`The plan has no step ${read}`);
};

const allReads: readonly Step['read'][] = [
  ...(['in-order', 'union-pipelines', 'union-values', 'label-order', 'empty-slot'] as const),
  ...(['scan-next', 'sort-few', 'sort-matches'] as const),
];

describe('the example in the doc comment', () => {
  const examples = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap(examplesIn);

  test.each(examples)('of $read is what the plan generates, for $request', ({ read, request, sql }) => {
    expect(normalized(sql)).toBe(normalized(generate(request, read)));
  });

  test('exists for every kind of step', () => {
    expect([...new Set(examples.map(({ read }) => read))].sort()).toEqual([...allReads].sort());
  });
});
