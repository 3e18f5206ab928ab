import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { minifySync } from '@swc/core';

const maxMinifiedBytes = 10 * 1024;
const folder = new URL('../dist/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

describe('what users install', () => {
  test('is small: all files together, minified', () => {
    const code = files.filter((file) => file.endsWith('.js')).map(read);
    const sizes = code.map((text) => minifySync(text, { module: true, compress: true, mangle: true }).code.length);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    process.stdout.write(`client: ${bytes} bytes minified\n`);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(maxMinifiedBytes);
  });

  test('needs nothing else, neither to run nor for its types', () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', folder), 'utf8')) as Record<string, unknown>;
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
    for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
      const sources = [...read(file).matchAll(/\bfrom ['"]([^'"]+)|\bimport\(?\s*['"]([^'"]+)/g)];
      for (const [, from, imported] of sources) expect(from ?? imported).toMatch(/^\.{1,2}\//);
      expect(read(file)).not.toMatch(/NodeJS\.|node:|reference types/);
    }
  });
});
