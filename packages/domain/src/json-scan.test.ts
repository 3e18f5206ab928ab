import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter, propertyRuns } from '../tests/random.js';
import { findNumberFault } from './exact-number.js';
import { JsonScanner, scanJson } from './json-scan.js';

const numRuns = propertyRuns({ short: 50, soak: 5_000 });
const tooLong = 'has more digits than a number can hold: send at most 15 significant digits';

const problems = (text: string): Record<string, string> => Object.fromEntries(scanJson(text, 32).errors);

describe('scanning JSON', () => {
  it('finds no fault in the output of a JSON writer', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: anyCharacter }), (value) => {
        const text = JSON.stringify(value);
        // A generated name may be one of the refused ones, and a text may contain U+0000.
        fc.pre(!/__proto__|constructor|prototype|\\u0000|\\ud/i.test(text));
        expect(scanJson(text, 32)).toEqual({ refusal: null, errors: new Map(), isComplete: true });
        expect(scanJson(JSON.stringify(value, null, 2), 32).errors.size).toBe(0);
      }),
      { numRuns },
    );
  });

  it('ends on every text without throwing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', 'e', '-', 'u', ' ') }),
        (text) => {
          scanJson(text, 32);
        },
      ),
      { numRuns },
    );
  });

  it('reports duplicate keys on their path, in every spelling', () => {
    expect(problems('{"a":1,"a":2}')).toEqual({ a: 'is given twice' });
    expect(problems('{"items":[{"x":1},{"b":{"c":1,"\\u0063":2}}]}')).toEqual({ 'items[1].b.c': 'is given twice' });
    expect(problems('[{"a":1},{"a":1}]')).toEqual({});
    expect(problems('{"a":{"a":{"a":1}},"b":["a","a"]}')).toEqual({});
    const many = Array.from({ length: 40 }, (_, i) => `"k${i}":0`).join(',');
    expect(problems(`{${many}}`)).toEqual({});
    expect(problems(`{${many},"k3":1}`)).toEqual({ k3: 'is given twice' });
  });

  it('refuses names that reach prototypes', () => {
    expect(problems('{"__proto__":1,"x":{"constructor":{"prototype":1}}}')).toEqual({
      ['__proto__']: 'is not allowed as a name',
      'x.constructor': 'is not allowed as a name',
      'x.constructor.prototype': 'is not allowed as a name',
    });
    expect(problems('{"\\u005f_proto__":1}')).toEqual({ ['__proto__']: 'is not allowed as a name' });
  });

  it('refuses U+0000 and lone surrogates in values and names, and nothing that only looks like them', () => {
    const text = 'must not contain U+0000 or a lone surrogate';
    expect(problems('{"a":["x","\\u0000"],"b":"\\ud800","c":"\\udc00\\ud800"}')).toEqual({
      'a[1]': text,
      b: text,
      c: text,
    });
    expect(problems('{"a":"\\ud83d\\ude00","b":"\\\\u0000","c":"\\\\\\\\ud800"}')).toEqual({});
    expect(problems('{"\\u0000":1,"b\\ud800":2}')).toEqual({
      '\\u0000': 'is a name with U+0000 or a lone surrogate',
      'b\\ud800': 'is a name with U+0000 or a lone surrogate',
    });
  });

  it('refuses numbers that overflow, become 0 or lose digits, and those of more than a thousand characters', () => {
    expect(problems('{"a":1e400,"c":[1e-400,{"d":1.0000000000000001}],"e":0.1000000000000000000}')).toEqual({
      a: 'is too large a number',
      'c[0]': 'is too small a number',
      'c[1].d': tooLong,
    });
    expect(problems(`{"a":0.${'0'.repeat(998)},"b":0.${'0'.repeat(999)}}`)).toEqual({ b: tooLong });
  });

  const refusalOf = (text: string): string | null => scanJson(text, 32).refusal;

  it('counts depth without recursion', () => {
    expect(refusalOf('['.repeat(32) + ']'.repeat(32))).toBeNull();
    expect(refusalOf('['.repeat(33))).toBe('must not nest deeper than 32 levels');
    expect(refusalOf('{"a":'.repeat(40_000))).toBe('must not nest deeper than 32 levels');
    expect(refusalOf(`{"a":"${'['.repeat(40)}"}`)).toBeNull();
    expect(refusalOf('[[],[],{}]'.repeat(100))).toBeNull();
  });

  it('stops at more names in an object, and more values in a text, than any valid body has', () => {
    const names = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`;
    expect(refusalOf(`[${names(2_000)},${names(2_000)}]`)).toBeNull();
    expect(refusalOf(`[${names(2_000)},${names(2_001)}]`)).toBe('must not hold an object of more than 2000 names');
    expect(refusalOf(`[${'{},'.repeat(199_999)}1]`)).toBeNull();
    expect(refusalOf(`[${'{},'.repeat(200_000)}1]`)).toBe('must not hold more than 200000 values');
  });

  it('refuses a text and a list element that are longer than any single body', () => {
    const listOf = (text: string): JsonScanner => {
      const scanner = new JsonScanner(text, 32, 'items');
      while (scanner.step());
      return scanner;
    };
    const longest = 'x'.repeat(256 * 1024 - 1);
    expect(refusalOf(`["${longest}"]`)).toBeNull();
    expect(refusalOf(`["${longest}xx"]`)).toBe('must not hold a text of more than 262144 characters');
    expect(refusalOf(`["${'\\"'.repeat(200_000)}`)).toBe('must not hold a text of more than 262144 characters');
    const itemOf = (length: number): string => `[${'1,'.repeat(length / 2 - 2)}1 ]`;
    const many = `{"items":[${itemOf(262_144)},${itemOf(262_144)},1]}`;
    expect(listOf(many).result.refusal).toBe('must not hold more than 200000 values');
    expect(listOf(`{"items":[${itemOf(262_144)}]}`).result.refusal).toBeNull();
    expect(listOf(`{"items":[1,${itemOf(262_146)}]}`).result.refusal).toBe(
      'must not hold an item of more than 262144 characters',
    );
  });

  it('finds the elements of a list in the outermost object', () => {
    const listIn = (text: string) => {
      const scanner = new JsonScanner(text, 32, 'items');
      while (scanner.step());
      return scanner.list;
    };
    expect(listIn('{"a":[1],"items":[1,[2,3],{"items":[4]}]}')).toEqual({ from: 18, to: 39, commas: [19, 25] });
    expect(listIn('{"\\u0069tems":[]}')).toEqual({ from: 15, to: 15, commas: [] });
    for (const text of ['[{"items":[1]}]', '{"a":{"items":[1]}}', '{"items":{"a":[1]}}', '{"items":[1']) {
      expect(listIn(text)).toBeNull();
    }
  });

  it('cuts long names in paths and stops after a hundred problems', () => {
    const long = 'x'.repeat(5000);
    expect(Object.keys(problems(`{"${long}":1e999}`))).toEqual([`${'x'.repeat(100)}…`]);
    const scanOf = (count: number) => scanJson(`[${'1e999,'.repeat(count)}0]`, 32);
    expect(scanOf(100).errors.size).toBe(100);
    expect(scanOf(100).isComplete).toBe(true);
    expect(scanOf(101).errors.size).toBe(100);
    expect(scanOf(101).isComplete).toBe(false);
    expect(scanJson('['.repeat(33), 32).isComplete).toBe(false);
  });
});

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
  it('accepts exact literals and refuses those that would be rounded', () => {
    const exact = [
      ...['0', '-0', '0.0', '0e999', '0.000e-999', '1.50', '1E+3', '0.1', '-12.5e-1', '5e-324', '9007199254740992'],
      ...['100000000000000000000', '1.7976931348623157e308', '0.30000000000000004', '0.1000000000000000000000000'],
      ...[`1${'0'.repeat(300)}`, `0.${'0'.repeat(300)}1e301`, `1${'0'.repeat(400)}e-400`],
    ];
    const rounded = [
      ...['1.0000000000000001', '9007199254740993', '999999999999.99998', '-1.0000000000000001', '4e-324'],
      ...['0.1000000000000000055511151231257827', `1${'0'.repeat(30)}1`, '123456789012345678'],
    ];
    expect(exact.filter((literal) => findNumberFault(literal) !== null)).toEqual([]);
    expect(rounded.filter((literal) => findNumberFault(literal) !== tooLong)).toEqual([]);
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
      { numRuns },
    );
    expect(refused).toBeGreaterThan(numRuns / 50);
  });

  it('takes time proportional to the length of the literal', () => {
    const startedAt = process.cpuUsage();
    for (const middle of ['0', '1', '10']) {
      expect(findNumberFault(`0.1${middle.repeat(200_000)}1`)).toBe(tooLong);
    }
    expect(process.cpuUsage(startedAt).user).toBeLessThan(500_000);
  });
});
