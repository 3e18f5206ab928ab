import { describe, expect, it } from '@jest/globals';

import { parseBodyLimit, parseLimit } from './limit.js';
import { accepted, errorsOf } from '../../tests/query-fields.js';

describe('parseLimit', () => {
  it('is 100 if absent', () => {
    expect(accepted((errors) => parseLimit(undefined, errors))).toBe(100);
  });

  it.each([1, 99, 500])('accepts %d', (limit) => {
    expect(accepted((errors) => parseLimit(String(limit), errors))).toBe(limit);
  });

  it.each(['0', '-1', '501', '999', '1000', '1e2', '0x10', ' 5', '5 ', '+5', '05', '1.0', '', '5\n', '٥', 'all'])(
    'refuses %j',
    (text) => {
      expect(errorsOf((errors) => parseLimit(text, errors))).toEqual({ limit: 'must be an integer from 1 to 500' });
    },
  );

  it.each([[['5', '5']], [null], [5], [{ limit: '5' }]])('refuses %j, which is not a single text', (input) => {
    expect(errorsOf((errors) => parseLimit(input, errors))).toHaveProperty('limit');
  });
});

describe('parseBodyLimit', () => {
  it('is 100 if absent or null', () => {
    expect(accepted((errors) => parseBodyLimit(undefined, errors))).toBe(100);
    expect(accepted((errors) => parseBodyLimit(null, errors))).toBe(100);
  });

  it('accepts the smallest and largest limit', () => {
    expect(accepted((errors) => parseBodyLimit(1, errors))).toBe(1);
    expect(accepted((errors) => parseBodyLimit(500, errors))).toBe(500);
  });

  it.each([0, -1, 501, 1.5, Infinity, NaN, '5', true, [5]])('refuses %p', (input) => {
    expect(errorsOf((errors) => parseBodyLimit(input, errors))).toHaveProperty('limit');
  });
});
