import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';

import { createProgram } from '../src/program.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The command lines of `crm` in the shell blocks and the code of a page, without quoted text and without anything after
 * a pipe.
 */
const commandLines = (page: string): string[] =>
  [...page.replace(/\\\n\s*/g, ' ').matchAll(/(?:npx crm|`crm) ([^\n`|#]+)/g)].map(([, line = '']) => line.trim());

/** The command or option of a command line that the program does not have, or null. */
const unknownPart = (program: Command, line: string): string | null => {
  const words = line.replace(/"[^"]*"/g, 'x').split(/\s+/);
  let command = program;
  let rest = words;
  const next = (): Command | undefined => command.commands.find((each) => each.name() === rest[0]);
  for (let child = next(); child !== undefined; child = next()) {
    command = child;
    rest = rest.slice(1);
  }
  // crm import takes a file, in addition to its subcommand init.
  const takesCommand = command.commands.length > 0 && command.registeredArguments.length === 0;
  if (takesCommand && rest[0] !== undefined && /^[a-z]/.test(rest[0])) return rest[0];
  const options = new Set(['--help', ...command.options.flatMap(({ long, short }) => [long, short])]);
  return rest.find((word) => word.startsWith('--') && !options.has(word.split('=')[0] ?? '')) ?? null;
};

describe('the command lines of the pages', () => {
  it('use only commands and options that crm has', async () => {
    const sink = new PassThrough().resume();
    const never = new AbortController().signal;
    const program = createProgram({ env: {}, stdout: sink, stderr: sink, onInterrupt: () => never });
    const howTo = (await readdir(join(root, 'docs/how-to'))).map((name) => `docs/how-to/${name}`);
    const wrong: string[] = [];
    let count = 0;
    for (const path of ['README.md', 'docs/tutorial.md', 'docs/operating.md', 'packages/cli/README.md', ...howTo]) {
      for (const line of commandLines(await readFile(join(root, path), 'utf8'))) {
        count++;
        const unknown = unknownPart(program, line);
        if (unknown !== null) wrong.push(`${path}: ${unknown} in crm ${line}`);
      }
    }
    expect(count).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
    expect(unknownPart(program, 'key rotat --org ID')).toBe('rotat');
    expect(unknownPart(program, 'doctor --jsn')).toBe('--jsn');
  });
});
