import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { minifySync } from '@swc/core';

/** The operations of the documents, except those without a key, which are for load balancers. */
const operations = ['read', 'inbound'].flatMap((gateway) => {
  const file = new URL(`../../../docs/openapi/${gateway}-gateway.json`, import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, item]) => (path.startsWith('/v1/') ? Object.keys(item) : []));
}).length;

/** The client is loaded as a whole, so it may only grow with its number of operations. */
const maxBytesPerOperation = 225;
const folder = new URL('../dist/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

describe('what users install', () => {
  test('is small: all files minified and compressed, per operation', () => {
    const code = files.filter((file) => file.endsWith('.js') && !file.startsWith('commonjs/')).map(read);
    const minified = code
      .map((text) => minifySync(text, { module: true, compress: true, mangle: true }).code)
      .join('\n');
    const bytes = gzipSync(minified, { level: 9 }).length;
    const figure = Math.round(bytes / operations);
    process.stdout.write(`client: ${minified.length} bytes minified, ${bytes} compressed, ${figure} an operation\n`);
    expect(bytes).toBeGreaterThan(1_000);
    expect(figure).toBeLessThanOrEqual(maxBytesPerOperation);
  });

  test('has no dependencies, neither at run time nor for its types', () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', folder), 'utf8')) as Record<string, unknown>;
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
    for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
      const sources = [...read(file).matchAll(/\bfrom ['"]([^'"]+)|\b(?:import|require)\(?\s*['"]([^'"]+)/g)];
      for (const [, from, imported] of sources) expect(from ?? imported).toMatch(/^\.{1,2}\//);
      expect(read(file)).not.toMatch(/NodeJS\.|node:|reference types/);
    }
  });
});
