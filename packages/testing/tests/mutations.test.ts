import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { mutations } from '../scripts/mutations.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the protections that run-mutations.mjs removes', () => {
  test.each(mutations)('$requirement: $removed: is still at its place in the code', ({ file, from, tests }) => {
    expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2);
    const [folder = '', ...patterns] = tests.split(' ');
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.test.ts') && !name.includes('node_modules'),
    );
    for (const pattern of patterns) expect(files.filter((name) => name.includes(pattern))).not.toEqual([]);
  });

  test('cover every requirement', () => {
    const expected = [...Array.from({ length: 22 }, (_, index) => `R${index + 1}`), 'R23', 'R27', 'R28', 'R31'];
    expect([...new Set(mutations.map(({ requirement }) => requirement))].sort()).toEqual(expected.sort());
  });
});
