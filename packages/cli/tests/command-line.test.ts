import { readFile } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';

import { runCrm } from './run-crm.js';

describe('crm', () => {
  it('prints its version', async () => {
    const file = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(file) as { version: string };
    expect(await runCrm(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([[['import']], [['key', 'create']], [['key']]])(
    'prints the same for help %j as for --help',
    async (words) => {
      const asked = await runCrm(['help', ...words]);
      expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
      expect(asked).toEqual(await runCrm([...words, '--help']));
      expect(asked.stdout).toContain(`Usage: crm ${words.join(' ')}`);
    },
  );

  it('lists its commands for help alone', async () => {
    expect(await runCrm(['help'])).toEqual(await runCrm(['--help']));
  });

  it.each([
    [['imprt'], 'import'],
    [['key', 'crate'], 'create'],
    [['import', '--dryrun'], '--dry-run'],
    [['help', 'imprt'], 'import'],
    [['help', 'key', 'crate'], 'create'],
  ])('suggests the nearest command for %j', async (words, nearest) => {
    const { exitCode, stdout, stderr } = await runCrm(words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`Did you mean ${nearest}?`);
  });

  it('suggests nothing for a word that resembles no command', async () => {
    expect((await runCrm(['help', 'zzzzzzzz'])).stderr).toMatch(
      /no command zzzzzzzz\. The commands are: start, migrate, /,
    );
  });
});
