import { describe, expect, it } from '@jest/globals';
import { accepted, testFieldIndex } from '../../../tests/query-fields.js';
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
    ['name', ' ', ' '],
  ])('compare as a write stores them: %s %j', (name, sent, stored) => {
    expect(canonical(name, sent)).toEqual([expect.stringContaining(name), 'eq', stored]);
    expect(canonical(name, [sent], 'not_in')).toEqual([expect.stringContaining(name), 'not_in', [stored]]);
    expect(canonical(name, sent, 'contains')).toEqual([expect.anything(), 'contains', sent.toLowerCase()]);
  });

  it('of phones of contacts compare as a write stores them', () => {
    const filter = { field: 'phone', operator: 'eq', value: '+49 (0)30 1234567' };
    const node = accepted((errors) => parseFilters(filter, createFieldIndex('contact', []), errors));
    expect(node).toMatchObject({ value: '+49301234567' });
  });
});
