/** @needs curl */
import { readFileSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { CrmClient } from '@crm/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';

import { launcher, type OwnStack, startOwnStack } from './support/running-stack.js';
import { BashSession } from './support/bash-session.js';
import { readShellExamples, type ShellExample, shownPart } from './support/shell-examples.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = join(root, 'docs/how-to');
const readPage = (name: string): string => readFileSync(join(folder, name), 'utf8');
const names = readdirSync(folder).filter((name) => name !== 'README.md');
/** Commands on three exports of another system: packages/cli/tests/how-to-import.system.test.ts has such files, and runs them. */
const needsExports = ({ commands }: ShellExample): boolean => commands.includes('companies.csv');
const pages = names.map((name) => {
  const examples = readShellExamples(readPage(name)).filter((example) => !needsExports(example));
  return { name, examples };
});
const variables = readShellExamples(readPage('README.md'));

const [start, ...steps] = readShellExamples(readFileSync(join(root, 'docs/tutorial.md'), 'utf8'));
/** The first three blocks of README.md: the start, the call that creates a deal and the call that reads it. */
const [readmeStart, ...readmeCalls] = readShellExamples(readFileSync(join(root, 'README.md'), 'utf8')).slice(0, 3);

/** Pages without commands for the local stack: they link to other pages, or need several servers or a proxy. */
const withoutCommands = ['back-up-and-restore.md', 'move-to-citus.md', 'run-behind-a-proxy.md'];

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
/** The calls that docker/README.md shows after the start. */
const dockerCalls = readShellExamples(textOf('docker/README.md')).filter(({ commands }) =>
  commands.includes("-H 'x-api-key"),
);
const clientBlocks = [...textOf('packages/client/README.md').matchAll(/^```ts\n([^]*?)^```$/gm)].map(
  ([, block = '']) => block,
);

const person = 'astrid@lindqvist-data.se';
const contactsOf = async (client: CrmClient): Promise<string[]> => {
  const filters = [{ field: 'email', operator: 'eq', value: person }] as const;
  const { data } = await client.contacts.search({ filters: [...filters] }).page();
  return data.contacts.map(({ id }) => id);
};

let stack: OwnStack;
beforeAll(async () => {
  stack = await startOwnStack();
});
afterAll(() => stack.end());

/** Follows a page in a session of its own. Each example must succeed and print what the page shows. */
const follow = (examples: readonly ShellExample[], prepare: string): void => {
  let session: BashSession;
  beforeAll(async () => {
    session = new BashSession(stack.directory, { npm_config_offline: 'true' });
    await session.run(prepare);
  });
  afterAll(() => session.end());

  test.each(examples.map((example) => [example.title, example] as const))('%s', async (_title, example) => {
    const { stdout, stderr, exitCode } = await session.run(example.commands);
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 });
    if (example.json !== undefined) expect(shownPart(example.json, JSON.parse(stdout))).toEqual(example.json);
    if (example.text !== undefined) expect(stdout.trim().split(/\r?\n/).at(-1)).toBe(example.text);
  });
};

describe('docs/tutorial.md and the calls of README.md', () => {
  test('start the stack with the command that this test uses', () => {
    expect(start?.commands).toBe('npm ci\nnpm start\n');
    expect(readmeStart?.commands).toBe(start?.commands);
    expect(steps.length).toBeGreaterThan(7);
    expect(readmeCalls.map(({ json }) => json)).toMatchObject([{ data: {} }, { data: {} }]);
  });

  follow([...steps, ...readmeCalls], '');
});

describe('the pages of docs/how-to', () => {
  beforeAll(async () => {
    await stack.client.notes.create({
      note: { title: 'Call', content: 'Astrid asked us to forget her.' },
      contact_emails: [person],
    });
  });

  test('have commands, except for the listed ones', () => {
    const without = pages.filter(({ examples }) => examples.length === 0).map(({ name }) => name);
    expect(without.sort()).toEqual(withoutCommands);
    expect(variables).toHaveLength(1);
  });

  describe.each(pages.filter(({ examples }) => examples.length > 0))('$name', ({ examples }) => {
    // npx takes longer than most commands. The tutorial and the guide of the reference are followed with it.
    const npx = `npx() { test "$1" = @crm/cli && shift && '${process.execPath}' '${launcher}' "$@"; }`;
    follow(examples, `${npx}\n${variables[0]?.commands ?? ''}`);
  });

  test('erase-a-person.md has removed the contact and its notes', async () => {
    expect(await contactsOf(stack.client)).toEqual([]);
    const { data } = await stack.client.notes.list().page();
    expect(data.notes).toEqual([]);
  });
});

describe('the calls of other pages', () => {
  test('of docker/README.md succeed', async () => {
    const { read_url: readUrl, inbound_url: inboundUrl, api_key: key, pipeline_id: pipelineId } = stack.demo;
    const session = new BashSession(stack.directory, {});
    for (const { commands } of dockerCalls) {
      const filled = commands
        .replaceAll('http://localhost:8080/v1/inbound/', `${inboundUrl}/v1/inbound/`)
        .replaceAll('http://localhost:8080/', `${readUrl}/`)
        .replaceAll('PIPELINE_ID', String(pipelineId))
        .replaceAll(': KEY', `: ${key}`)
        .replaceAll('curl ', 'curl -sS --fail-with-body ');
      expect(await session.run(filled)).toMatchObject({ exitCode: 0, stderr: '' });
    }
    session.end();
    expect(dockerCalls).toHaveLength(1);
  });

  test('of packages/client/README.md succeed', async () => {
    const { data: members } = await stack.client.members.list().page();
    const [member, other] = members.members;
    const {
      read_url: readUrl,
      inbound_url: inboundUrl,
      pipeline_id: pipelineId,
      organization_id: organizationId,
    } = stack.demo;
    // The third block waits for new events, without an end.
    const [example = '', setup = ''] = clientBlocks;
    const values = {
      pipelineId,
      pipeline_id: pipelineId,
      memberId: member?.member_id,
      otherMemberId: other?.member_id,
    };
    const prelude = Object.entries(values).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
    const addresses = `readUrl: '${readUrl}', inboundUrl: '${inboundUrl}',`;
    const program = [...prelude, example.replace(/url: '[^']*',/, addresses), setup].join('');
    const file = join(stack.directory, 'readme.mjs');
    const { outputText } = ts.transpileModule(program, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
    await writeFile(file, outputText);
    // The calls also change the setup, which the demo key does not allow.
    const key = `$(npx @crm/cli key create --org ${organizationId} --name readme --allow list,search,inbound,setup --json`;
    const session = new BashSession(stack.directory, { npm_config_offline: 'true', ...stack.env });
    const ran = await session.run(
      `CRM_API_KEY=${key} | node -p 'JSON.parse(fs.readFileSync(0)).api_key') node ${file}`,
    );
    expect(ran).toMatchObject({ exitCode: 0 });
    session.end();
  });
});
