import { readFile } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';

import { runCrm } from './run-crm.js';

describe('crm', () => {
  it('says its version', async () => {
    const file = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(file) as { version: string };
    expect(await runCrm(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([[['import']], [['key', 'create']], [['key']]])('shows with help %j what --help shows', async (words) => {
    const asked = await runCrm(['help', ...words]);
    expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
    expect(asked).toEqual(await runCrm([...words, '--help']));
    expect(asked.stdout).toContain(`Usage: crm ${words.join(' ')}`);
  });

  it('shows with help alone what it can do', async () => {
    expect(await runCrm(['help'])).toEqual(await runCrm(['--help']));
  });

  it.each([
    [['imprt'], 'import'],
    [['key', 'crate'], 'create'],
    [['import', '--dryrun'], '--dry-run'],
    [['help', 'imprt'], 'import'],
    [['help', 'key', 'crate'], 'create'],
  ])('suggests for %j what is nearest', async (words, nearest) => {
    const { exitCode, stdout, stderr } = await runCrm(words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`Did you mean ${nearest}?`);
  });

  it('has nothing nearest for a word far from all', async () => {
    expect((await runCrm(['help', 'zzzzzzzz'])).stderr).toMatch(/no command zzzzzzzz: there are start, migrate, /);
  });
});
