import { describe, expect, it } from '@jest/globals';
import { accepted, errorsOf } from '../../tests/query-fields.js';
import { createFieldIndex } from './field-index.js';
import { parseFilters } from './filter/parse-filters.js';
import { canonicalFilter } from './filter/tree.js';
import { KnownLabels } from './known-labels.js';

const is = (field: string, value: unknown, operator = 'eq') => ({ field, operator, value });

describe('labels of the setup', () => {
  const many = Array.from({ length: 22 }, (_, index) => `P${index}`);
  const index = createFieldIndex(
    'opportunity',
    [],
    new Map([
      ['stage_name', new KnownLabels('a stage', ['New', 'Closed  Won', 'New', 'Straße'])],
      ['pipeline_name', new KnownLabels('a pipeline', many)],
      ['owner_email', new KnownLabels('a member', ['ann@team.example'])],
    ]),
  );
  const parseOwn = (input: unknown) => accepted((errors) => parseFilters(input, index, errors));
  const stages = 'known: New, Closed  Won, Straße';

  it.each([
    [is('stage_name', ' closed won\u200b'), ['stage_name', 'eq', 'closed won']],
    [is('stage_name', ['NEW', 'STRASSE'.replace('SS', 'ß')], 'in'), ['stage_name', 'in', ['new', 'straße']]],
    [is('stage_name', 'wonn', 'contains'), ['stage_name', 'contains', 'wonn']],
    [is('owner_email', 'ANN@team.example', 'neq'), ['owner_email', 'neq', 'ann@team.example']],
  ])('accepts %j', (input, expected) => {
    expect(JSON.parse(canonicalFilter(parseOwn(input)))).toEqual(expected);
  });

  it.each([
    [is('stage_name', 'Wonn'), 'filters.value', `"Wonn" is not a stage; ${stages}`],
    [is('stage_name', 'Wonn', 'neq'), 'filters.value', `"Wonn" is not a stage; ${stages}`],
    [is('stage_name', ['New', 'x'], 'not_in'), 'filters.value[1]', `"x" is not a stage; ${stages}`],
    [
      is('owner_email', 'bob@team.example'),
      'filters.value',
      '"bob@team.example" is not a member; known: ann@team.example',
    ],
    [
      is('pipeline_name', 'P'),
      'filters.value',
      `"P" is not a pipeline; known: ${many.slice(0, 20).join(', ')} and 2 more`,
    ],
  ])('refuses %j', (input, path, text) => {
    expect(errorsOf((errors) => parseFilters(input, index, errors))).toEqual({ [path]: text });
  });
});
