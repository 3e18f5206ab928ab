/** @needs curl */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { freePorts, RunningStack } from './running-stack.js';
import { BashSession } from './support/bash-session.js';
import { readShellExamples, shownPart } from './support/shell-examples.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8');
const [start, ...steps] = readShellExamples(page);
/** The first three blocks of README.md: the start, the call that creates a deal and the call that reads it. */
const [readmeStart, ...readmeCalls] = readShellExamples(readFileSync(join(root, 'README.md'), 'utf8')).slice(0, 3);
const examples = [...steps, ...readmeCalls];

describe('docs/tutorial.md and the calls of README.md', () => {
  let directory: string;
  let stack: RunningStack;
  let session: BashSession;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crm-tutorial-'));
    // A new folder that looks like the repository, so that the test does not use the data of a developer.
    for (const name of ['node_modules', 'packages', 'package.json'])
      await symlink(join(root, name), join(directory, name));
    const [readPort, inboundPort] = await freePorts();
    stack = new RunningStack({
      CRM_DATA_DIR: join(directory, '.crm'),
      CRM_READ_PORT: String(readPort),
      CRM_INBOUND_PORT: String(inboundPort),
    });
    await stack.ready();
    session = new BashSession(directory, { npm_config_offline: 'true' });
  });
  afterAll(async () => {
    session.end();
    await stack.end('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  });

  test('starts the stack with the command that this test uses', () => {
    expect(start?.commands).toBe('npm ci\nnpm start\n');
    expect(readmeStart?.commands).toBe(start?.commands);
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
