import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonBody } from './body.js';

const parseAll = (text: string): unknown => {
  const steps = parseJsonBody(Buffer.from(text), true);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value.value;
  }
};

/** The result of `work`, or the message of its error. */
const outcomeOf = (work: () => unknown): unknown => {
  try {
    return { value: work() };
  } catch {
    return 'refused';
  }
};

const isPlainObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The result of parsing the same text at once. */
const parseAtOnce = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value)) throw new Error('no object');
  return value;
};

const itemsText = fc
  .record({ items: fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 5 }), rest: fc.jsonValue({ maxDepth: 2 }) })
  .chain(({ items, rest }) =>
    fc.constantFrom({ items }, { items, rest }, { rest, items }, { rest: { items } }, { items: { items } }),
  )
  .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 2)))
  // Skips texts that the scan rejects.
  .filter((text) => !/__proto__|constructor|prototype|\\u|e[+-]?\d|(?:\d\.?){15}/i.test(text));

describe('a bulk body that is parsed one item at a time', () => {
  it('equals the body parsed at once', () => {
    fc.assert(
      fc.property(itemsText, (text) => {
        expect(parseAll(text)).toEqual(parseAtOnce(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused exactly if its text is not JSON', () => {
    const mark = fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', ' ', '1', 'x');
    let refused = 0;
    fc.assert(
      fc.property(itemsText, fc.nat(), fc.nat({ max: 1 }), mark, (text, place, removed, added) => {
        const at = place % text.length;
        const changed = text.slice(0, at) + added + text.slice(at + removed);
        const expected = outcomeOf(() => parseAtOnce(changed));
        fc.pre(!/(?:\d\.?){15}/.test(changed));
        const found = outcomeOf(() => parseAll(changed));
        // Changes that give a name twice are refused too.
        if (found === 'refused' && expected !== 'refused') expect(changed).toMatch(/"(.*)":.*"\1":/s);
        else expect(found).toEqual(expected);
        if (found === 'refused') refused += 1;
      }),
      { numRuns: 5_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('has no empty items', () => {
    expect(parseAll('{"items":[ ]}')).toEqual({ items: [] });
    for (const items of ['[,]', '[1,]', '[,1]', '[1,,2]', '[1 2]', '[}', '[{]', '[1},{2]']) {
      expect(() => parseAll(`{"items":${items}}`)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
    }
  });

  it('is refused if the text outside its items exceeds the limits of other bodies', () => {
    const text = `{"items":[],"other":[${'1,'.repeat(140_000)}1]}`;
    expect(() => parseAll(text)).toThrow(
      expect.objectContaining({ errors: { body: 'must not hold more than 262144 characters outside of its items' } }),
    );
  });
});
