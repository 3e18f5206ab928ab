/** @needs curl */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { CrmClient } from '@crm/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { launcher, type OwnStack, startOwnStack } from './support/running-stack.js';
import { BashSession } from './support/bash-session.js';
import { readShellExamples, shownPart } from './support/shell-examples.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = join(root, 'docs/how-to');
const readPage = (name: string): string => readFileSync(join(folder, name), 'utf8');
const names = readdirSync(folder).filter((name) => name !== 'README.md');
const pages = names.map((name) => ({ name, examples: readShellExamples(readPage(name)) }));
const variables = readShellExamples(readPage('README.md'));

/** Pages without commands for the local stack: one links to other pages, one needs several servers. */
const withoutCommands = ['back-up-and-restore.md', 'move-to-citus.md'];

const person = 'astrid@lindqvist-data.se';
const contactsOf = async (client: CrmClient): Promise<string[]> => {
  const filters = [{ field: 'email', operator: 'eq', value: person }] as const;
  const { data } = await client.contacts.search({ filters: [...filters] }).page();
  return data.contacts.map(({ id }) => id);
};

describe('the pages of docs/how-to', () => {
  let stack: OwnStack;

  beforeAll(async () => {
    stack = await startOwnStack();
    await stack.client.notes.create({
      note: { title: 'Call', content: 'Astrid asked us to forget her.' },
      contact_emails: [person],
    });
  });
  afterAll(() => stack.end());

  test('have commands, except for the listed ones', () => {
    const without = pages.filter(({ examples }) => examples.length === 0).map(({ name }) => name);
    expect(without.sort()).toEqual(withoutCommands);
    expect(variables).toHaveLength(1);
  });

  describe.each(pages.filter(({ examples }) => examples.length > 0))('$name', ({ examples }) => {
    let session: BashSession;
    beforeAll(async () => {
      session = new BashSession(stack.directory, {});
      // npx takes longer than most commands. The tutorial and the guide of the reference are followed with it.
      const npx = `npx() { test "$1" = @crm/cli && shift && '${process.execPath}' '${launcher}' "$@"; }`;
      await session.run(`${npx}\n${variables[0]?.commands ?? ''}`);
    });
    afterAll(() => session.end());

    test.each(examples.map((example) => [example.title, example] as const))('%s', async (_title, example) => {
      const { stdout, stderr, exitCode } = await session.run(example.commands);
      expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 });
      if (example.json !== undefined) expect(shownPart(example.json, JSON.parse(stdout))).toEqual(example.json);
      if (example.text !== undefined) expect(stdout.trim()).toBe(example.text);
    });
  });

  test('erase-a-person.md has removed the contact and its notes', async () => {
    expect(await contactsOf(stack.client)).toEqual([]);
    const { data } = await stack.client.notes.list().page();
    expect(data.notes).toEqual([]);
  });
});
