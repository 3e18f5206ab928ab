import { describe, expect, it } from '@jest/globals';
import { accepted, define, errorsOf, testDefinitions, testFieldIndex } from '../../../tests/query-fields.js';
import { ErrorCollector } from '../../errors.js';
import { createFieldIndex } from '../field-index.js';
import { parseFilters } from './parse-filters.js';
import { canonicalFilter } from './tree.js';

const canonical = (field: string, value: unknown, operator = 'eq') => {
  const node = accepted((errors) => parseFilters({ field, operator, value }, testFieldIndex, errors));
  return JSON.parse(canonicalFilter(node)) as unknown;
};

describe('texts', () => {
  it.each([
    ['hotline', '+49 (0)30 1234567', '+49301234567'],
    ['hotline', ' +1 415 555 0123 EXT 4', '+1 415 555 0123 ext 4'],
    ['homepage', 'HTTPS://Example.com', 'https://example.com/'],
    ['billing_email', ' Ann@ACME.com.', 'ann@acme.com'],
    ['motto', ' As sent ', ' as sent '],
    ['next_step', ' As sent ', ' as sent '],
    ['name', ' Renewal ', 'renewal'],
    ['motto', ' ', ' '],
    ['account_name', ' Acme\u200b ', 'acme'],
    ['account.name', '\u00a0Acme', 'acme'],
    ['contact_first_name', ' Ann ', 'ann'],
    ['office.city', ' Berlin\u200b', 'berlin'],
    ['office.formatted', ' Berlin, DE ', 'berlin, de'],
  ])('compare as a write stores them: %s %j', (name, sent, stored) => {
    expect(canonical(name, sent)).toEqual([expect.stringContaining(name), 'eq', stored]);
    expect(canonical(name, [sent], 'not_in')).toEqual([expect.stringContaining(name), 'not_in', [stored]]);
    expect(canonical(name, sent, 'contains')).toEqual([expect.anything(), 'contains', sent.toLowerCase()]);
  });

  it.each([
    ['external_id', ' Ex-9\u200b', 'Ex-9'],
    ['account_external_id', 'Ex-9', 'Ex-9'],
    ['contact_external_id', 'Cafe\u0301', 'Caf\u00e9'],
  ])('compare exactly as the key does: %s %j', (name, sent, stored) => {
    for (const operator of ['eq', 'neq'])
      expect(canonical(name, sent, operator)).toEqual([`key:${name}`, operator, stored]);
    for (const operator of ['in', 'not_in'])
      expect(canonical(name, [sent], operator)).toEqual([`key:${name}`, operator, [stored]]);
    expect(canonical(name, 'EX', 'contains')).toEqual([name, 'contains', 'ex']);
  });

  it.each(['name', 'next_step', 'external_id', 'account.name', 'hotline', 'homepage', 'office.city'])(
    'that a write takes for no value are refused: %s',
    (field) => {
      for (const value of [' ', '\u200b'])
        expect(errorsOf((errors) => parseFilters({ field, operator: 'eq', value }, testFieldIndex, errors))).toEqual({
          'filters.value': 'must not be blank: use the operator empty or not_empty',
        });
    },
  );

  it('of members may be their emails, as in writes', () => {
    const id = '01920000-0000-7000-8000-00000000000a';
    const members = { findMemberId: (key: string) => (key === 'ann@team.example' ? id : undefined) };
    const index = createFieldIndex('opportunity', testDefinitions, undefined, members);
    const read = (value: unknown) =>
      parseFilters({ field: 'helpers', operator: 'in', value }, index, new ErrorCollector());
    expect(read([' ANN@team.example.', id.toUpperCase()])).toMatchObject({ value: [id] });
    expect(read(['bob@team.example'])).toBeNull();
  });

  it('of options are those that a write would store, where an archived option has the same label', () => {
    const options = [
      { label: 'Hot', value: 'hot_1', color: 'red', archived: true },
      { label: 'Hot', value: 'hot_2', color: 'red' },
    ];
    const index = createFieldIndex('account', [define('heat', 'select', { metadata: { options } })]);
    expect(
      accepted((errors) => parseFilters({ field: 'heat', operator: 'eq', value: ' HOT' }, index, errors)),
    ).toMatchObject({
      value: 'hot_2',
    });
  });

  it('of phones of contacts compare as a write stores them', () => {
    const filter = { field: 'phone', operator: 'eq', value: '+49 (0)30 1234567' };
    const node = accepted((errors) => parseFilters(filter, createFieldIndex('contact', []), errors));
    expect(node).toMatchObject({ value: '+49301234567' });
  });
});
