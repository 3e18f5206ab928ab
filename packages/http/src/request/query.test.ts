import { describe, expect, it } from '@jest/globals';
import { ErrorCollector } from '@crm/domain';
import { readQuery } from './query.js';

const read = (text: string): { query: unknown; errors: unknown } => {
  const errors = new ErrorCollector();
  const query = { ...readQuery(text, errors) };
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
    expect(read('fields=').query).toEqual({});
  });

  it('treats a blank q or cursor as absent, and no other parameter', () => {
    expect(read('q=+&cursor=&limit=')).toEqual({ query: { limit: '' }, errors: null });
  });

  it('refuses a parameter given twice, even blank', () => {
    expect(read('limit=1&limit=2').errors).toEqual({ limit: 'is given twice' });
    expect(read('q=&q=a').errors).toEqual({ q: 'is given twice' });
  });

  it.each(['%', '%zz', '%ff', '%ed%a0%80', '\u00c3\u00a9'])('refuses the escape %j in values and names', (broken) => {
    expect(read(`q=${broken}`).errors).toEqual({ q: 'must be percent-encoded UTF-8' });
    expect(read(`${broken}=1`).errors).toEqual({ query: 'has a parameter name that is not percent-encoded UTF-8' });
  });

  it('refuses U+0000', () => {
    expect(read('q=a%00').errors).toEqual({ q: 'must not contain U+0000' });
  });

  it('is safe against names of prototypes', () => {
    const errors = new ErrorCollector();
    const query = readQuery('__proto__=1&constructor=2&toString', errors);
    expect(Object.getPrototypeOf(query)).toBeNull();
    expect(Object.keys(query)).toEqual(['__proto__', 'constructor', 'toString']);
  });
});
