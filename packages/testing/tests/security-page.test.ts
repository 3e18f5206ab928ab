import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(`${root}docs/security.md`, 'utf8');

const sourcesOf = (folder: string): string[] =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => `${folder}/${file}`);
const files = ['apps', 'packages', 'bench', '.ci'].flatMap(sourcesOf);

/** The files of a name on the page: a path, a path with `*`, or a bare file name. */
const filesOf = (name: string): readonly string[] => {
  const pattern = new RegExp(`(^|/)${name.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}$`);
  return files.filter((file) => pattern.test(file));
};

const rows = [...page.matchAll(/^\| (R\d+) +\|[^|]*\|[^|]*\|([^|]*)\|$/gm)].map(([, requirement = '', tests = '']) => ({
  requirement,
  names: [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
}));

describe('docs/security.md', () => {
  test('has a row for every requirement', () => {
    expect(rows.map(({ requirement }) => requirement)).toEqual([
      ...Array.from({ length: 24 }, (_, index) => `R${index + 1}`),
      ...['R27', 'R28', 'R29', 'R30', 'R31'],
    ]);
  });

  test('names only files that exist', () => {
    const names = [...page.matchAll(/`([\w./*-]+\.ts)`/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => filesOf(name).length === 0)).toEqual([]);
  });

  test.each(rows)('names a test of $requirement with the number in its title', ({ requirement, names }) => {
    const found = names.flatMap(filesOf).filter((file) => file.endsWith('.test.ts'));
    const titled = found.filter((file) =>
      new RegExp(`\\b${requirement}\\b`).test(readFileSync(`${root}${file}`, 'utf8')),
    );
    expect({ requirement, titled: titled.length > 0 }).toEqual({ requirement, titled: true });
  });
});
