import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(`${root}docs/architecture.md`, 'utf8');
const folders = ['apps', 'packages'].flatMap((parent) =>
  readdirSync(`${root}${parent}`).map((name) => `${parent}/${name}`),
);

/** Folders that a shortened path on the page may start in: the sentence before it names the package. */
const bases = ['', 'docs/', ...folders.flatMap((folder) => [`${folder}/`, `${folder}/src/`])];

const sources = folders
  .flatMap((folder) => readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `/${file}`))
  .filter((file) => !/\/(node_modules|dist)\//.test(file));

/** Whether a name is a path, or a bare file name of any file of the packages. `<step>` and `*` stand for any name. */
const exists = (name: string): boolean => {
  if (bases.some((base) => existsSync(`${root}${base}${name}`))) return true;
  const pattern = name
    .replace(/[.+]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll(/<[^>]+>/g, '[^/]+');
  const shape = new RegExp(`/${pattern.replace(/^(?:apps|packages)\/[^/]+\//, '')}$`);
  return sources.some((file) => shape.test(file));
};

describe('docs/architecture.md', () => {
  test('names only files and folders that exist', () => {
    const names = [
      ...page.matchAll(/`((?:[\w@.*<>-]+\/)*[\w.*<>-]+\.(?:ts|js|sql|md|prisma)|(?:packages|apps|docs)\/[\w./-]+)`/g),
    ];
    const paths = names.map(([, name = '']) => name);
    expect(paths.length).toBeGreaterThan(60);
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  test('lists every decision page in its index, in order', () => {
    const indexed = [...page.matchAll(/^\| \[(\d{4})\]\(decisions\/(\1-[\w-]+\.md)\)/gm)].map(([, , file]) => file);
    expect(indexed).toEqual(readdirSync(`${root}docs/decisions`).sort());
  });
});
