import { describe, expect, it } from '@jest/globals';
import { dottedPath } from './error-path.js';

describe('dottedPath', () => {
  it('writes list indexes in brackets and keys with dots', () => {
    expect(dottedPath('/items/3/email', { items: [0, 0, 0, {}] })).toBe('items[3].email');
    expect(dottedPath('/map/3/email', { map: { 3: {} } })).toBe('map.3.email');
  });

  it('decodes the escapes of JSON pointers', () => {
    expect(dottedPath('/a~1b/c~0d', { 'a/b': {} })).toBe('a/b.c~d');
    expect(dottedPath('/~01', {})).toBe('~1');
  });

  it('is empty for the whole input', () => {
    expect(dottedPath('', {})).toBe('');
  });
});
