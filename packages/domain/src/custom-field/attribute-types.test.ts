import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter, propertyRuns } from '../../tests/random.js';
import { definitionOf, stageOptions } from '../../tests/definition-fixture.js';
import { attributeTypes, type AttributeType, parseCustomValue } from './attribute-types.js';
import { comparisonKey, normalizedForm, slotKind } from './comparison.js';
import type { CustomValue, CustomValueReferences } from './custom-value.js';
import type { FieldMetadata } from './definition.js';
import { maxAccountWebsiteLength, maxLocationPartLength, maxStringLength } from './values/bounds.js';
import { parseAccountWebsite } from './values/web-address.js';

const numRuns = propertyRuns({ short: 20, soak: 500 });
const ann = '01920000-0000-7000-8000-00000000000a';
const carl = '01920000-0000-7000-8000-00000000000c';
const bob = '01920000-0000-7000-8000-00000000000b';
const members = new Map([ann, bob].map((id) => [id, id])).set('ann@acme.com', ann).set('bob@acme.com', bob);
const references: CustomValueReferences = { findMemberId: (idOrEmail) => members.get(idOrEmail) };
const stages: FieldMetadata = { options: stageOptions };

const parse = (type: AttributeType, input: unknown, metadata = stages) =>
  parseCustomValue(definitionOf(type, { metadata }), input, references);

it('accepts an international host however many addresses were read before', () => {
  for (let index = 0; index < 3_000; index += 1) parse('url', `https://host-${index}.example/`);
  expect(parse('url', 'https://müller.example/')).toEqual({ ok: true, value: 'https://xn--mller-kva.example/' });
});

const place = { address: null, city: null, region: null, postal_code: null, country: null, lat: null, lng: null };

const accepted: readonly (readonly [AttributeType, unknown, unknown])[] = [
  ['string', ' kept as it is \n', ' kept as it is \n'],
  ['string', '', ''],
  ['string', '😀'.repeat(10_000), '😀'.repeat(10_000)],
  ['number', 12.5, 12.5],
  ['number', -0, 0],
  ['number', 1e-15, 1e-15],
  ['currency', 0.0001, 0.0001],
  ['currency', -1234.5678, -1234.5678],
  ['currency', 999_999_999_999_999, 999_999_999_999_999],
  ['currency', 99_999_999_999.9999, 99_999_999_999.9999],
  ['percentage', -250, -250],
  ['rating', 5, 5],
  ['checkbox', false, false],
  ['date', '2026-02-28', '2026-02-28'],
  ['date', Date.UTC(2026, 11, 31), '2026-12-31'],
  ['date', Date.UTC(1960, 0, 1), '1960-01-01'],
  ['date', '2026-01-05T00:00:00.000Z', '2026-01-05'],
  ['date', '2026-01-05T00:00:00.000+0000', '2026-01-05'],
  ['date', '1970-01-01 00:00:00Z', '1970-01-01'],
  ['date', '2026-01-05T00:00:00', '2026-01-05'],
  ['date', '2026-01-05 00:00', '2026-01-05'],
  ['datetime', '2026-02-28T09:30:00+01:00', '2026-02-28T08:30:00.000Z'],
  ['timestamp', '2026-01-01T00:00:01Z', Date.UTC(2026, 0, 1, 0, 0, 1)],
  ['time', '09:30', '09:30:00'],
  ['date_range', { start: '2026-01-01', end: '2026-01-01' }, { start: '2026-01-01', end: '2026-01-01' }],
  ['date_range', { start: Date.UTC(2026, 0, 1) }, { start: '2026-01-01', end: null }],
  ['date_range', { start: null, end: '2026-01-01' }, { start: null, end: '2026-01-01' }],
  ['select', 'hot', 'hot'],
  ['select', 'Hot', 'hot'],
  ['radio', 'Warm', 'warm'],
  ['multi_select', ['Hot', 'cold', 'hot', 'warm'], ['warm', 'cold', 'hot']],
  ['team_members', ['BOB@Acme.com', ann.toUpperCase(), bob], [bob, ann]],
  ['location', ' 1 Main St ', { ...place, address: '1 Main St', formatted: '1 Main St' }],
  [
    'location',
    { city: 'Berlin', country: 'DE', region: ' ' },
    { ...place, city: 'Berlin', country: 'DE', formatted: 'Berlin, DE' },
  ],
  ['location', { lat: 52.52, lng: -13.4 }, { ...place, lat: 52.52, lng: -13.4, formatted: '52.52, -13.4' }],
  ['location', { city: 'Berlin', formatted: 'Berlin' }, { ...place, city: 'Berlin', formatted: 'Berlin' }],
  ['email', ' Ann+crm@ACME.com. ', 'ann+crm@acme.com'],
  ['phone', '+1 (415) 555-01.23', '+14155550123'],
  ['phone', ' 0800 CALL ANN ', '0800 CALL ANN'],
  ['website', 'WWW.Example.COM.', 'www.example.com'],
  ['website', 'example.com/About?x=1#y', 'example.com/About?x=1#y'],
  ['website', 'münchen.de:8080', 'xn--mnchen-3ya.de:8080'],
  ['website', 'HTTPS://Example.com', 'https://example.com/'],
  ['url', 'http://Example.com:80/a%20b', 'http://example.com/a%20b'],
  ['url', 'https://10.0.0.1:8443/x?q=ü', 'https://10.0.0.1:8443/x?q=%C3%BC'],
];

const refused: readonly (readonly [AttributeType, unknown, string])[] = [
  ['string', 12, 'must be a string'],
  ['string', '\ud800', 'surrogate'],
  ['string', 'a'.repeat(10_001), 'at most 10000 characters'],
  ['number', '12', 'must be a number'],
  ['number', 1234567890123456, 'at most 15 digits'],
  ['number', 0.1 + 0.2, 'at most 15 digits'],
  ['number', 1e-16, 'at most 15 decimals'],
  ['number', NaN, 'must be a number'],
  ['number', Infinity, 'must be a number'],
  ['currency', 1e15, 'at most 15 digits'],
  ['currency', 1.5e300, 'at most 15 digits'],
  ['currency', 123_456_789_012_345.6, 'at most 15 digits'],
  ['currency', 0.000_01, 'at most 4 decimals'],
  ['currency', 1.5e-7, 'at most 4 decimals'],
  ['percentage', '50%', 'must be a number'],
  ['rating', 5.5, 'from 0 to 5'],
  ['checkbox', 'true', 'true or false'],
  ['date', '2026-02-30', 'YYYY-MM-DD'],
  [
    'date',
    1_798_675_200,
    'looks like seconds, 2026-12-31T00:00:00Z; as Unix milliseconds it is 1970-01-21T19:37:55.200Z',
  ],
  ['date', 0, 'may mean 1970-01-01 or no date'],
  ['date', Date.parse('2026-12-31T00:00:00+09:00'), 'within 2026-12-30 in UTC, but 2026-12-31 in other time zones'],
  ['date', Date.parse('2026-12-31T00:00:00-05:00'), 'within 2026-12-31 in UTC, but 2026-12-30 in other time zones'],
  ['date', -62_135_596_799_999, 'is 0001-01-01T00:00:00.001Z, a time within 0001-01-01 in UTC: send'],
  [
    'date',
    '2026-12-31T00:00:00+09:00',
    'is 2026-12-30T15:00:00Z, a time within 2026-12-30 in UTC, but 2026-12-31 in other',
  ],
  [
    'date',
    '2026-12-30T15:00:00-09:00',
    'is 2026-12-31T00:00:00Z, a time within 2026-12-31 in UTC, but 2026-12-30 in other',
  ],
  ['date', '2026-12-31T00:00:01Z', 'a time within 2026-12-31 in UTC, but 2026-12-30 in other time zones'],
  ['date', '2026-12-31T10:00:00', 'YYYY-MM-DD'],
  ['date', '2026-02-30T00:00:00Z', 'YYYY-MM-DD'],
  ['datetime', '2026-02-28', 'RFC 3339'],
  ['datetime', 1_798_675_200, 'looks like seconds'],
  ['datetime', -1, 'looks like seconds'],
  ['date_range', { start: 1_798_675_200 }, 'start: looks like seconds'],
  ['date_range', { end: Date.parse('2026-12-31T00:00:00+09:00') }, 'end: is 2026-12-30T15:00:00Z'],
  ['timestamp', '0', 'RFC 3339'],
  ['time', '24:00', 'HH:MM'],
  ['date_range', { start: '2026-01-02', end: '2026-01-01' }, 'not after'],
  ['date_range', { start: null, end: null }, 'start or an end'],
  ['date_range', { start: '2026-02-30' }, 'start: must be'],
  ['date_range', { start: '2026-01-01', finish: null }, '"finish"'],
  ['select', 'tepid', 'must be one of: warm, cold, hot, other_1, other_2, chilly'],
  ['select', 'Other', 'several options; use one value of: other_1, other_2'],
  ['select', ['hot'], 'must be a string'],
  ['radio', 1, 'must be a string'],
  ['multi_select', 'hot', 'must be an array'],
  ['multi_select', ['hot', 'tepid'], 'entry 1: "tepid"'],
  ['multi_select', Array.from({ length: 501 }, () => 'hot'), 'at most 500'],
  ['team_members', ann, 'must be an array'],
  ['team_members', ['carl@acme.com'], 'entry 0: "carl@acme.com" is not a member'],
  ['team_members', Array.from({ length: 101 }, () => ann), 'at most 100'],
  ['location', { city: ' ' }, 'at least one part'],
  ['location', { lat: 1 }, 'both lat and lng'],
  ['location', { lat: 91, lng: 0 }, 'lat: must be a number from -90 to 90'],
  ['location', { lat: NaN, lng: 0 }, 'lat: must be'],
  ['location', { city: 5 }, 'city: must be a string'],
  ['location', { city: 'x'.repeat(1_001) }, 'city: must have at most 1000'],
  ['location', { city: 'Berlin', formatted: 'Paris' }, 'formatted'],
  ['location', JSON.parse('{"__proto__": {"city": "Berlin"}}'), '"__proto__"'],
  ['email', 'Ann <ann@acme.com>', ''],
  ['phone', ' \u200b\u2060\ufeff', 'must not be blank'],
  ['phone', '1'.repeat(10_001), 'at most 10000'],
  ['website', 'localhost', 'host name'],
  ['website', 'javascript:alert(1)', 'host name'],
  ['website', 'ftp://example.com', 'http'],
  ['url', 'example.com', 'absolute'],
  ['url', 'javascript:alert(1)', 'absolute'],
  ['url', 'https://user:secret@example.com', 'password'],
  ['url', 'https://exa\tmple.com', 'white space'],
  ['url', 'https://example.com\\@evil.com', 'backslashes'],
  ['url', `https://example.com/${'ü'.repeat(5_000)}`, 'when encoded'],
];

/** Accepted for a record that has `part` already. */
const kept: readonly (readonly [AttributeType, unknown, unknown, unknown, string])[] = [
  ['select', 'lost', 'lost', 'lost', 'archived'],
  ['select', 'Lost', 'lost', 'lost', 'archived'],
  ['multi_select', ['hot', 'lost'], ['hot', 'lost'], ['lost'], 'entry 1: "lost" is an archived option'],
  ['rating', 6, 6, 6, 'from 0 to 5'],
  ['timestamp', 1000, 1000, 1000, 'looks like seconds'],
  ['timestamp', 0, 0, 0, 'may mean 1970-01-01 or no date'],
  ['team_members', [ann, carl.toUpperCase()], [ann, carl], [carl], 'entry 1: '],
];

describe('parseCustomValue', () => {
  it.each(kept)('reads a %s from %j if the record has it already', (type, input, value, part, message) => {
    const parsed = parse(type, input);
    expect(parsed).toEqual({ ok: true, value, ifStored: { part, message: expect.stringContaining(message) } });
    expect(parse(type, value)).toMatchObject({ ok: true, value, ifStored: { part } });
  });

  it.each(accepted)('reads a %s from %j, and what it stores unchanged', (type, input, stored) => {
    expect(parse(type, input)).toEqual({ ok: true, value: stored });
    expect(parse(type, JSON.parse(JSON.stringify(stored)))).toEqual({ ok: true, value: stored });
  });

  it.each(accepted)('gives a %s a comparison key exactly if the type has a slot (%j)', (type, _input, stored) => {
    const definition = definitionOf(type, { metadata: stages });
    const key = comparisonKey(definition, stored as CustomValue);
    const kind = { string: 'text', number: 'number', object: null }[typeof key as 'string' | 'number' | 'object'];
    expect(kind).toBe(slotKind(type));
    const normalized = normalizedForm(definition, stored as CustomValue);
    if (typeof normalized === 'string') expect(normalized).toBe(key);
  });

  it.each(refused)('refuses a %s %j', (type, input, message) => {
    expect(parse(type, input)).toEqual({ ok: false, message: expect.stringContaining(message) });
  });

  it('has examples of every type, none of which takes null or undefined', () => {
    for (const examples of [accepted, refused]) {
      expect(new Set(examples.map(([type]) => type))).toEqual(new Set(attributeTypes));
    }
    for (const type of attributeTypes)
      expect([parse(type, null).ok, parse(type, undefined).ok]).toEqual([false, false]);
  });

  it('writes an option with the label of an archived one', () => {
    const metadata = {
      options: [
        { label: 'Hot', value: 'hot_1', color: 'red', archived: true },
        { label: 'Hot', value: 'hot_2', color: 'red' },
      ],
    };
    expect(parse('select', 'Hot', metadata)).toEqual({ ok: true, value: 'hot_2' });
  });

  it('keeps the error text about unknown options short, however many and long they are', () => {
    const metadata = {
      options: Array.from({ length: 500 }, (_, index) => ({
        label: `Option ${index}`,
        value: `option_${index}_${'x'.repeat(index === 0 ? 240 : 0)}`,
        color: 'gray',
      })),
    };
    const parsed = parse('select', 'y'.repeat(100_000), metadata);
    expect(parsed.ok).toBe(false);
    expect(parsed.ok ? '' : parsed.message).toMatch(/^"y{80}…" .* and \d{3} more$/);
    expect(parsed.ok ? '' : parsed.message.length).toBeLessThan(600);
  });
});

/** Texts just within or just over a limit, which become longer or shorter when they are normalized. */
const nearBound = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .record({
      prefix: fc.constantFrom('', 'x.com/', 'x.com?', 'https://x.com/', 'https://x.com#', '+4930', ' '),
      unit: fc.constantFrom('a', 'ü', '😀', '"', '%', '1', '/../', 'e\u0301', '\u0958', 'ﬁ', ' ', '-'),
      share: fc.constantFrom(1, 2, 3, 4, 6, 12),
      more: fc.integer({ min: -20, max: 20 }),
    })
    .map(
      ({ prefix, unit, share, more }) => `${prefix}${unit.repeat(Math.max(1, Math.floor(maxLength / share) + more))}`,
    );

describe('every accepted text near the limit of its type', () => {
  it.each<[AttributeType, number, (text: string) => unknown]>([
    ['string', maxStringLength, (text) => text],
    ['phone', maxStringLength, (text) => text],
    ['website', maxStringLength, (text) => text],
    ['url', maxStringLength, (text) => text],
    ['email', 254, (text) => `${text}@x.com`],
    ['location', maxLocationPartLength, (text) => text],
    ['location', maxLocationPartLength, (text) => ({ address: text, city: text, country: text })],
  ])('of type %s parses back to itself (limit %i)', (type, maxLength, make) => {
    fc.assert(
      fc.property(nearBound(maxLength).map(make), (input) => {
        const first = parse(type, input);
        if (first.ok) expect(parse(type, first.value)).toEqual(first);
      }),
      { numRuns },
    );
  });

  it('parses back to itself as the website of an account', () => {
    fc.assert(
      fc.property(nearBound(maxAccountWebsiteLength), (input) => {
        const first = parseAccountWebsite(input);
        if (first.ok) expect(parseAccountWebsite(first.value)).toEqual(first);
      }),
      { numRuns },
    );
    const encoded = (count: number) => parseAccountWebsite(`x.com/${'ü'.repeat(count)}`);
    expect(encoded(340)).toEqual({ ok: true, value: `x.com/${'%C3%BC'.repeat(340)}` });
    expect(encoded(341)).toEqual({ ok: false, message: 'must have at most 2048 characters when encoded' });
  });
});

it('no input makes a parser throw or its error long', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...attributeTypes),
      fc.oneof(fc.anything(), fc.string({ unit: anyCharacter, maxLength: 40 })),
      (type, input) => {
        const parsed = parse(type, input);
        if (!parsed.ok) expect(parsed.message.length).toBeLessThan(600);
      },
    ),
    { numRuns: 10 * numRuns },
  );
});
