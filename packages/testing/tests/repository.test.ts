import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { mutationsFolder, readMutations, testsOf, textsOf } from '../scripts/mutations.mjs';
import { proseFaults } from '../scripts/prose.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const isOwn = (file: string): boolean => !/(^|\/)(node_modules|dist)\//.test(file);
const filesIn = (folder: string): readonly string[] =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter(isOwn);

const packages = ['apps', 'packages'].flatMap((parent) =>
  readdirSync(`${root}${parent}`).map((name) => `${parent}/${name}`),
);
const files = [...packages, 'bench', 'tests', '.ci'].flatMap(filesIn);

/** Folders that a shortened path on a page may start in: the sentence before it names the package. */
const bases = ['', 'docs/', ...packages.flatMap((folder) => [`${folder}/`, `${folder}/src/`])];

/** The files of a name on a page: a path, or the end of one. `<step>` and `*` stand for any name. */
const filesOf = (name: string): readonly string[] => {
  const pattern = name
    .replace(/[.+]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll(/<[^>]+>/g, '[^/]+');
  const shape = new RegExp(`(^|/)${pattern}$`);
  return files.filter((file) => shape.test(file));
};

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');

  test('names only files and folders that exist', () => {
    const names = [
      ...page.matchAll(/`((?:[\w@.*<>-]+\/)*[\w.*<>-]+\.(?:ts|js|sql|md|prisma)|(?:packages|apps|docs)\/[\w./-]+)`/g),
    ].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(60);
    const isThere = (name: string): boolean =>
      bases.some((base) => existsSync(`${root}${base}${name}`)) || filesOf(name).length > 0;
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });

  test('lists every decision page in its index, in order', () => {
    const indexed = [...page.matchAll(/^\| \[(\d{4})\]\(decisions\/(\1-[\w-]+\.md)\)/gm)].map(([, , file]) => file);
    expect(indexed).toEqual(readdirSync(`${root}docs/decisions`).sort());
  });
});

describe('the packages', () => {
  const { devDependencies: tools } = JSON.parse(read('package.json')) as { devDependencies: object };
  const ownFiles = files.filter(
    (file) => /\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/suites\/|\/generated\//.test(file),
  );
  const imports = ownFiles.flatMap((file) => {
    const [folder = ''] = /^.*?(?=\/src\/)/.exec(file) ?? [];
    const names = [...read(file).matchAll(/^(?:import|export|\}) .*from '([^']+)';$|import\('([^']+)'\)/gm)].map(
      ([, name, late]) => name ?? late ?? '',
    );
    return names.map((name) => ({ file, folder, name }));
  });

  test('import only files of their own, and what their package.json lists', () => {
    const listed = Object.fromEntries(
      [...packages, 'bench'].map((folder) => {
        const manifest = JSON.parse(read(`${folder}/package.json`)) as Record<string, object | undefined>;
        // Tests get their tools from the root.
        const more = folder === 'packages/testing' ? tools : manifest['optionalDependencies'];
        return [folder, Object.keys({ ...manifest['dependencies'], ...more })];
      }),
    );
    const foreign = imports.filter(({ file, folder, name }) => {
      if (name.startsWith('node:')) return false;
      if (name.startsWith('.')) return !join(file, '..', name).startsWith(`${folder}/`);
      const [dependency = ''] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? [];
      return listed[folder]?.includes(dependency) !== true;
    });
    expect(imports.length).toBeGreaterThan(1_000);
    expect(foreign).toEqual([]);
  });
});

describe('docs/security.md', () => {
  const page = read('docs/security.md');
  const rows = [...page.matchAll(/^\| (R\d+) +\|[^|]*\|[^|]*\|([^|]*)\|$/gm)].map(
    ([, requirement = '', tests = '']) => ({
      requirement,
      names: [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    }),
  );

  test('has a row for every requirement', () => {
    expect(rows.map(({ requirement }) => requirement)).toEqual([
      ...Array.from({ length: 36 }, (_, index) => `R${index + 1}`),
    ]);
  });

  test('names only files that exist', () => {
    const names = [...page.matchAll(/`([\w./*-]+\.ts)`/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => filesOf(name).length === 0)).toEqual([]);
  });

  test('names a test of each requirement with the number in its title', () => {
    const isTitled = ({ requirement, names }: (typeof rows)[number]): boolean =>
      names
        .flatMap(filesOf)
        .some((file) => file.endsWith('.test.ts') && new RegExp(`\\b${requirement}\\b`).test(read(file)));
    expect(rows.filter((row) => !isTitled(row))).toEqual([]);
  });
});

describe('the mutations', () => {
  const mutations = readMutations(`${root}${mutationsFolder}`);

  test('apply to the code, and name tests that exist', () => {
    const lost = mutations.filter((one) => textsOf(one) === null || testsOf(one, false).length === 0);
    expect(lost.map(({ name }) => name)).toEqual([]);
    expect(mutations.length).toBeGreaterThan(70);
  });

  test('remove a protection of every requirement', () => {
    const untested = ['R24', 'R29', 'R30'];
    const expected = Array.from({ length: 36 }, (_, index) => `R${index + 1}`).filter((id) => !untested.includes(id));
    const named = mutations.flatMap(({ title }) => /^R\d+ (?=without )/.exec(title)?.[0].trim() ?? []);
    expect([...new Set(named)].sort()).toEqual(expected.sort());
  });

  test('that are equivalent have lines that still exist, and a reason', () => {
    type Equivalent = Record<'file' | 'change' | 'reason', string>;
    const equivalents = JSON.parse(read(`${mutationsFolder}/equivalent.json`)) as readonly Equivalent[];
    const stale = equivalents.filter(({ file, change, reason }) => {
      const lines = read(file)
        .split('\n')
        .map((line) => line.trim());
      const removed = [...change.matchAll(/^- (.*)$/gm)].map(([, line = '']) => line);
      return reason === '' || removed.length === 0 || !removed.every((line) => lines.includes(line));
    });
    expect(stale).toEqual([]);
  });
});

describe('the release', () => {
  const manifestOf = (path: string) => JSON.parse(read(path)) as Record<string, unknown>;
  const version = String(manifestOf('package.json')['version']);
  const headings = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);

  test.each([...packages, 'bench', 'tests'])(
    'has the same version in %s, and no version in dependencies within the repository',
    (folder) => {
      const manifest = manifestOf(`${folder}/package.json`);
      const used = ['dependencies', 'devDependencies', 'peerDependencies']
        .flatMap((kind) => Object.entries((manifest[kind] ?? {}) as Record<string, string>))
        .filter(([name]) => name.startsWith('@crm/'));
      expect({ version: manifest['version'], used }).toEqual({ version, used: used.map(([name]) => [name, '*']) });
    },
  );

  test('has the same version in the documents, the image labels and the changelog, and one repository', () => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    for (const gateway of ['read', 'inbound']) {
      expect(manifestOf(`docs/openapi/${gateway}-gateway.json`)['info']).toMatchObject({ version });
    }
    expect(/org\.opencontainers\.image\.version=(\S+)/.exec(read('docker/Dockerfile'))?.[1]).toBe(version);
    expect(manifestOf('tests/release/promises.json')['version']).toEqual([version]);
    const pages = ['README.md', 'docker/README.md', 'docker/.env.example'].map(read).join('\n');
    const named = pages.match(/(?<=new-env\.sh |migrate:|tags\/v)\d+\.\d+\.\d+/g);
    expect(named).toEqual(Array.from({ length: 5 }, () => version));
    const address = /(?:ghcr\.io|github\.com)\/([\w-]+\/[\w-]+)(?=\/archive|\/\.github|\/migrate|\n)/g;
    const repositories = [...pages.matchAll(address)].map(([, name]) => `github:${name}`);
    expect(repositories).toEqual(Array.from({ length: 4 }, () => manifestOf('package.json')['repository']));
    expect(headings[0]).toBe('[Unreleased]');
    expect(headings[1]).toMatch(
      new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - (\\d{4}-\\d\\d-\\d\\d|unreleased)$`),
    );
  });

  test('has the sections of Keep a Changelog, each at most once per version', () => {
    for (const section of read('CHANGELOG.md').split(/^## /m).slice(1)) {
      const kinds = [...section.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind);
      expect(kinds).toEqual([...new Set(kinds)]);
      expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toEqual(expect.arrayContaining(kinds));
    }
  });
});

test.each([
  ['An outage is told once', ['told']],
  ['so that nobody learns which paths exist', ['nobody']],
  ['Whoever reads the text behind the `?` makes all records anew', ['Whoever', 'anew', 'behind']],
  ['the walk goes on after the last record', ['goes on']],
  ['null where none was sent', ['where none was']],
  ['plus-tags tell people apart, and run behind one proxy', []],
  ['a refused note leaves nothing behind, how far the replica is behind', []],
  ['the user `nobody` runs it, with the email nobody@x.com', []],
  ['a statement, storytellers and foretold things', []],
])('npm run prose finds the words in %j', (text, words) => {
  expect(proseFaults(text).map(({ word }) => word)).toEqual(words);
});
