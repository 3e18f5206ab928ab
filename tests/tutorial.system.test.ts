/** @needs curl */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { type OwnStack, startOwnStack } from './support/running-stack.js';
import { BashSession } from './support/bash-session.js';
import { readShellExamples, shownPart } from './support/shell-examples.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8');
const [start, ...steps] = readShellExamples(page);
/** The first three blocks of README.md: the start, the call that creates a deal and the call that reads it. */
const [readmeStart, ...readmeCalls] = readShellExamples(readFileSync(join(root, 'README.md'), 'utf8')).slice(0, 3);
const examples = [...steps, ...readmeCalls];

describe('docs/tutorial.md and the calls of README.md', () => {
  let stack: OwnStack;
  let session: BashSession;

  beforeAll(async () => {
    stack = await startOwnStack();
    session = new BashSession(stack.directory, { npm_config_offline: 'true' });
  });
  afterAll(async () => {
    session.end();
    await stack.end();
  });

  test('starts the stack with the command that this test uses', () => {
    expect(start?.commands).toBe('npm ci\nnpm start\n');
    expect(readmeStart?.commands).toBe('npx @crm/cli start\n');
    expect(steps.length).toBeGreaterThan(7);
    expect(readmeCalls.map(({ json }) => json)).toMatchObject([{ data: {} }, { data: {} }]);
  });

  test.each(examples.map((example) => [example.title, example] as const))('%s', async (_title, example) => {
    const { stdout, stderr, exitCode } = await session.run(example.commands);
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 });
    if (example.json !== undefined) expect(shownPart(example.json, JSON.parse(stdout))).toEqual(example.json);
    if (example.text !== undefined) expect(stdout.trim().split(/\r?\n/).at(-1)).toBe(example.text);
  });
});
