import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { exampleRequest, type ExampleRequest } from '../../tests/support/example-request.js';
import { planPage } from './plan.js';

const filter = (field: string, operator: string, value: unknown) => ({ field, operator, value });
const sales = { pipeline: 'Sales' };
const person = '019c1402-8100-7000-8000-000000000031';
const tier = filter('tier', 'eq', 'gold');
const range = filter('amount', 'between', [100, 200]);

/** The plans of a request's parts, in short: `present: in-order`. */
const plansOf = (example: ExampleRequest): readonly string[] =>
  planPage(exampleRequest(example)).map(({ part, name }) => (part === 'all' ? name : `${part}: ${name}`));

const cases: readonly (readonly [title: string, example: ExampleRequest, ...plans: readonly string[]])[] = [
  ['the default list', sales, 'in-order'],
  ['a list without a pipeline', {}, 'union-pipelines'],
  ['accounts, which have no pipeline', { object: 'account', sort: 'domain:asc' }, 'in-order'],
  ['a stage, by creation', { ...sales, stage: 'Won' }, 'in-order'],
  [
    'open deals, by the time in their stage',
    { ...sales, filters: filter('outcome', 'eq', 'open'), sort: 'stage_entered_at:asc' },
    'present: union-values',
    'absent: union-values',
  ],
  ['a probability, by creation', { ...sales, filters: filter('probability', 'gte', 50) }, 'union-values'],
  [
    'an outcome by closing',
    { ...sales, filters: filter('closed_at', 'gte', '2026-01-01'), sort: 'closed_at:desc' },
    'present: in-order',
  ],
  ['an order by outcome', { ...sales, sort: 'outcome:asc' }, 'present: label-order', 'absent: in-order'],
  ['one value, by creation', { ...sales, filters: tier }, 'in-order'],
  ['one value, by last change', { ...sales, filters: tier, sort: 'updated_at:desc' }, 'in-order'],
  ['one value, by name', { ...sales, filters: tier, sort: 'name:asc' }, 'indexed-filter'],
  ['some values', { ...sales, filters: filter('tier', 'in', ['gold', 'iron']) }, 'union-values'],
  ['some values of each pipeline', { filters: filter('tier', 'in', ['gold', 'iron']) }, 'union-values'],
  ['too many values for two pipelines', { filters: filter('score', 'in', [...Array(101).keys()]) }, 'indexed-filter'],
  ['a label', { ...sales, filters: filter('stage_name', 'contains', 'o') }, 'union-values'],
  [
    'a label that deals without a stage do not have',
    { ...sales, filters: filter('stage_name', 'neq', 'Won') },
    'other-filter',
  ],
  [
    'labels that deals without a stage do not have',
    { ...sales, filters: filter('stage_name', 'not_in', ['Won']) },
    'other-filter',
  ],
  ['no label', { ...sales, filters: filter('stage_name', 'empty', undefined) }, 'other-filter'],
  ['any label', { ...sales, filters: filter('stage_name', 'not_empty', undefined) }, 'union-values'],
  ['a range, in its own order', { ...sales, filters: range, sort: 'amount:desc' }, 'present: in-order'],
  ['a range, by last change', { ...sales, filters: range, sort: 'updated_at:desc' }, 'indexed-filter'],
  ['two indexed fields', { ...sales, filters: { and: [range, tier] } }, 'indexed-filter'],
  [
    'an indexed field and another',
    { ...sales, filters: { and: [range, filter('weight', 'gt', 5)] } },
    'indexed-filter',
  ],
  ['the deals of a person', { ...sales, filters: filter('contact_id', 'eq', person) }, 'indexed-filter'],
  ['the deals of a person, by name', { contact: person, sort: 'name' }, 'indexed-filter'],
  ['the deals without a person', { ...sales, filters: filter('contact_id', 'neq', person) }, 'other-filter'],
  ['a word', { ...sales, q: 'acme' }, 'words'],
  ['a word and a range', { ...sales, q: 'acme', filters: range }, 'words'],
  ['a part of the name', { ...sales, filters: filter('name', 'contains', 'acme') }, 'words'],
  ['a word without a trigram', { ...sales, q: 'ac' }, 'other-filter'],
  ['a field without an index', { ...sales, filters: filter('weight', 'gt', 5) }, 'other-filter'],
  ['a negation', { ...sales, filters: filter('tier', 'neq', 'gold') }, 'other-filter'],
  ['alternatives', { ...sales, filters: { or: [range, tier] } }, 'other-filter'],
  ['an order without an index', { ...sales, sort: 'currency:asc' }, 'present: in-order', 'absent: in-order'],
  ['an order by two fields', { ...sales, sort: ['amount', 'name'], filters: range }, 'in-order'],
  ['an order by a nullable field', { ...sales, sort: 'amount:asc' }, 'present: in-order', 'absent: in-order'],
  ['an order by a slot', { ...sales, sort: 'score:asc' }, 'present: in-order', 'absent: empty-slot'],
  ['an order by a label', { ...sales, sort: 'stage_name:asc' }, 'present: label-order', 'absent: in-order'],
  [
    'an order by a label and a filter on it',
    { ...sales, sort: 'stage_name:asc', filters: filter('stage_name', 'eq', 'Won') },
    'present: label-order',
  ],
];

const scan = (records: number) => ({ read: 'scan-next', records });
const sortFew = { read: 'sort-few', records: 2_000 };
const sortAll = { read: 'sort-matches' };

describe('the plan', () => {
  test.each(cases)('of %s', (_, example, ...plans) => {
    expect(plansOf(example)).toEqual(plans);
  });

  test('is documented in the table, with its steps', () => {
    const [, table = ''] =
      /(\* \| Plan[^]*?)\n \*\n/.exec(readFileSync(new URL('plan.ts', import.meta.url), 'utf8')) ?? [];
    for (const { name, steps } of cases.flatMap(([, example]) => planPage(exampleRequest(example)))) {
      expect(table).toContain(`| ${name} `);
      for (const { read } of steps) expect(table).toContain(`| ${read}`);
    }
  });

  test('of a page among records without a value leaves out those with one', () => {
    const after = [null, '2026-01-31T12:00:00.000Z', '019c1402-8100-7000-8000-000000000001'];
    expect(plansOf({ ...sales, sort: 'score:asc', after })).toEqual(['absent: empty-slot']);
  });

  test.each<[string, ExampleRequest, object[]]>([
    ['words scans, then sorts all matches', { ...sales, q: 'acme' }, [scan(5_000), sortAll]],
    [
      'a range scans a little, sorts few matches, and scans for more of them',
      { ...sales, stage: 'Won', filters: range },
      [scan(300), sortFew, scan(20_000), sortAll],
    ],
    ...[
      { sort: 'name:asc', filters: tier },
      { stage: 'Won', filters: { and: [range, tier] } },
    ].map((example): [string, ExampleRequest, object[]] => [
      `values that may be rare are counted first: ${JSON.stringify(example)}`,
      { ...sales, ...example },
      [sortFew, scan(20_000), sortAll],
    ]),
    [
      'another filter scans, then depends on the size of the pipeline',
      { filters: filter('weight', 'gt', 5) },
      [
        scan(20_000),
        { ...sortAll, onlyIf: { recordsFrom: 10_001, recordsBelow: 1_000_000 } },
        { read: 'union-pipelines', onlyIf: { recordsFrom: 1_000_000, recordsBelow: Infinity } },
      ],
    ],
  ])('of %s', (_about, example, steps) => {
    expect(planPage(exampleRequest(example)).map((plan) => plan.steps)).toEqual([steps]);
  });
});
