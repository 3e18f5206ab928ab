import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadSetup, type OrganizationSetup } from '@crm/db';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { planSetup } from '../src/setup/plan-setup.js';
import { readSetupFile } from '../src/setup/setup-file.js';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

const example = new URL('../examples/setup.yaml', import.meta.url).pathname;

let administered: AdministeredDatabase;
let directory: string;
let org: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-apply-'));
  administered = administer(readTestStack().databaseUrl);
});
afterAll(async () => {
  await administered.close();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  org = await administered.createOrganization();
});

const storedSetup = (): Promise<OrganizationSetup> => loadSetup(administered.database, org);

const file = async (text: string): Promise<string> => {
  const path = join(directory, 'setup.yaml');
  await writeFile(path, text);
  return path;
};

/** Applies a text and returns the plan. */
const apply = async (text: string, ...args: string[]): Promise<readonly string[]> => {
  const result = await administered.crm('apply', await file(text), '--org', org, '--yes', '--json', ...args);
  expect(result).toMatchObject({ exitCode: 0 });
  return (JSON.parse(result.stdout) as { plan: readonly string[] }).plan;
};

const refused = async (text: string): Promise<string> => {
  const result = await administered.crm('apply', await file(text), '--org', org, '--yes');
  expect(result.exitCode).not.toBe(0);
  return result.stderr;
};

/** The setup without ids and times. */
const shape = async (): Promise<unknown> => {
  const setup = await storedSetup();
  return {
    currency: setup.currency,
    members: setup.members.map(({ email, name, isActive }) => ({ email, name, isActive })),
    pipelines: setup.pipelines.map(({ name, isActive, stages }) => ({
      ...{ name, isActive },
      stages: stages.map((stage) => ({ ...stage, id: '', pipelineId: '' })),
    })),
    fields: setup.fields.map(({ id: _id, position: _position, createdAt: _createdAt, pipelineIds, ...field }) => ({
      ...field,
      pipelines: pipelineIds?.map((one) => setup.pipelineNames.get(one)) ?? null,
    })),
  };
};

const stagesOf = async (): Promise<readonly string[]> =>
  (await storedSetup()).pipelines.flatMap(({ stages }) => stages.map(({ label }) => label));

describe('crm apply', () => {
  it('sets up the documented example, and a second time finds nothing to do', async () => {
    const text = await readFile(example, 'utf8');
    expect((await apply(text, '--dry-run')).length).toBeGreaterThan(10);
    expect((await storedSetup()).pipelines).toEqual([]);
    await apply(text);
    const setup = await storedSetup();
    expect(setup.pipelines.map(({ name }) => name)).toEqual(['Sales', 'Renewals']);
    expect(setup.currency).toBe('USD');
    expect(setup.fieldIndex('opportunity', null).definitions).toHaveLength(6);
    expect(await apply(text)).toEqual([]);
  });

  it('applies files of crm export setup, to another organization too', async () => {
    const archived = [
      'members: [{ email: ada@example.com }, { email: bob@example.com, archived: true }]',
      'pipelines: [{ name: Renewals, archived: true, stages: [{ label: Due, archived: true }, { label: Paid }] }]',
      'fields: [{ object: contact, slug: linkedin, name: LinkedIn, type: url, archived: true }]',
    ];
    await apply(`currency: EUR\n${archived.join('\n').replaceAll(/, archived: true/g, '')}`);
    await apply(archived.join('\n'));
    const exported = join(directory, 'exported.yaml');
    await administered.crmJson('export', 'setup', '--org', org, '--output', exported);
    const text = await readFile(exported, 'utf8');
    expect(await apply(text)).toEqual([]);
    const before = await shape();
    org = await administered.createOrganization();
    await apply(text);
    expect(await shape()).toEqual(before);
  });

  it('renames entries with was, and reorders them as in the file', async () => {
    await apply(
      'pipelines: [{ name: Sales, stages: [{ label: A }, { label: B }, { label: C }] }, { name: P, stages: [{ label: Z }] }]',
    );
    const { pipelines } = await storedSetup();
    const changed = `pipelines:
  - { name: P }
  - name: New business
    was: Sales
    stages: [{ label: C }, { label: New }, { label: Bee, was: B }]`;
    expect(await apply(changed)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('name: Sales → New business'),
        expect.stringContaining('add the stage New to Sales'),
        expect.stringContaining('label: B → Bee'),
      ]),
    );
    expect(await stagesOf()).toEqual(['Z', 'C', 'New', 'Bee', 'A']);
    expect((await storedSetup()).pipelines.map(({ id }) => id)).toEqual([pipelines[1]?.id, pipelines[0]?.id]);
    expect(await apply(changed)).toEqual([]);
  });

  it('changes and adds options, and keeps those that the file does not name', async () => {
    const field = (options: string) =>
      `fields: [{ object: account, slug: tier, name: Tier, type: select, options: ${options} }]`;
    await apply(field('[Gold, { value: iron, label: Iron }]'));
    await apply(field('[{ value: iron, label: Fe, archived: true }, Zinc]'));
    expect((await storedSetup()).fields[0]?.metadata?.options).toMatchObject([
      { value: 'Gold', label: 'Gold' },
      { value: 'iron', label: 'Fe', archived: true },
      { value: 'Zinc', label: 'Zinc' },
    ]);
  });

  it('says which change was refused, keeps those before it, and continues when the file is corrected', async () => {
    await apply('pipelines: [{ name: Last, stages: [{ label: Only }] }]');
    const archiving = (archived: boolean) => `currency: EUR
members: [{ email: c@acme.com }]
pipelines: [{ name: Last, stages: [{ label: Only, archived: ${archived} }] }]
fields: [{ object: account, slug: tier, name: Tier, type: string }]`;
    const stderr = await refused(archiving(true));
    expect(stderr).toContain('change the stage Only of Last');
    expect(stderr).toContain('at least one stage');
    expect(await storedSetup()).toMatchObject({ currency: 'EUR', members: [{ email: 'c@acme.com' }], fields: [] });
    expect(await apply(archiving(false))).toEqual(['define the account field tier (string)']);
  });

  it('applies nothing without --yes and without a terminal', async () => {
    const path = await file('currency: EUR');
    const result = await administered.crm('apply', path, '--org', org);
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') });
    expect((await storedSetup()).currency).toBeNull();
  });
});

describe('a bad file', () => {
  it.each([
    ['currency: euro', 'setup.yaml:1: currency'],
    [
      'pipelines:\n  - name: Sales\n    stages: [{ label: A }]\n    colour: red',
      'setup.yaml:4: pipelines[0].colour: is not a known field',
    ],
    ['members:\n  - email: x', 'setup.yaml:2: members[0].email'],
    [
      'members:\n  - email: a@b.example\n  - email: A@b.example',
      'setup.yaml:3: members[1].email: "a@b.example" is given twice',
    ],
    [
      'fields:\n  - object: account\n    slug: x\n    name: X\n    type: choice',
      'setup.yaml:5: fields[0].type: must be one of',
    ],
    ['fields:\n  - { object: account, slug: x, name: X, type: select }', 'setup.yaml:2: fields[0].options: must be'],
    [
      'fields:\n  - object: account\n    slug: x\n    name: X\n    type: select\n    options:\n      - A\n      - label: a',
      'setup.yaml:8: fields[0].options[1].label: is used by another option: "a"',
    ],
    [
      'fields:\n  - { object: opportunity, slug: x, name: X, type: string, pipelines: [Nope] }',
      'there is no pipeline Nope',
    ],
    ['pipelines:\n  - stages: [', 'setup.yaml:2'],
  ])('%j is refused with the line', (text, message) => {
    const setup = { currency: undefined, members: [], pipelines: [], fields: [], webhooks: [] };
    const plan = (): unknown => {
      const { source, file: read } = readSetupFile('/somewhere/setup.yaml', text);
      return planSetup(source, read, setup, new Map());
    };
    expect(plan).toThrow(message);
    expect(plan).toThrow('nothing was changed');
  });

  it('cannot change the type of a field', async () => {
    await apply('fields: [{ object: account, slug: x, name: X, type: string }]');
    const stderr = await refused('fields: [{ object: account, slug: x, name: X, type: number }]');
    expect(stderr).toContain('is string and cannot be changed');
  });
});
