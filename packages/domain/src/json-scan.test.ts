import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonScanner, scanJson } from './json-scan.js';

const problems = (text: string): Record<string, string> => Object.fromEntries(scanJson(text, 32).errors);

describe('scanning JSON', () => {
  it('finds no fault in the output of a JSON writer', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        // A generated name may be one of the refused ones, and a text may contain U+0000.
        fc.pre(!/__proto__|constructor|prototype|\\u0000|\\ud/i.test(text));
        expect(scanJson(text, 32)).toEqual({ refusal: null, errors: new Map(), isComplete: true });
        expect(scanJson(JSON.stringify(value, null, 2), 32).errors.size).toBe(0);
      }),
      { numRuns: 2000 },
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
      { numRuns: 5000 },
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

  it('refuses numbers that overflow, become 0 or lose digits', () => {
    expect(problems('{"a":1e400,"b":-1E+999,"c":[1e-400]}')).toEqual({
      a: 'is too large a number',
      b: 'is too large a number',
      'c[0]': 'is too small a number',
    });
    const lost = 'has more digits than a number can hold: send at most 15 significant digits';
    expect(problems('{"a":999999999999.99998,"b":123456789012345678,"c":[{"d":1.0000000000000001}]}')).toEqual({
      a: lost,
      b: lost,
      'c[0].d': lost,
    });
    expect(
      problems('{"a":0.1000000000000000000,"b":1e20,"c":0.30000000000000004,"d":0.0e999,"e":100000000000000000000}'),
    ).toEqual({});
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

  it('refuses numbers of more than a thousand characters', () => {
    const lost = 'has more digits than a number can hold: send at most 15 significant digits';
    expect(problems(`{"a":0.${'0'.repeat(998)}}`)).toEqual({});
    expect(problems(`{"a":0.${'0'.repeat(999)}}`)).toEqual({ a: lost });
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
