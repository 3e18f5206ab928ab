import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createClient } from '@crm/client';
import { administration, loadSetup, type OrganizationSetup } from '@crm/db';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { administer, type AdministeredDatabase } from './support/administered-database.js';
import { refusedFiles, refusingSetup } from './support/refused-files.js';

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

/** Creates an opportunity in a stage. */
const createDeal = async (pipelineId: string, stageId: string, values: Record<string, number> = {}): Promise<void> => {
  const { inboundUrl } = readTestStack();
  const key = await administered.crmJson('key', 'create', '--org', org, '--allow', 'inbound');
  const client = createClient({ inboundUrl, apiKey: String(key['api_key']) });
  const opportunity = { name: 'Deal', stage_id: stageId, ...values };
  await client.opportunities.create({ pipeline_id: pipelineId, opportunity });
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

  it.each(refusedFiles)('%s: is refused before the first change', async (_title, text, message) => {
    await apply(refusingSetup);
    const { pipelines } = await storedSetup();
    await createDeal(pipelines[0]?.id ?? '', pipelines[0]?.stages[1]?.id ?? '', { custom__fee: 1, custom__cost: 2 });
    const before = await storedSetup();
    const stderr = await refused(`currency: EUR\nmembers: [{ email: first@example.com }]\n${text}`);
    expect(stderr).toContain(message);
    expect(stderr).toContain('nothing was changed');
    expect((await storedSetup()).version).toBe(before.version);
  });

  it('archives the only stage beside its successor, which gets its opportunities, in one run', async () => {
    await apply('pipelines: [{ name: Sales, stages: [{ label: Old, default: true }] }]');
    const [before] = (await storedSetup()).pipelines;
    await createDeal(before?.id ?? '', before?.stages[0]?.id ?? '');
    const text =
      'pipelines: [{ name: Sales, stages: [{ label: Old, archived: true, move_to: New }, { label: New, default: true }] }]';
    expect(await apply(text)).toEqual([
      'add the stage New to Sales',
      'change the stage Old of Sales: is_active: true → false',
    ]);
    expect(await apply(text)).toEqual([]);
    const [pipeline] = (await storedSetup()).pipelines;
    expect(pipeline?.stages).toMatchObject([
      { label: 'Old', isActive: false },
      { label: 'New', isDefault: true },
    ]);
  });

  it('exchanges the labels of stages by their ids, and of options by their values', async () => {
    const field = (one: string, other: string) =>
      `fields: [{ object: account, slug: tier, name: Tier, type: select, options: [{ value: a, label: ${one} }, { value: b, label: ${other} }] }]`;
    await apply(`pipelines: [{ name: Sales, stages: [{ label: A }, { label: B }] }]\n${field('Gold', 'Silver')}`);
    const stages = (await storedSetup()).pipelines[0]?.stages ?? [];
    const text = `pipelines: [{ name: Sales, stages: [{ label: A, was: ${stages[1]?.id} }, { label: B, was: ${stages[0]?.id} }] }]`;
    await apply(`${text}\n${field('Silver', 'Gold')}`);
    expect(await apply(`${text}\n${field('Silver', 'Gold')}`)).toEqual([]);
    const setup = await storedSetup();
    expect(setup.pipelines[0]?.stages.map(({ label, id }) => [label, id])).toEqual([
      ['A', stages[1]?.id],
      ['B', stages[0]?.id],
    ]);
    expect(setup.fields[0]?.metadata?.options).toMatchObject([
      { value: 'a', label: 'Silver' },
      { value: 'b', label: 'Gold' },
    ]);
    await apply(
      field('Gold', 'Silver').replace('label: Silver', 'label: Silver, archived: true').replace('Gold', 'Silver'),
    );
  });

  it.each([
    ['the value of which is the label of another one', '{ value: Gold, label: Old gold, archived: true }'],
    ['with the label of another one', '{ value: c, label: gold, archived: true }'],
    ['with a label that is the value of another one', '{ value: c, label: b, archived: true }'],
    ['of all these kinds', '{ value: c, label: Gold, archived: true }, { value: Gold, label: b, archived: true }'],
  ])('adds archived options %s, to a new field and to a stored one', async (_title, archived) => {
    const field = (slug: string, more: string) =>
      `fields: [{ object: account, slug: ${slug}, name: Tier, type: select, options: [{ value: b, label: Gold }${more}] }]`;
    await apply(field('stored', ''));
    for (const slug of ['stored', 'new']) {
      expect((await apply(field(slug, `, ${archived}`))).length).toBeGreaterThan(1);
      expect(await apply(field(slug, `, ${archived}`))).toEqual([]);
    }
    expect((await storedSetup()).fields.map(({ metadata }) => metadata?.options?.[0])).toMatchObject([
      { value: 'b', label: 'Gold' },
      { value: 'b', label: 'Gold' },
    ]);
    await apply(field('stored', '').replace('[{ value: b', '[{ value: d, label: D }, { value: b'));
  });

  it('gives a field another currency if it has no values, or the file says that they are reinterpreted', async () => {
    const field = (rest: string) => `fields: [{ object: opportunity, slug: fee, name: Fee, type: currency, ${rest} }]`;
    await apply(
      `pipelines: [{ name: Sales, stages: [{ label: Old }] }]\n${field('currency: EUR, reinterpret_values: true')}`,
    );
    expect(await apply(field('currency: USD'))).toEqual(['change the opportunity field fee: currency: EUR → USD']);
    const [pipeline] = (await storedSetup()).pipelines;
    await createDeal(pipeline?.id ?? '', pipeline?.stages[0]?.id ?? '', { custom__fee: 1 });
    const text = field('currency: JPY, reinterpret_values: true');
    expect(await apply(text)).toEqual([
      'change the opportunity field fee: currency: USD → JPY, reinterpret_values: none → true',
    ]);
    expect((await storedSetup()).fields[0]?.metadata).toEqual({ currency: 'JPY' });
    expect(await apply(text)).toEqual([]);
  });

  it('--dry-run --exit-code returns 2 if the organization differs from the file', async () => {
    const path = await file('currency: EUR');
    const dryRun = (): Promise<{ readonly exitCode: number }> =>
      administered.crm('apply', path, '--org', org, '--dry-run', '--exit-code');
    expect(await dryRun()).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('none → EUR') });
    await apply('currency: EUR');
    expect(await dryRun()).toMatchObject({ exitCode: 0 });
    const alone = await administered.crm('apply', path, '--org', org, '--exit-code');
    expect(alone).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('needs --dry-run') });
  });

  it('finds an organization by its id also if another one has this id as its name', async () => {
    const other = await administration(administered.database).createOrganization({ name: org });
    await apply('currency: EUR');
    expect((await storedSetup()).currency).toBe('EUR');
    expect((await loadSetup(administered.database, other.id)).currency).toBeNull();
  });

  it('applies nothing without --yes and without a terminal', async () => {
    const path = await file('currency: EUR');
    const result = await administered.crm('apply', path, '--org', org);
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') });
    expect((await storedSetup()).currency).toBeNull();
  });
});

describe('a bad file', () => {
  it('cannot change the type of a field', async () => {
    await apply('fields: [{ object: account, slug: x, name: X, type: string }]');
    const stderr = await refused('fields: [{ object: account, slug: x, name: X, type: number }]');
    expect(stderr).toContain('is string and cannot be changed');
  });
});
