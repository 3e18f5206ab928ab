/** @needs postgresql */
import { execFile } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { type DebianPostgres, openDebianPostgres } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const page = new URL('../docs/how-to/move-to-citus.md', import.meta.url);
const runFile = promisify(execFile);
let postgres: DebianPostgres;

/** The settings in a block of the page, such as `['wal_level', 'logical']`. */
const readBlocks = async (): Promise<readonly (readonly (readonly [string, string])[])[]> => {
  const blocks = (await readFile(page, 'utf8')).matchAll(/```ini\n([\s\S]*?)```/g);
  return [...blocks].map(([, block = '']) =>
    [...block.matchAll(/^ *(\w+) = (.+)$/gm)].map(([, name = '', value = '']) => [name, value] as const),
  );
};

/** What the server reads as the value of a setting, or its error. */
const readSetting = async (name: string, settings: readonly (readonly [string, string])[]): Promise<string> => {
  const folder = `cluster_${name}`;
  await postgres.createCluster(folder);
  const lines = settings.map(([key, value]) => `${key} = ${value}\n`);
  await appendFile(join(postgres.dataOf(folder), 'postgresql.conf'), lines.join(''));
  const options = { ...postgres.user, cwd: '/', env: { LC_ALL: 'C' } };
  const read = runFile(join(postgres.programs, 'postgres'), ['-D', postgres.dataOf(folder), '-C', name], options);
  return read.then(
    ({ stdout }) => stdout.trim(),
    (error: unknown) => String((error as { stderr?: string }).stderr),
  );
};

beforeAll(async () => {
  postgres = await openDebianPostgres();
});
afterAll(() => postgres.remove());

describe('the settings of docs/how-to/move-to-citus.md', () => {
  test('of the first block are read by PostgreSQL', async () => {
    const [settings = []] = await readBlocks();
    expect(settings.map(([name]) => name)).toContain('shared_preload_libraries');
    for (const [name, value] of settings) expect(await readSetting(name, settings)).toBe(value.replaceAll("'", ''));
  });

  test('of the second block have no fault but that older servers do not know them, as the page says', async () => {
    const [, settings = []] = await readBlocks();
    expect(settings).toHaveLength(1);
    for (const [name, value] of settings) {
      const read = await readSetting(name, settings);
      expect(read.includes('unrecognized configuration parameter') || read === value.replaceAll("'", '')).toBe(true);
      expect(read).not.toContain('syntax error');
    }
  });
});
