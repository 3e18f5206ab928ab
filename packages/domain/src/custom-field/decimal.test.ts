import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { amountLimits, checkDecimal, numberLimits } from './decimal.js';

describe('checkDecimal', () => {
  it.each([
    [0, 0],
    [-0, 0],
    [12, 12],
    [-1234.5678, -1234.5678],
    [999_999_999_999_999, 999_999_999_999_999],
    [99_999_999_999.9999, 99_999_999_999.9999],
    [0.0001, 0.0001],
    [100_000_000_000_000, 100_000_000_000_000],
  ])('accepts the amount %d', (value, stored) =>
    expect(checkDecimal(value, amountLimits)).toEqual({ ok: true, value: stored }),
  );

  it.each([
    [1e15, 'must have at most 15 digits'],
    [1e20, 'must have at most 15 digits'],
    [1e21, 'must have at most 15 digits'],
    [1.5e300, 'must have at most 15 digits'],
    [123_456_789_012_345.6, 'must have at most 15 digits'],
    [0.1 + 0.2, 'must have at most 15 digits'],
    [0.000_01, 'must have at most 4 decimals'],
    [1e-7, 'must have at most 4 decimals'],
    [1.5e-7, 'must have at most 4 decimals'],
    [10.123_45, 'must have at most 4 decimals'],
  ])('refuses the amount %d', (value, message) =>
    expect(checkDecimal(value, amountLimits)).toEqual({ ok: false, message }),
  );

  it.each([NaN, Infinity, -Infinity, '12', 12n, null, undefined, true, [12], {}])('does not coerce %p', (value) =>
    expect(checkDecimal(value, amountLimits)).toEqual({ ok: false, message: 'must be a number' }),
  );

  it('allows a plain number more decimals than an amount, within its own limits', () => {
    expect(checkDecimal(1.5e-7, numberLimits).ok).toBe(true);
    expect(checkDecimal(1e-15, numberLimits).ok).toBe(true);
    expect(checkDecimal(1e-16, numberLimits)).toEqual({ ok: false, message: 'must have at most 15 decimals' });
  });

  it('accepts every decimal text within the limits and keeps its value', () => {
    const decimalText = fc
      .record({ units: fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }), scale: fc.nat({ max: 4 }) })
      .map(({ units, scale }) => ({ units, scale, value: Number(`${units}e-${scale}`) }));
    fc.assert(
      fc.property(decimalText, ({ units, scale, value }) => {
        expect(checkDecimal(value, amountLimits).ok).toBe(true);
        expect(Math.round(value * 10 ** scale)).toBeCloseTo(units, -1);
      }),
    );
  });
});
