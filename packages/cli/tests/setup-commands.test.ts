import { loadSetup, opportunityCreate, runWrite, type OrganizationSetup } from '@crm/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { createAdministeredDatabase, type AdministeredDatabase } from './support/administered-database.js';

let administered: AdministeredDatabase;
let org: string;

beforeAll(async () => {
  administered = await createAdministeredDatabase();
});
afterAll(() => administered.drop());
beforeEach(async () => {
  org = await administered.createOrganization();
  for (const email of ['ann@acme.com', 'bob@acme.com']) await run('member', 'add', email);
  await run('pipeline', 'create', 'Sales', '--stage', 'Open', 'Talks', 'Won');
});

/** Runs a command on the organization. Progress messages on stderr are allowed. */
const run = async (...args: string[]): Promise<Record<string, unknown>> => {
  const { exitCode, stdout, stderr } = await administered.crm(...args, '--org', org, '--json');
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
};

const refused = async (...args: string[]): Promise<{ exitCode: number; stderr: string }> => {
  const { exitCode, stderr } = await administered.crm(...args, '--org', org);
  return { exitCode, stderr };
};

const storedSetup = (): Promise<OrganizationSetup> => loadSetup(administered.database, org);

const stages = async (): Promise<string[]> =>
  ((await storedSetup()).pipelines[0]?.stages ?? []).map(
    ({ label, isDefault, isActive }) => `${label}${isDefault ? '*' : ''}${isActive ? '' : '-'}`,
  );

/** Creates deals by name, in a stage and with an owner. */
const deals = async (names: readonly string[], stageLabel: string, owner = 'ann@acme.com'): Promise<void> => {
  const setup = await storedSetup();
  const [pipeline] = setup.pipelines;
  if (pipeline === undefined) throw new Error('no pipeline');
  for (const name of names) {
    const stageId = pipeline.stages.find(({ label }) => label === stageLabel)?.id;
    const input = { name, stageId, ownerId: setup.findMember(owner)?.id, definitions: new Map(), values: new Map() };
    await runWrite(administered.database, org, opportunityCreate(setup, pipeline, input, 'keep'), null);
  }
};

interface StoredDeal {
  readonly name: string;
  readonly stage: string;
  readonly shown: string;
  readonly owner: string | null;
  readonly version: number;
}

const stored = (): Promise<StoredDeal[]> =>
  administered.database.query<StoredDeal & Record<string, unknown>>(org, {
    text: `SELECT o.name, o.record::jsonb->>'stage_name' AS shown, o.version,
             (SELECT s.label FROM stages s WHERE s.organization_id = $1 AND s.id = o.stage_id) AS stage,
             (SELECT m.email FROM members m WHERE m.organization_id = $1 AND m.id = o.owner_id) AS owner
             FROM opportunities o WHERE o.organization_id = $1 ORDER BY o.name`,
    values: [],
  });

/** Deals whose stored record differs from a rebuilt one. */
const outdated = (): Promise<unknown[]> =>
  administered.database.query(org, {
    text: `SELECT o.name FROM opportunities o
            WHERE o.organization_id = $1 AND o.record <> opportunity_record(o, additional_contact_ids($1, o.id))
           UNION ALL SELECT 'rebuild' FROM record_rebuilds r WHERE r.organization_id = $1`,
    values: [],
  });

describe('crm pipeline update', () => {
  it('renames, moves, archives and restores', async () => {
    await run('pipeline', 'create', 'Renewals', '--stage', 'Due');
    expect(await run('pipeline', 'update', 'Renewals', '--name', 'Upsell', '--position', '1')).toMatchObject({
      name: 'Upsell',
      is_active: true,
    });
    expect((await storedSetup()).pipelines.map(({ name }) => name)).toEqual(['Upsell', 'Sales']);
    expect(await run('pipeline', 'update', 'Sales', '--archive')).toMatchObject({ is_active: false });
    expect(await run('pipeline', 'update', 'Sales', '--restore')).toMatchObject({ is_active: true });
  });

  it('sets the default stage', async () => {
    await run('pipeline', 'update', 'Sales', '--default-stage', 'Talks');
    expect(await stages()).toEqual(['Open', 'Talks*', 'Won']);
  });

  it('refuses a name that is taken, an unknown pipeline, and a call without changes', async () => {
    await run('pipeline', 'create', 'Renewals', '--stage', 'Due');
    expect(await refused('pipeline', 'update', 'Renewals', '--name', 'Sales')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Another pipeline has this name'),
    });
    expect(await refused('pipeline', 'update', 'Nope', '--archive')).toMatchObject({ exitCode: 1 });
    expect(await refused('pipeline', 'update', 'Sales')).toMatchObject({ exitCode: 2 });
  });
});

describe('crm stage', () => {
  it('adds at the end or at a position, and only once with --if-not-exists', async () => {
    await run('stage', 'add', '--pipeline', 'Sales', 'Lost', '--color', 'red', '--probability', '0');
    await run('stage', 'add', '--pipeline', 'Sales', 'Sent', '--position', '2', '--default');
    expect(await stages()).toEqual(['Open', 'Sent*', 'Talks', 'Won', 'Lost']);
    expect(await run('stage', 'add', '--pipeline', 'Sales', 'Sent', '--if-not-exists')).toMatchObject({
      status: 'exists',
    });
    expect(await refused('stage', 'add', '--pipeline', 'Sales', 'Sent')).toMatchObject({ exitCode: 1 });
  });

  it('moves', async () => {
    await run('stage', 'move', '--pipeline', 'Sales', 'Won', '--position', '1');
    expect(await stages()).toEqual(['Won', 'Open*', 'Talks']);
    await run('stage', 'move', '--pipeline', 'Sales', 'Won', '--position', '99');
    expect(await stages()).toEqual(['Open*', 'Talks', 'Won']);
  });

  it('renames, also in the stored records', async () => {
    await deals(['A', 'B'], 'Talks');
    await deals(['C'], 'Open');
    await run('stage', 'update', '--pipeline', 'Sales', 'Talks', '--label', 'Negotiating', '--probability', '60');
    expect((await stored()).map(({ name, shown, version }) => [name, shown, version])).toEqual([
      ['A', 'Negotiating', 1],
      ['B', 'Negotiating', 1],
      ['C', 'Open', 1],
    ]);
    expect(await outdated()).toEqual([]);
  });

  it('archives an empty stage, and restores it', async () => {
    await run('stage', 'archive', '--pipeline', 'Sales', 'Open');
    expect(await stages()).toEqual(['Open-', 'Talks', 'Won']);
    await deals(['A'], 'none of them');
    expect(await stored()).toMatchObject([{ stage: 'Talks' }]);
    await run('stage', 'update', '--pipeline', 'Sales', 'Open', '--restore');
    expect(await stages()).toEqual(['Open', 'Talks', 'Won']);
  });

  it('archives a stage with opportunities only with --move-to', async () => {
    await deals(['A', 'B'], 'Talks');
    expect(await refused('stage', 'archive', '--pipeline', 'Sales', 'Talks')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('The stage still has opportunities'),
    });
    expect(await stages()).toEqual(['Open*', 'Talks', 'Won']);
    expect(await run('stage', 'archive', '--pipeline', 'Sales', 'Talks', '--move-to', 'Won')).toMatchObject({
      moved: 2,
      is_active: false,
    });
    expect(await stored()).toMatchObject([
      { name: 'A', stage: 'Won', shown: 'Won', version: 2 },
      { name: 'B', stage: 'Won', shown: 'Won', version: 2 },
    ]);
    expect(await outdated()).toEqual([]);
  });

  it('does not archive the last stage', async () => {
    for (const label of ['Open', 'Talks']) await run('stage', 'archive', '--pipeline', 'Sales', label);
    expect(await refused('stage', 'archive', '--pipeline', 'Sales', 'Won')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('at least one stage'),
    });
  });
});

describe('crm member', () => {
  it('lists, renames and restores', async () => {
    await run('member', 'update', 'ann@acme.com', '--name', 'Ann Lee', '--email', 'ann.lee@acme.com');
    await run('member', 'remove', 'bob@acme.com', '--keep-owner');
    expect((await run('member', 'list'))['members']).toMatchObject([
      { email: 'ann.lee@acme.com', name: 'Ann Lee', is_active: true },
      { email: 'bob@acme.com', is_active: false },
    ]);
    await run('member', 'update', 'bob@acme.com', '--restore');
    expect((await storedSetup()).findMember('bob@acme.com')).toMatchObject({ isActive: true });
    expect(await refused('member', 'update', 'bob@acme.com', '--email', 'ann.lee@acme.com')).toMatchObject({
      exitCode: 1,
    });
  });

  it('removes an owner only with --keep-owner or --reassign', async () => {
    await deals(['A'], 'Open');
    expect(await refused('member', 'remove', 'ann@acme.com')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--keep-owner or --reassign'),
    });
    expect(await refused('member', 'remove', 'ann@acme.com', '--reassign', 'ann@acme.com')).toMatchObject({
      exitCode: 2,
    });
  });

  it('keeps the owner of a former member', async () => {
    await deals(['A'], 'Open');
    expect(await run('member', 'remove', 'ann@acme.com', '--keep-owner')).toMatchObject({ status: 'former' });
    expect(await stored()).toMatchObject([{ owner: 'ann@acme.com', version: 1 }]);
  });

  it('reassigns all opportunities and deletes the member', async () => {
    await deals(
      Array.from({ length: 250 }, (_, index) => `Deal ${index}`),
      'Open',
    );
    expect(await run('member', 'remove', 'ann@acme.com', '--reassign', 'bob@acme.com')).toMatchObject({
      status: 'removed',
      reassigned: 250,
    });
    expect(new Set((await stored()).map(({ owner, version }) => `${owner} ${version}`))).toEqual(
      new Set(['bob@acme.com 2']),
    );
    expect((await storedSetup()).members.map(({ email }) => email)).toEqual(['bob@acme.com']);
  });
});

describe('crm field', () => {
  const define = (...args: string[]) =>
    run('field', 'define', 'Revenue', '--object', 'opportunity', '--type', 'number', ...args);

  it('is defined once: a second time is refused, or does nothing with --if-not-exists', async () => {
    const { field_id: id } = await define();
    expect(await refused('field', 'define', 'Revenue', '--object', 'opportunity', '--type', 'number')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('custom field revenue already'),
    });
    expect(await define('--if-not-exists')).toMatchObject({ field_id: id, slug: 'revenue', status: 'exists' });
    const other = ['field', 'define', 'Revenue', '--object', 'opportunity', '--type', 'string', '--if-not-exists'];
    expect(await refused(...other)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has the type number'),
    });
    expect((await storedSetup()).fields).toHaveLength(1);
  });

  it('asks for a slug if none can be derived from the name', async () => {
    expect(await refused('field', 'define', '日本', '--object', 'contact', '--type', 'string')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--slug'),
    });
    const named = await run('field', 'define', '日本', '--object', 'contact', '--type', 'string', '--slug', 'japan');
    expect(named).toMatchObject({ slug: 'japan', name: '日本' });
  });

  it('is archived and restored with its values, also in the stored records', async () => {
    await define();
    const setup = await storedSetup();
    const [pipeline] = setup.pipelines;
    const { bySlug } = setup.fieldIndex('opportunity', null);
    if (pipeline === undefined) throw new Error('no pipeline');
    const input = { name: 'A', definitions: bySlug, values: new Map([['revenue', 7]]) };
    await runWrite(administered.database, org, opportunityCreate(setup, pipeline, input, 'keep'), null);
    const shown = async () => {
      const text = `SELECT o.record::jsonb->'custom_fields' AS values FROM opportunities o WHERE o.organization_id = $1`;
      return (await administered.database.query(org, { text, values: [] }))[0];
    };
    expect(await run('field', 'archive', 'revenue', '--object', 'opportunity')).toMatchObject({ is_active: false });
    expect((await storedSetup()).fieldIndex('opportunity', null).definitions).toEqual([]);
    expect(await shown()).toEqual({ values: {} });
    expect((await run('field', 'list'))['fields']).toEqual([]);
    expect((await run('field', 'list', '--archived'))['fields']).toMatchObject([{ slug: 'revenue', is_active: false }]);
    await run('field', 'restore', 'revenue', '--object', 'opportunity');
    expect(await shown()).toEqual({ values: { revenue: 7 } });
    expect(await outdated()).toEqual([]);
  });
});

describe('crm org update', () => {
  it('sets the currency of new opportunities without one', async () => {
    await deals(['Before'], 'Open');
    await run('org', 'update', '--currency', 'EUR');
    await deals(['After'], 'Open');
    const text = 'SELECT o.name, o.currency FROM opportunities o WHERE o.organization_id = $1 ORDER BY o.name';
    expect(await administered.database.query(org, { text, values: [] })).toEqual([
      { name: 'After', currency: 'EUR' },
      { name: 'Before', currency: null },
    ]);
    expect(await run('org', 'update', '--currency', 'none')).toMatchObject({ currency: null });
    expect(await refused('org', 'update', '--currency', 'euro')).toMatchObject({ exitCode: 2 });
  });
});

describe('--if-not-exists', () => {
  it('keeps an existing pipeline', async () => {
    expect(await run('pipeline', 'create', 'Sales', '--stage', 'Other', '--if-not-exists')).toMatchObject({
      status: 'exists',
      stages: [{ label: 'Open' }, { label: 'Talks' }, { label: 'Won' }],
    });
  });
});
