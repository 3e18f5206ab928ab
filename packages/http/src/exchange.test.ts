import { ErrorCollector, Failure, type FailureReason } from '@crm/domain';
import { propertyRuns } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Exchange } from './exchange.js';
import type { JsonPart } from './operation.js';
import { parseJsonBody } from './request/body.js';
import { readQuery } from './request/query.js';
import { toApiError } from './response/errors.js';
import { jsonBytes } from './response/reply.js';

const numRuns = propertyRuns({ short: 100, soak: 5_000 });

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
  it('equals the body parsed at once, and is refused exactly if its text is not JSON', () => {
    const mark = fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', ' ', '1', 'x');
    let refused = 0;
    fc.assert(
      fc.property(itemsText, fc.nat(), fc.nat({ max: 1 }), mark, (text, place, removed, added) => {
        const at = place % text.length;
        const changed = text.slice(0, at) + added + text.slice(at + removed);
        fc.pre(!/(?:\d\.?){15}/.test(changed));
        const expected = outcomeOf(() => parseAtOnce(changed));
        const found = outcomeOf(() => parseAll(changed));
        // Changes that give a name twice are refused too.
        if (found === 'refused' && expected !== 'refused') expect(changed).toMatch(/"(.*)":.*"\1":/s);
        else expect(found).toEqual(expected);
        if (found === 'refused') refused += 1;
      }),
      { numRuns },
    );
    expect(refused).toBeGreaterThan(numRuns / 10);
    expect(refused).toBeLessThan(numRuns);
  });

  it('has no empty items', () => {
    expect(parseAll('{"items":[ ]}')).toEqual({ items: [] });
    for (const items of ['[,]', '[1,]', '[,1]', '[1,,2]', '[1 2]', '[1},{2]']) {
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

const read = (text: string): { query: unknown; errors: unknown } => {
  const errors = new ErrorCollector();
  const query = { ...readQuery(text, errors, new Set(['q', 'cursor', 'limit'])) };
  try {
    errors.throwIfAny();
  } catch (error) {
    return { query, errors: (error as { errors: unknown }).errors };
  }
  return { query, errors: null };
};

describe('reading a query', () => {
  it('decodes escapes and plus signs and keeps limit as text', () => {
    expect(read('q=a%20b+c&limit=1e2&stage_id=%C3%A9')).toEqual({
      query: { q: 'a b c', limit: '1e2', stage_id: 'é' },
      errors: null,
    });
  });

  it('collects fields from commas, repetition and brackets', () => {
    const fields = ['a', 'b', 'c', 'd'];
    expect(read('fields=a,b&fields=c&fields[]=d').query).toEqual({ fields });
    expect(read('fields%5B%5D=a&fields%5B%5D=b%2C+c,d').query).toEqual({ fields });
    expect(read('fields[0]=a&fields[1]=b,c&fields%5B10%5D=d').query).toEqual({ fields });
    expect(read('changed[0]=a&changed[]=b').query).toEqual({ changed: ['a', 'b'] });
    expect(read('fields=').query).toEqual({});
    expect(read('limit[0]=1').query).toEqual({ 'limit[0]': '1' });
  });

  it('treats a blank parameter as absent if the operation has it', () => {
    expect(read('q=+&cursor=&limit=%E2%80%8B&other=')).toEqual({ query: { other: '' }, errors: null });
  });

  it('refuses U+0000 and a parameter given twice, even blank', () => {
    expect(read('q=a%00').errors).toEqual({ q: 'must not contain U+0000' });
    expect(read('limit=1&limit=2').errors).toEqual({ limit: 'is given twice' });
    expect(read('q=&q=a').errors).toEqual({ q: 'is given twice' });
  });

  it.each([
    ['%', ': send % as %25'],
    ['100%', ': send % as %25'],
    ['%zz', ': send % as %25'],
    ['%ff', ''],
    ['%ed%a0%80', ''],
    ['\u00c3\u00a9', ': send é as %C3%A9'],
    ['a\u00f0\u009f\u0098\u0080', ': send 😀 as %F0%9F%98%80'],
    ['\u00e9', ''],
  ])('refuses the escape %j in values and names, and says how to send it', (broken, hint) => {
    expect(read(`q=${broken}`).errors).toEqual({ q: `must be percent-encoded UTF-8${hint}` });
    expect(read(`${broken}=1`).errors).toEqual({ query: 'has a parameter name that is not percent-encoded UTF-8' });
  });

  it('is safe against names of prototypes', () => {
    const errors = new ErrorCollector();
    const query = readQuery('__proto__=1&constructor=2&toString', errors);
    expect(Object.getPrototypeOf(query)).toBeNull();
    expect(Object.keys(query)).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

const bytes = (text: string): Buffer => Buffer.from(text);
it.each<[FailureReason['kind'], number, string | undefined]>([
  ['idempotency_in_flight', 409, '1'],
  ['unavailable', 503, '1'],
  // Only with `errors`, which say what to change, would the same request time out again.
  ['timeout', 503, '1'],
])('%s gets %d with Retry-After %p', (kind, status, seconds) => {
  const error = toApiError(new Failure({ kind } as FailureReason));
  expect([error.status, error.code]).toEqual([status, kind]);
  expect(error.headers?.['Retry-After']).toBe(seconds);
});

it.each<[string, readonly JsonPart[], string]>([
  ['nothing', [], ''],
  ['an empty list', ['[', [], ']'], '[]'],
  ['several records, one of them empty', ['[', [bytes('1'), bytes(''), bytes('"ü€😀"')], ']'], '[1,,"ü€😀"]'],
  ['bytes and texts of several bytes per character', ['"ü"', bytes(',"😀",'), '"\ud800"'], '"ü","😀","\ufffd"'],
  ['several lists', [[bytes('1'), bytes('2')], ';', [bytes('3')]], '1,2;3'],
  ['views of one buffer', [[bytes('abc').subarray(1, 2), bytes('abc').subarray(2)]], 'b,c'],
])('JSON made of %s is joined to bytes', (_, parts, expected) => {
  expect(jsonBytes(parts).toString()).toBe(expected);
});

describe('the resources of an exchange', () => {
  const createExchange = () => {
    const exchange = new Exchange('id', '/', '');
    const released: string[] = [];
    exchange.whenOver(() => void released.push('first'));
    return { exchange, released };
  };

  it('are released once, when the answer is read', async () => {
    const { exchange, released } = createExchange();
    await exchange.work(() => Promise.resolve());
    expect(released).toEqual([]);
    exchange.close();
    exchange.close();
    expect(released).toEqual(['first']);
  });

  it('are held until the work ends, even if the caller hangs up before or the work fails', async () => {
    const { exchange, released } = createExchange();
    let fail = (_error: Error): void => undefined;
    const outer = exchange.work(async () => {
      await exchange.work(() => Promise.resolve());
      await new Promise((_resolve, reject) => (fail = reject));
    });
    exchange.close();
    await new Promise(setImmediate);
    expect(released).toEqual([]);
    fail(new Error('no'));
    await expect(outer).rejects.toThrow('no');
    expect(released).toEqual(['first']);
  });

  it('are released at once if the caller is gone and no work is running', () => {
    const { exchange, released } = createExchange();
    exchange.close();
    exchange.whenOver(() => void released.push('second'));
    expect(released).toEqual(['first', 'second']);
  });
});
