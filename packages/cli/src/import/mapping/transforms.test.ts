import { describe, expect, it } from '@jest/globals';
import { compileDateFormat } from './date-format.js';
import { compileStep, type Scalar, type TransformName } from './transforms.js';

const run = (name: TransformName, argument: unknown, text: string, fallback?: Scalar | null): unknown => {
  const step = compileStep(name, argument, fallback);
  const result = step.ok ? step.value.apply(text) : step;
  return result.ok ? result.value : `refused: ${result.message}`;
};

describe('slug_domain and email_local', () => {
  it.each([
    ['slug_domain', 'com', 'Gekko & Co', 'gekkoco.com'],
    ['slug_domain', '.com', 'Xx-Müller GmbH', 'xxmüllergmbh.com'],
    ['slug_domain', '.com', '日本 電気', '日本電気.com'],
    ['email_local', 'example.com', '  José  Núñez-Ortiz ', 'jose.nunez.ortiz@example.com'],
    ['email_local', 'example.com', "Rosie O'Hara", 'rosie.o.hara@example.com'],
  ] as const)('%s with %s makes of %s %s', (name, value, text, expected) => {
    expect(run(name, value, text)).toBe(expected);
  });

  it('refuse a name without letters and digits, and letters that an address cannot have', () => {
    expect(run('slug_domain', '.com', ' & ')).toMatch(/^refused/);
    expect(run('email_local', 'example.com', 'Łukasz Nowak')).toMatch(/^refused/);
  });
});

describe('strip', () => {
  it.each([
    ['€', '1.234,56 €', '1.234,56 '],
    [['EUR', '€', ' '], 'EUR 1 200 €', '1200'],
    ['.*', '1.*2', '12'],
  ])('removes %j from %s', (value, text, expected) => {
    expect(run('strip', value, text)).toBe(expected);
  });
});

describe('replace and map', () => {
  it('replace each text once, the longest first', () => {
    expect(run('replace', { a: 'b', b: 'a' }, 'abba')).toBe('baab');
    expect(run('replace', { 'Corp.': 'Corporation', Corp: 'Corporation' }, 'Acme Corp.')).toBe('Acme Corporation');
    expect(run('replace', { '½': 0.5, x: null, $1: '$&' }, 'x½$1')).toBe('0.5$&');
  });

  it('change the listed values; others stay, or get the default', () => {
    expect(run('map', { GTXPro: 'GTX Pro' }, 'GTXPro')).toBe('GTX Pro');
    expect(run('map', { a: 'b' }, 'constructor')).toBe('constructor');
    expect(run('map', { Ja: true }, 'Nein', false)).toBe(false);
    expect(run('map', { Ja: true }, 'Nein', null)).toBe('');
  });
});

describe('number', () => {
  const german = { decimal: ',', group: '.' };
  const english = { group: ',' };

  it.each([
    [{}, ' 0012 ', 12],
    [{}, '-3.50', -3.5],
    [{}, '+7', 7],
    [german, '1.234.567,89', 1234567.89],
    [german, '1234567,89', 1234567.89],
    [english, '-1,234.5', -1234.5],
    [english, '999,999,999,999.999', 999999999999.999],
    [english, '1,23,45,678.50', 12345678.5],
    [{ group: '\u00a0', decimal: ',' }, '1\u00a0234,5', 1234.5],
    [{ group: "'" }, "1'234'567", 1234567],
  ])('%j reads %s', (value, text, expected) => {
    expect(run('number', value, text)).toBe(expected);
  });

  it.each([
    [{}, ['1,234', '1e3', '0x10', '12 EUR', '.5', '5.', 'NaN']],
    [german, ['1234.5', '1.5', '0.500', '1234.567', '1.234.5', '1,234.567', '1.2345,6', '.123,4', '1..234', '1.234.']],
    [english, ['1,5', '1.5,000', '1,234,56', '12,34,567,890', '123,45,678', '0,12,345']],
    [{ decimal: ',' }, ['1.5', '1,5,0']],
  ])('%j refuses %j, which it could misread', (value, texts) => {
    for (const text of texts) expect(run('number', value, text)).toMatch(/^refused: .* is not a number such as /);
  });

  it.each(['999999999999.99998', '1.0000000000000001', '9007199254740993', '1,234,567,890,123,456'])(
    'refuses %s, which has more digits than a JSON number can store',
    (text) => {
      expect(run('number', english, text)).toMatch(/^refused: .* has more than 15 digits/);
    },
  );
});

describe('the other transforms', () => {
  it('trim, lower, boolean and date', () => {
    expect(run('trim', {}, '  A b ')).toBe('A b');
    expect(run('lower', {}, 'ÄB')).toBe('äb');
    expect(['Yes', '0', 'maybe'].map((text) => run('boolean', {}, text))).toEqual([
      true,
      false,
      expect.stringMatching(/^refused/),
    ]);
    expect(run('date', 'M/d/yyyy', '3/1/2017')).toBe(Date.UTC(2017, 2, 1));
    expect(['3/1/1970', '1/1/1970'].map((day) => run('date', 'M/d/yyyy', day))).toEqual([
      '1970-03-01T00:00:00.000Z',
      '1970-01-01T00:00:00.000Z',
    ]);
  });
});

describe('compileDateFormat', () => {
  const read = (format: string, text: string): string => {
    const reader = compileDateFormat(format);
    if (!reader.ok) return `format: ${reader.message}`;
    const result = reader.value(text);
    return result.ok ? new Date(result.value).toISOString() : result.message;
  };

  it.each([
    ['M/d/yyyy', ' 03/1/2017 ', '2017-03-01T00:00:00.000Z'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 23:59:58', '2024-02-29T23:59:58.000Z'],
    ["yyyy-MM-dd'T'HH:mm:ss'Z'", '2024-02-29T01:02:03Z', '2024-02-29T01:02:03.000Z'],
    ['yyyy-MM-ddTHH:mm:ssZ', '2024-02-29T01:02:03Z', '2024-02-29T01:02:03.000Z'],
    ['d.M.yy H.m', '5.4.68 7.5', '2068-04-05T07:05:00.000Z'],
    ['d.M.yy', '5.4.69', '1969-04-05T00:00:00.000Z'],
    ['yyyyMMdd', '20170301', '2017-03-01T00:00:00.000Z'],
    ['yyyy-MM-dd', '0099-01-01', '0099-01-01T00:00:00.000Z'],
    ["d 'de' M 'de' yyyy", '1 de 3 de 2017', '2017-03-01T00:00:00.000Z'],
  ])('reads %s from %s in UTC', (format, text, expected) => {
    expect(read(format, text)).toBe(expected);
  });

  it.each([
    ['M/d/yyyy', '2/30/2017', 'that exists'],
    ['yyyy-MM-dd', '2023-02-29', 'that exists'],
    ['yyyy-MM-dd HH:mm', '2024-01-01 24:00', 'that exists'],
    ['yyyy-MM-dd HH:mm', '2024-01-01 10:60', 'that exists'],
    ['M/d/yyyy', '3/1/17', 'of the form M/d/yyyy'],
    ['M/d/yyyy', '3/1/2017 10:00', 'of the form M/d/yyyy'],
    ['MM/dd/yyyy', '3/1/2017', 'of the form MM/dd/yyyy'],
    ['d.M.yyyy', '1x3x2017', 'of the form d.M.yyyy'],
  ])('with %s refuses %s, which is not a date %s', (format, text, fault) => {
    expect(read(format, text)).toBe(`"${text}" is not a date ${fault}`);
  });

  it.each([
    ['M/d', '"M/d" has no year'],
    ['yyy-MM-dd', '"yyy" is not a token of date formats; years are yyyy or yy'],
    ['yyyy-MM-dd-dd', '"yyyy-MM-dd-dd" has the day twice'],
    ["yyyy-MM-dd 'at", `the quote in "yyyy-MM-dd 'at" is not closed`],
    [
      'D/M/yyyy',
      '"D" is not a token of date formats; use y, M, d, H, h, a, m, s, S, Z, E, and put other letters in single quotes',
    ],
  ])('refuses the format %s', (format, expected) => {
    expect(read(format, '1')).toBe(`format: ${expected}`);
  });
});
