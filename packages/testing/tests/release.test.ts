import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const readJson = (path: string): Record<string, unknown> => JSON.parse(read(path)) as Record<string, unknown>;

const version = String(readJson('package.json')['version']);
const workspaces = [
  ...['apps', 'packages'].flatMap((folder) => readdirSync(`${root}${folder}`).map((name) => `${folder}/${name}`)),
  'bench',
];
const headings = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);

describe('the version of the release', () => {
  test('is a semantic version', () => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test.each(workspaces)('is the version of %s and of its dependencies in this repository', (folder) => {
    const manifest = readJson(`${folder}/package.json`);
    const used = ['dependencies', 'devDependencies', 'peerDependencies']
      .flatMap((kind) => Object.entries((manifest[kind] ?? {}) as Record<string, string>))
      .filter(([name]) => name.startsWith('@crm/'));
    expect({ version: manifest['version'], used }).toEqual({ version, used: used.map(([name]) => [name, version]) });
  });

  test.each(['read-gateway', 'inbound-gateway'])('is the version of the OpenAPI document of the %s', (gateway) => {
    expect((readJson(`docs/openapi/${gateway}.json`)['info'] as { version: string }).version).toBe(version);
  });

  test('is the newest version in the changelog', () => {
    expect(headings[1]).toMatch(
      new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - (\\d{4}-\\d\\d-\\d\\d|unreleased)$`),
    );
  });

  test('is in the image labels and in the file name on the page of the client', () => {
    expect(/org\.opencontainers\.image\.version=(\S+)/.exec(read('docker/Dockerfile'))?.[1]).toBe(version);
    const files = [...read('packages/client/README.md').matchAll(/crm-client-([\d.]+)\.tgz/g)].map(
      ([, found]) => found,
    );
    expect(files).toEqual([version, version]);
  });
});

describe('CHANGELOG.md', () => {
  test('begins with the unreleased changes', () => {
    expect(headings[0]).toBe('[Unreleased]');
  });

  test('has the sections of Keep a Changelog, each at most once per version', () => {
    for (const section of read('CHANGELOG.md').split(/^## /m).slice(1)) {
      const kinds = [...section.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind);
      expect(kinds).toEqual([...new Set(kinds)]);
      expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toEqual(expect.arrayContaining(kinds));
    }
  });
});
