import { describe, expect, it } from '@jest/globals';
import { definitionOf, stageOptions } from '../../tests/definition-fixture.js';
import type { CustomValueReferences } from './custom-value.js';
import { attributeTypes, type AttributeType, type FieldMetadata } from './definition.js';
import { parseCustomValue } from './value.js';

const ann = '01920000-0000-7000-8000-00000000000a';
const bob = '01920000-0000-7000-8000-00000000000b';
const members = new Map([ann, bob].map((id) => [id, id])).set('ann@acme.com', ann).set('bob@acme.com', bob);
const references: CustomValueReferences = { findMemberId: (idOrEmail) => members.get(idOrEmail) };
const stages: FieldMetadata = { options: stageOptions };

const parse = (type: AttributeType, input: unknown, metadata = stages) =>
  parseCustomValue(definitionOf(type, { metadata }), input, references);

const place = { address: null, city: null, region: null, postal_code: null, country: null, lat: null, lng: null };

const accepted: readonly (readonly [AttributeType, unknown, unknown])[] = [
  ['string', ' kept as it is \n', ' kept as it is \n'],
  ['string', '', ''],
  ['string', 'e\u0301', 'e\u0301'],
  ['string', '😀'.repeat(10_000), '😀'.repeat(10_000)],
  ['number', 12.5, 12.5],
  ['currency', 0.0001, 0.0001],
  ['percentage', -250, -250],
  ['rating', 0, 0],
  ['rating', 5, 5],
  ['checkbox', false, false],
  ['date', '2026-02-28', '2026-02-28'],
  ['date', 0, '1970-01-01'],
  ['datetime', '2026-02-28T09:30:00+01:00', '2026-02-28T08:30:00.000Z'],
  ['datetime', 0, '1970-01-01T00:00:00.000Z'],
  ['timestamp', '1970-01-01T00:00:01Z', 1000],
  ['timestamp', -1, -1],
  ['time', '09:30', '09:30:00'],
  ['date_range', { start: '2026-01-01', end: '2026-01-01' }, { start: '2026-01-01', end: '2026-01-01' }],
  ['date_range', { start: 0 }, { start: '1970-01-01', end: null }],
  ['date_range', { start: null, end: '2026-01-01' }, { start: null, end: '2026-01-01' }],
  ['select', 'hot', 'hot'],
  ['select', 'Hot', 'hot'],
  ['select', 'cold', 'cold'],
  ['radio', 'Warm', 'warm'],
  ['multi_select', ['Hot', 'cold', 'hot', 'warm'], ['warm', 'cold', 'hot']],
  ['multi_select', [], []],
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
  ['string', '\u0000', 'U+0000'],
  ['string', '\ud800', 'surrogate'],
  ['string', 'a'.repeat(10_001), 'at most 10000 characters'],
  ['number', '12', 'must be a number'],
  ['number', 1234567890123456, 'at most 15 digits'],
  ['currency', 1.00001, 'at most 4 decimals'],
  ['percentage', '50%', 'must be a number'],
  ['rating', 6, 'from 0 to 5'],
  ['rating', 2.5, 'from 0 to 5'],
  ['rating', -1, 'from 0 to 5'],
  ['checkbox', 'true', 'true or false'],
  ['checkbox', 1, 'true or false'],
  ['date', '2026-02-30', 'YYYY-MM-DD'],
  ['date', '2026-02-28T00:00:00Z', 'YYYY-MM-DD'],
  ['datetime', '2026-02-28', 'RFC 3339'],
  ['timestamp', '0', 'RFC 3339'],
  ['time', '24:00', 'HH:MM'],
  ['date_range', { start: '2026-01-02', end: '2026-01-01' }, 'not after'],
  ['date_range', { start: null, end: null }, 'start or an end'],
  ['date_range', { start: '2026-02-30' }, 'start: must be'],
  ['date_range', { start: '2026-01-01', finish: null }, '"finish"'],
  ['date_range', ['2026-01-01'], 'object'],
  ['select', 'tepid', 'must be one of: warm, cold, hot, other_1, other_2, chilly'],
  ['select', 'HOT', 'not an option'],
  ['select', 'lost', 'archived'],
  ['select', 'Lost', 'archived'],
  ['select', 'Other', 'several options; use one value of: other_1, other_2'],
  ['select', ['hot'], 'must be a string'],
  ['radio', 1, 'must be a string'],
  ['multi_select', 'hot', 'must be an array'],
  ['multi_select', ['hot', 'tepid'], 'entry 1: "tepid"'],
  ['multi_select', Array.from({ length: 501 }, () => 'hot'), 'at most 500'],
  ['team_members', ann, 'must be an array'],
  ['team_members', ['carl@acme.com'], 'entry 0: "carl@acme.com" is not a member'],
  ['team_members', [null], 'entry 0: must be'],
  ['team_members', Array.from({ length: 101 }, () => ann), 'at most 100'],
  ['location', ' ', 'blank'],
  ['location', { city: ' ' }, 'at least one part'],
  ['location', {}, 'at least one part'],
  ['location', { lat: 1 }, 'both lat and lng'],
  ['location', { lat: 91, lng: 0 }, 'lat: must be a number from -90 to 90'],
  ['location', { lat: 0, lng: '0' }, 'lng: must be'],
  ['location', { lat: NaN, lng: 0 }, 'lat: must be'],
  ['location', { city: 5 }, 'city: must be a string'],
  ['location', { city: 'x'.repeat(1_001) }, 'city: must have at most 1000'],
  ['location', { city: 'Berlin', formatted: 'Paris' }, 'formatted'],
  ['location', JSON.parse('{"__proto__": {"city": "Berlin"}}'), '"__proto__"'],
  ['location', [52, 13], 'object'],
  ['email', 'Ann <ann@acme.com>', ''],
  ['email', ['ann@acme.com'], 'must be a string'],
  ['phone', '+1 415 555 0123 ext 4', 'international'],
  ['phone', '+0123456789', 'international'],
  ['phone', '+1234567890123456', 'international'],
  ['phone', ' ', 'blank'],
  ['phone', 4155550123, 'must be a string'],
  ['website', 'localhost', 'host name'],
  ['website', '10.0.0.1', 'host name'],
  ['website', 'javascript:alert(1)', 'host name'],
  ['website', 'mailto:ann@acme.com', 'host name'],
  ['website', 'ftp://example.com', 'http'],
  ['website', '//example.com', 'host name'],
  ['url', 'example.com', 'absolute'],
  ['url', '/path', 'absolute'],
  ['url', 'http:example.com', 'absolute'],
  ['url', 'javascript:alert(1)', 'absolute'],
  ['url', 'https://', 'absolute'],
  ['url', 'https://user:secret@example.com', 'password'],
  ['url', 'https://exa\tmple.com', 'white space'],
  ['url', 'https://example.com\\@evil.com', 'backslashes'],
  ['url', `https://example.com/${'ü'.repeat(5_000)}`, 'when encoded'],
];

describe('parseCustomValue', () => {
  it.each(accepted)('reads a %s from %j', (type, input, stored) => {
    expect(parse(type, input)).toEqual({ ok: true, value: stored });
  });

  it.each(accepted)('reads a stored %s (from %j) back unchanged', (type, _input, stored) => {
    expect(parse(type, stored)).toEqual({ ok: true, value: stored });
  });

  it.each(refused)('refuses a %s %j', (type, input, message) => {
    const parsed = parse(type, input);
    expect(parsed).toEqual({ ok: false, message: expect.stringContaining(message) });
  });

  it('has accepted and refused examples of every type', () => {
    for (const examples of [accepted, refused]) {
      expect(new Set(examples.map(([type]) => type))).toEqual(new Set(attributeTypes));
    }
  });

  it.each(attributeTypes)('refuses null and undefined for a %s', (type) => {
    expect(parse(type, null).ok).toBe(false);
    expect(parse(type, undefined).ok).toBe(false);
  });

  it('limits a rating to the maximum of the definition', () => {
    const outOfTen = definitionOf('rating', { metadata: { max: 10 } });
    expect(parseCustomValue(outOfTen, 10, references).ok).toBe(true);
    expect(parseCustomValue(outOfTen, 11, references).ok).toBe(false);
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
