import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findNumberFault } from './exact-number.js';

const tooLong = 'has more digits than a number can hold: send at most 15 significant digits';

/** Digits and a power of ten, written in many ways with the same value. */
const spelled = fc
  .record({
    digits: fc.bigInt({ min: 0n, max: 10n ** 25n }),
    exponent: fc.integer({ min: -40, max: 30 }),
    zeros: fc.nat({ max: 12 }),
    point: fc.nat({ max: 30 }),
    isNegative: fc.boolean(),
    letter: fc.constantFrom('e', 'E', 'e+', 'E+'),
  })
  .map(({ digits, exponent, zeros, point, isNegative, letter }) => {
    const all = `${digits}${'0'.repeat(zeros)}`;
    const fraction = Math.min(point, all.length - 1);
    const integer = all.slice(0, all.length - fraction);
    const power = exponent + fraction - zeros;
    const mantissa = fraction === 0 ? integer : `${integer}.${all.slice(-fraction)}`;
    const suffix = power < 0 ? `e${power}` : `${letter}${power}`;
    return { digits, exponent, literal: `${isNegative ? '-' : ''}${mantissa}${suffix}` };
  });

/** The exact value as a fraction of whole numbers, computed without the code under test. */
const sameValue = (digits: bigint, exponent: number, printed: string): boolean => {
  const match = /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(printed);
  const fraction = match?.[2] ?? '';
  const other = BigInt(`${match?.[1] ?? ''}${fraction}`);
  const otherExponent = Number(match?.[3] ?? 0) - fraction.length;
  const least = Math.min(exponent, otherExponent);
  return digits * 10n ** BigInt(exponent - least) === other * 10n ** BigInt(otherExponent - least);
};

describe('findNumberFault', () => {
  it.each([
    ...['0', '-0', '0.0', '0e999', '0.000e-999', '1', '1.0', '1.50', '1e3', '1E+3', '0.1', '-12.5e-1', '5e-324'],
    ...['9007199254740992', '100000000000000000000', '1e22', '1.7976931348623157e308', '0.30000000000000004'],
    ...['0.1000000000000000000000000', `1${'0'.repeat(300)}`, `0.${'0'.repeat(300)}1e301`, `1${'0'.repeat(400)}e-400`],
  ])('accepts %s', (literal) => {
    expect(findNumberFault(literal)).toBeNull();
  });

  it.each([
    ...['1.0000000000000001', '9007199254740993', '999999999999.99998', '-1.0000000000000001', '4e-324'],
    ...['0.1000000000000000055511151231257827', '1700000000000.00001', `1${'0'.repeat(30)}1`, '123456789012345678'],
  ])('refuses %s, which would be rounded', (literal) => {
    expect(findNumberFault(literal)).toBe(tooLong);
  });

  it('distinguishes numbers that overflow from numbers that become 0', () => {
    for (const literal of ['1e400', '-1E+999', `1${'0'.repeat(400)}`, '1e99999999999999999999999']) {
      expect(findNumberFault(literal)).toBe('is too large a number');
    }
    for (const literal of ['1e-400', '-0.1e-999', '2e-324', '1e-99999999999999999999999']) {
      expect(findNumberFault(literal)).toBe('is too small a number');
    }
  });

  it('accepts exactly the literals whose value equals the printed number', () => {
    let refused = 0;
    fc.assert(
      fc.property(spelled, ({ digits, exponent, literal }) => {
        const isExact = sameValue(digits, exponent, String(Number(literal)));
        if (!isExact) refused += 1;
        expect(findNumberFault(literal)).toBe(isExact ? null : tooLong);
      }),
      { numRuns: 5_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('accepts every number as JavaScript prints it, and every decimal of up to 15 digits', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(findNumberFault(JSON.stringify(value))).toBeNull();
        expect(findNumberFault(value.toExponential())).toBeNull();
      }),
      { numRuns: 5_000 },
    );
    const short = fc.tuple(fc.integer({ min: 0, max: 999_999_999_999_999 }), fc.integer({ min: -290, max: 290 }));
    fc.assert(
      fc.property(short, ([digits, exponent]) => {
        expect(findNumberFault(`${digits}e${exponent}`)).toBeNull();
      }),
      { numRuns: 5_000 },
    );
  });

  it('takes time proportional to the length of the literal', () => {
    for (const middle of ['0', '1', '10']) {
      expect(findNumberFault(`0.1${middle.repeat(2_000_000)}1`)).toBe(tooLong);
    }
  });
});
