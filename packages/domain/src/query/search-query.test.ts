import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { parseSearchQuery } from './search-query.js';
import { accepted, errorsOf } from '../../tests/query-fields.js';

const words = (input: unknown) => accepted((errors) => parseSearchQuery(input, 'q', errors));
const refuse = (input: unknown) => errorsOf((errors) => parseSearchQuery(input, 'query', errors));

describe('parseSearchQuery', () => {
  it.each([undefined, null, '', ' \t\u00a0\u3000\n'])('returns no words for %j', (input) => {
    expect(words(input)).toEqual([]);
  });

  it('splits only at white space and normalizes each word', () => {
    expect(words("  O'Neil\u00a0acme.COM \n ann+crm@x.de 100% ")).toEqual([
      "o'neil",
      'acme.com',
      'ann+crm@x.de',
      '100%',
    ]);
    expect(words('MU\u0308LLER')).toEqual(['m\u00fcller']);
  });

  it('keeps each word once', () => {
    expect(words('acme ACME Acme')).toEqual(['acme']);
  });

  it('counts characters, not UTF-16 units, without surrounding white space', () => {
    expect(words(`  ${'😀'.repeat(200)}  `)).toEqual(['😀'.repeat(200)]);
    expect(refuse('a'.repeat(201))).toEqual({ query: 'must have at most 200 characters' });
  });

  it.each(['a\u0000b', 'a\ud800', '\udc00 b', 5, true, ['a'], { a: 1 }])(
    'refuses %j under the name that was sent',
    (input) => {
      expect(Object.keys(refuse(input))).toEqual(['query']);
    },
  );

  it('adds errors and never throws, whatever the input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary', maxLength: 300 })), (input) => {
        expect(Object.keys(refuse(input)).every((path) => path === 'query')).toBe(true);
      }),
    );
  });
});
