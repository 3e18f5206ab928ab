import { describe, expect, it } from '@jest/globals';

import { escapeFormula, unescapeFormula } from './spreadsheet-escape.js';

describe('the escape of formulas', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30 123', "'+49 30 123"],
    ['-5', "'-5"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ["'=1", "''=1"],
    ["''@x", "'''@x"],
    ["'tis", "'tis"],
    ['1+1', '1+1'],
    ['', ''],
  ])('makes %j %j, and back', (text, escaped) => {
    expect(escapeFormula(text)).toBe(escaped);
    expect(unescapeFormula(escaped)).toBe(text);
  });
});
