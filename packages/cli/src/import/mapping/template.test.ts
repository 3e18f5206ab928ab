import { describe, expect, it } from '@jest/globals';

import { compileTemplate } from './template.js';

const fill = (source: string, row: Readonly<Record<string, string>>): string => {
  const template = compileTemplate(source);
  return template.ok ? template.value.fill((column) => row[column] ?? '') : `refused: ${template.message}`;
};

describe('compileTemplate', () => {
  it('replaces placeholders with columns', () => {
    expect(fill('{Account}-{Product name}', { Account: 'Acme', 'Product name': 'GTX' })).toBe('Acme-GTX');
  });

  it('is empty if every column is, and trimmed otherwise', () => {
    expect(fill('{a} / {b}', { a: '', b: ' ' })).toBe('');
    expect(fill('{a} {b}', { a: '', b: 'x' })).toBe('x');
  });

  it('does not replace placeholders in the values of columns', () => {
    expect(fill('{a}{b}', { a: '{b}', b: '$&' })).toBe('{b}$&');
  });

  it('reads doubled braces as single braces', () => {
    expect(fill('{{{a}}}', { a: 'x' })).toBe('{x}');
  });

  it.each(['{a', 'a}', 'no column', 'x {} y'])('refuses %s', (source) => {
    expect(fill(source, {})).toMatch(/^refused/);
  });
});
