import { describe, expect, it } from '@jest/globals';
import { toJson } from './to-json.js';

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;
const shared = { amount: 1 };

describe('a body as JSON', () => {
  it.each<[body: unknown, json: string]>([
    [{ name: 'A', amount: 12.5, gone: undefined, none: null }, '{"name":"A","amount":12.5,"none":null}'],
    [{ close_date: new Date('2026-12-31T00:00:00Z') }, '{"close_date":1798675200000}'],
    [{ custom__seen: new Date(5) }, '{"custom__seen":5}'],
    [[shared, shared], '[{"amount":1},{"amount":1}]'],
    [{ text: Object('a') as unknown, count: Object(2) as unknown }, '{"text":"a","count":2}'],
    [{ url: new URL('https://acme.com/') }, '{"url":"https://acme.com/"}'],
    [Object.assign(Object.create(null) as object, { a: [] }), '{"a":[]}'],
  ])('%j is sent as %s', (body, json) => {
    expect(toJson(body)).toBe(json);
  });

  it.each<[body: unknown, message: string]>([
    [{ opportunity: { amount: Number('12,000') } }, 'opportunity.amount is NaN, which JSON cannot carry'],
    [{ items: [{ amount: 1 }, { amount: Infinity }] }, 'items[1].amount is Infinity, which JSON cannot carry'],
    [{ boxed: Object(Number.NaN) as unknown }, 'boxed is NaN'],
    [[-Infinity], '[0] is -Infinity, which JSON cannot carry'],
    [{ custom_fields: { seats: 5n } }, 'custom_fields.seats is a BigInt'],
    [{ tags: ['a', undefined] }, 'tags[1] is undefined'],
    [{ set: new Set(['a']) }, 'set is a Set'],
    [{ bytes: new Uint8Array(2) }, 'bytes is a Uint8Array'],
    [{ wait: Promise.resolve(1) }, 'wait is a Promise'],
    [{ make: () => 1 }, 'make is a function'],
    [{ one: Symbol('x') }, 'one is a symbol'],
    [{ seen: new Date('never') }, 'seen is an invalid Date'],
    [Number.NaN, 'the body is NaN'],
    [cyclic, 'circular'],
  ])('%p is refused: %s', (body, message) => {
    expect(() => toJson(body)).toThrow(TypeError);
    expect(() => toJson(body)).toThrow(message);
  });

  it('shows both readings of a day that is not a midnight in UTC', () => {
    const date = new Date('2026-12-30T12:00:00Z');
    const local = `${date.getFullYear()}-12-${date.getDate()}`;
    expect(() => toJson({ opportunity: { close_date: date } })).toThrow(
      `opportunity.close_date is a day, but 2026-12-30T12:00:00.000Z is not a midnight in UTC: send '2026-12-30' (in UTC) or '${local}' (here)`,
    );
  });
});
