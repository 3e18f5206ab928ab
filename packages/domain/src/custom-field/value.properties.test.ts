import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter, propertyRuns } from '../../tests/random.js';
import { definitionOf, stageOptions } from '../../tests/definition-fixture.js';
import { maxEpochMs, minEpochMs } from './calendar.js';
import { comparisonKey, normalizedForm, slotKind } from './comparison.js';
import { attributeTypes, type AttributeType } from './definition.js';
import { parseCustomValue } from './value.js';
import { maxAccountWebsiteLength, maxLocationPartLength, maxStringLength } from './values/bounds.js';
import { parseAccountWebsite } from './values/web-address.js';

const memberIds = ['01920000-0000-7000-8000-00000000000a', '01920000-0000-7000-8000-00000000000b'];
const references = { findMemberId: (id: string) => (memberIds.includes(id) ? id : undefined) };
const numRuns = propertyRuns({ short: 20, soak: 500 });

const text = fc.string({ unit: anyCharacter, maxLength: 40 });
const epochMs = fc.integer({ min: minEpochMs, max: maxEpochMs });
const instant = fc.oneof(
  epochMs,
  epochMs.map((ms) => new Date(ms).toISOString().replace('Z', '+01:00')),
);
const day = fc.oneof(
  epochMs,
  epochMs.map((ms) => new Date(ms).toISOString().slice(0, 10)),
);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.integer().map((n) => n / 100),
);
const optionText = fc.constantFrom(...stageOptions.flatMap(({ label, value }) => [label, value]));
const part = fc.option(text);
const pathText = fc.oneof(fc.webPath(), text);
const host = fc.oneof(fc.domain(), fc.constantFrom('WWW.Example.com.', 'münchen.de', 'a.b:443', 'a.b:81'));
const degrees = fc.option(fc.double({ min: -95, max: 95 }));

/** Inputs of which many are accepted. Refused inputs say nothing about the property. */
const inputs: Readonly<Record<AttributeType, fc.Arbitrary<unknown>>> = {
  string: text,
  number,
  checkbox: fc.boolean(),
  date: day,
  date_range: fc.record({ start: fc.option(day), end: fc.option(day) }, { requiredKeys: [] }),
  rating: fc.integer({ min: -1, max: 6 }),
  timestamp: instant,
  select: optionText,
  multi_select: fc.array(optionText),
  currency: number,
  percentage: number,
  location: fc.oneof(
    text,
    fc.record({
      address: part,
      city: part,
      region: part,
      postal_code: part,
      country: part,
      lat: degrees,
      lng: degrees,
    }),
  ),
  time: epochMs.map((ms) => new Date(ms).toISOString().slice(11, ms % 2 === 0 ? 16 : 19)),
  datetime: instant,
  email: fc.emailAddress(),
  phone: fc.oneof(
    text,
    fc.string({ unit: fc.constantFrom(...Array.from('0123456789 .-()')), maxLength: 22 }).map((digits) => `+${digits}`),
  ),
  website: fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.tuple(host, pathText).map(([name, path]) => `${name}/${path}`),
    fc.tuple(host, text).map(([name, rest]) => `${name}?${rest}`),
    fc.tuple(text, fc.constant('.com')).map((parts) => parts.join('')),
  ),
  url: fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc
      .tuple(fc.constantFrom('http://', 'HTTPS://'), host, pathText)
      .map(([scheme, name, path]) => `${scheme}${name}/${path}`),
    text.map((rest) => `https://${rest}`),
  ),
  radio: optionText,
  team_members: fc.array(fc.constantFrom(...memberIds, ...memberIds.map((id) => id.toUpperCase()))),
};

const definition = (type: AttributeType) =>
  definitionOf(type, { metadata: type === 'rating' ? null : { options: stageOptions } });

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
        const first = parseCustomValue(definition(type), input, references);
        if (first.ok) expect(parseCustomValue(definition(type), first.value, references)).toEqual(first);
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

describe('every accepted value', () => {
  it.each(attributeTypes)('of type %s survives JSON, parses back to itself and has a key if it has a slot', (type) => {
    let acceptedCount = 0;
    fc.assert(
      fc.property(inputs[type], (input) => {
        const first = parseCustomValue(definition(type), input, references);
        if (!first.ok) return;
        acceptedCount += 1;
        const stored: unknown = JSON.parse(JSON.stringify(first.value));
        expect(stored).toEqual(first.value);
        expect(parseCustomValue(definition(type), stored, references)).toEqual(first);
        const key = comparisonKey(definition(type), first.value);
        const kindOfKey = { string: 'text', number: 'number', object: null }[
          typeof key as 'string' | 'number' | 'object'
        ];
        expect(kindOfKey).toBe(slotKind(type));
        const normalized = normalizedForm(definition(type), first.value);
        if (typeof normalized === 'string') expect(normalized).toBe(key);
      }),
      { numRuns },
    );
    expect(acceptedCount).toBeGreaterThan(numRuns / 10);
  });
});

it('no input makes a parser throw or its error long', () => {
  fc.assert(
    fc.property(fc.constantFrom(...attributeTypes), fc.anything(), (type, input) => {
      const parsed = parseCustomValue(definition(type), input, references);
      if (!parsed.ok) expect(parsed.message.length).toBeLessThan(600);
    }),
    { numRuns: 10 * numRuns },
  );
});
