import { describe, expect, it } from '@jest/globals';

import { compileStep, type Scalar, type TransformArgument, type TransformName } from './transforms.js';

const run = (name: TransformName, argument: TransformArgument, text: string): Scalar => {
  const step = compileStep(name, argument);
  if (!step.ok) return `argument: ${step.message}`;
  if (step.value.kind === 'split') return 'split';
  const result = step.value.apply(text);
  return result.ok ? result.value : `refused: ${result.message}`;
};
const none: TransformArgument = { value: undefined };

describe('slug_domain', () => {
  it.each([
    ['Acme Corporation', 'acmecorporation.com'],
    ['Gekko & Co', 'gekkoco.com'],
    ['Xx-zobam', 'xxzobam.com'],
    ['Müller GmbH', 'müllergmbh.com'],
    ['日本 電気', '日本電気.com'],
  ])('creates a domain from %s', (name, domain) => {
    expect(run('slug_domain', { value: '.com' }, name)).toBe(domain);
    expect(run('slug_domain', { value: 'com' }, name)).toBe(domain);
  });

  it('refuses a name without letters and digits', () => {
    expect(run('slug_domain', { value: '.com' }, ' & ')).toMatch(/^refused/);
  });
});

describe('email_local', () => {
  it.each([
    ['Moses Frase', 'moses.frase@example.com'],
    ['  José  Núñez-Ortiz ', 'jose.nunez.ortiz@example.com'],
    ["Rosie O'Hara", 'rosie.o.hara@example.com'],
  ])('creates an address from %s', (name, email) => {
    expect(run('email_local', { value: 'example.com' }, name)).toBe(email);
  });

  it('refuses letters that an address cannot have, and does not drop them', () => {
    expect(run('email_local', { value: 'example.com' }, 'Łukasz Nowak')).toMatch(/^refused/);
    expect(run('email_local', { value: 'example.com' }, '李')).toMatch(/^refused/);
  });
});

describe('strip', () => {
  it.each([
    ['€', '1.234,56 €', '1.234,56 '],
    ['$', '-$1,200', '-1,200'],
    [['EUR', '€', ' '], 'EUR 1 200 €', '1200'],
    ['.*', '1.*2', '12'],
  ])('removes %j from %s', (value, text, expected) => {
    expect(run('strip', { value }, text)).toBe(expected);
  });

  it.each([undefined, '', [], ['€', 5]])('refuses the argument %j', (value) => {
    expect(run('strip', { value }, 'x')).toMatch(/^argument: needs the texts to remove/);
  });
});

describe('replace', () => {
  it('replaces each text once, the longest first', () => {
    expect(run('replace', { value: { a: 'b', b: 'a' } }, 'abba')).toBe('baab');
    expect(run('replace', { value: { 'Corp.': 'Corporation', Corp: 'Corporation' } }, 'Acme Corp.')).toBe(
      'Acme Corporation',
    );
    expect(run('replace', { value: { '½': 0.5, x: null, $1: '$&' } }, 'x½$1')).toBe('0.5$&');
  });

  it.each([undefined, 'a', ['a'], {}, { '': 'a' }, { a: {} }])('refuses the argument %j', (value) => {
    expect(run('replace', { value }, 'x')).toMatch(/^argument: /);
  });
});

describe('map', () => {
  it('changes the listed values and keeps others', () => {
    expect(run('map', { value: { GTXPro: 'GTX Pro' } }, 'GTXPro')).toBe('GTX Pro');
    expect(run('map', { value: { GTXPro: 'GTX Pro' } }, 'MG Special')).toBe('MG Special');
  });

  it('uses its default for others', () => {
    expect(run('map', { value: { Ja: true }, fallback: false }, 'Nein')).toBe(false);
    expect(run('map', { value: { Ja: true }, fallback: null }, 'Nein')).toBe('');
  });

  it('does not find inherited names', () => {
    expect(run('map', { value: { a: 'b' } }, 'constructor')).toBe('constructor');
  });

  it('refuses an argument that is not a map of single values', () => {
    expect(run('map', { value: ['a'] }, 'a')).toMatch(/^argument/);
    expect(run('map', { value: { a: ['b'] } }, 'a')).toMatch(/^argument/);
  });
});

describe('number', () => {
  it.each([
    ['1054', 1054],
    ['-3.50', -3.5],
    [' 0012 ', 12],
    ['+7', 7],
  ])('reads %s', (text, expected) => {
    expect(run('number', none, text)).toBe(expected);
  });

  it.each(['1,234', '1e3', '0x10', '12 EUR', '.5', '5.', 'NaN', '1.234.567'])('refuses %s', (text) => {
    expect(run('number', none, text)).toMatch(/^refused/);
  });

  it('refuses more digits than a number can store', () => {
    expect(run('number', none, '1234567890123456')).toMatch(/more than 15 digits/);
  });

  it('reads other decimal and group signs if configured', () => {
    expect(run('number', { value: { decimal: ',', group: '.' } }, '1.234.567,89')).toBe(1234567.89);
    expect(run('number', { value: { group: ',' } }, '1,234.5')).toBe(1234.5);
    expect(run('number', { value: { decimal: ',' } }, '1.5')).toMatch(/^refused/);
  });
});

describe('the other transforms', () => {
  it('trim and lower', () => {
    expect(run('trim', none, '  A b ')).toBe('A b');
    expect(run('lower', none, 'ÄB')).toBe('äb');
  });

  it('boolean reads only the usual words', () => {
    expect(run('boolean', none, 'Yes')).toBe(true);
    expect(run('boolean', none, '0')).toBe(false);
    expect(run('boolean', none, 'maybe')).toMatch(/^refused/);
  });

  it('date returns epoch milliseconds', () => {
    expect(run('date', { value: 'M/d/yyyy' }, '3/1/2017')).toBe(Date.UTC(2017, 2, 1));
    expect(run('date', none, '3/1/2017')).toMatch(/^argument/);
  });
});
