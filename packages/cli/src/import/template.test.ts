import { describe, expect, it } from '@jest/globals';

import { compileTemplate } from './template.js';

const fill = (source: string, row: Readonly<Record<string, string>>): string => {
  const template = compileTemplate(source);
  return template.ok ? template.value.fill((column) => row[column] ?? '') : `refused: ${template.message}`;
};

describe('compileTemplate', () => {
  it('puts columns in their places', () => {
    expect(fill('{Account}-{Product name}', { Account: 'Acme', 'Product name': 'GTX' })).toBe('Acme-GTX');
  });

  it('is empty when every column is, and trimmed otherwise', () => {
    expect(fill('{a} / {b}', { a: '', b: ' ' })).toBe('');
    expect(fill('{a} {b}', { a: '', b: 'x' })).toBe('x');
  });

  it('does not read places in what a column holds', () => {
    expect(fill('{a}{b}', { a: '{b}', b: '$&' })).toBe('{b}$&');
  });

  it('takes doubled brackets as brackets', () => {
    expect(fill('{{{a}}}', { a: 'x' })).toBe('{x}');
  });

  it.each(['{a', 'a}', 'no column', 'x {} y'])('refuses %s', (source) => {
    expect(fill(source, {})).toMatch(/^refused/);
  });
});
