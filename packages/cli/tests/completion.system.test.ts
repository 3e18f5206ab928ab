/** @needs zsh fish */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';

import { runCrm } from './run-crm.js';

const run = promisify(execFile);

let directory: string;
const script = (shell: string): string => join(directory, `crm.${shell}`);
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-completion-'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { exitCode, stdout } = await runCrm(['completion', shell]);
    expect(exitCode).toBe(0);
    await writeFile(script(shell), stdout);
  }
});
afterAll(() => rm(directory, { recursive: true }));

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** The candidates of bash for the words of a line, of which the last is incomplete. */
const inBash = async (words: readonly string[]): Promise<readonly string[]> => {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const commands = `. ${script('bash')}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _crm; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return lines((await run('bash', ['--norc', '-c', commands])).stdout);
};

/** The candidates of zsh. Stubs replace the functions that show them, which work only in zsh's line editor. */
const inZsh = async (words: readonly string[]): Promise<readonly string[]> => {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const commands = `
    compdef() { : }
    _files() { print 'a file' }
    compadd() { shift; print -l -- "$@" }
    _describe() { print -l -- "\${(@P)2}" }
    . ${script('zsh')}
    words=(${quoted}) CURRENT=${words.length}
    _crm`;
  const typed = words.at(-1) ?? '';
  const { stdout } = await run('zsh', ['-f', '-c', commands]);
  const names = lines(stdout).map((line) => line.split(':')[0] ?? '');
  return names.filter((name) => name === 'a file' || name.startsWith(typed));
};

/** The candidates of fish. */
const inFish = async (words: readonly string[]): Promise<readonly string[]> => {
  const { stdout } = await run(
    'fish',
    ['--no-config', '-c', `source ${script('fish')}; complete -C "${words.join(' ')}"`],
    {
      cwd: directory,
    },
  );
  return lines(stdout).map((line) => line.split('\t')[0] ?? '');
};

describe.each([
  // Readline itself completes file names if the script offers nothing.
  ['bash', inBash, []],
  ['zsh', inZsh, ['a file']],
  ['fish', inFish, ['crm.bash', 'crm.fish', 'crm.zsh']],
] as const)('completion in %s', (_shell, offered, files) => {
  test.each([
    [['crm', 'expo'], ['export']],
    [
      ['crm', 'key', 'r'],
      ['revoke', 'rotate'],
    ],
    [['crm', 'export', 'a'], ['accounts']],
    [['crm', 'export', '--format', 'j'], ['jsonl']],
    [['crm', 'export', 'accounts', '--fo'], ['--format']],
    [['crm', 'completion', 'z'], ['zsh']],
  ])('%j offers %j', async (words, names) => {
    expect([...(await offered(words))].sort()).toEqual(names);
  });

  it('offers only the options of that command', async () => {
    const create = await offered(['crm', 'key', 'create', '--']);
    expect(create).toEqual(expect.arrayContaining(['--org', '--name', '--allow', '--help']));
    expect(create).not.toContain('--overlap');
    expect(await offered(['crm', 'key', 'rotate', '--'])).toContain('--overlap');
  });

  it('offers file names for the value of --mapping', async () => {
    expect([...(await offered(['crm', 'import', 'deals.csv', '--on-match', '']))].sort()).toEqual(['keep', 'update']);
    expect([...(await offered(['crm', 'import', 'deals.csv', '--mapping', '']))].sort()).toEqual(files);
  });
});

describe('a completion script', () => {
  it.each(['bash', 'zsh', 'fish'])('is valid in %s', async (shell) => {
    const { stdout, stderr } = await run(shell, ['-n', script(shell)]);
    expect([stdout, stderr]).toEqual(['', '']);
  });
});
