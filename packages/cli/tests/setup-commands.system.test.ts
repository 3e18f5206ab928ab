import { changeOf } from '@crm/domain';
import { loadSetup, opportunityCreate, runWrite, type OrganizationSetup } from '@crm/db';
import { setupTools } from '@crm/testing/suites';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

let administered: AdministeredDatabase;
let org: string;

beforeAll(() => {
  administered = administer(readTestStack().databaseUrl);
});
afterAll(() => administered.close());
beforeEach(async () => {
  org = await administered.createOrganization();
  const tools = setupTools(administered.database);
  const stages = ['Open', 'Talks', 'Won'].map((label) => ({ label }));
  await tools.createPipeline({ organizationId: org, name: 'Sales', stages });
  for (const email of ['ann@acme.com', 'bob@acme.com'])
    await tools.addMember({ organizationId: org, email, name: email });
});

/** Runs a command on the organization. */
const run = (...args: string[]): Promise<Record<string, unknown>> => administered.crmJson(...args, '--org', org);

/** Runs a command that must fail, with this exit code and a message with this text. */
const refuses = async (exitCode: number, text: string, ...args: string[]): Promise<void> => {
  const stderr = expect.stringContaining(text) as unknown;
  expect(await administered.crm(...args, '--org', org)).toMatchObject({ exitCode, stderr });
};

const storedSetup = (): Promise<OrganizationSetup> => loadSetup(administered.database, org);

const stages = async (): Promise<string[]> =>
  ((await storedSetup()).pipelines[0]?.stages ?? []).map(
    ({ label, isDefault, isActive }) => `${label}${isDefault ? '*' : ''}${isActive ? '' : '-'}`,
  );

/** Creates a deal in a stage, with the owner Ann. */
const createDeal = async (name: string, stageLabel: string, values = new Map<string, number>()): Promise<void> => {
  const setup = await storedSetup();
  const [pipeline] = setup.pipelines;
  if (pipeline === undefined) throw new Error('no pipeline');
  const stageId = pipeline.stages.find(({ label }) => label === stageLabel)?.id;
  const definitions = setup.fieldIndex('opportunity', null).bySlug;
  const input = { name, stage_id: stageId, owner_id: setup.findMember('ann@acme.com')?.id };
  const change = changeOf('opportunity', input, { definitions, values });
  await runWrite(administered.database, org, opportunityCreate(setup, pipeline, change, 'keep'), null);
};

const query = (text: string): Promise<Record<string, unknown>[]> =>
  administered.database.query(org, { text, values: [] });

/** The stored deals. `shown` is the stage in the stored record. */
const stored = () =>
  query(`SELECT o.name, o.record::jsonb->>'stage_name' AS shown, o.version, o.currency,
           o.record::jsonb->'custom_fields' AS fields,
           (SELECT s.label FROM stages s WHERE s.organization_id = $1 AND s.id = o.stage_id) AS stage,
           (SELECT m.email FROM members m WHERE m.organization_id = $1 AND m.id = o.owner_id) AS owner
           FROM opportunities o WHERE o.organization_id = $1 ORDER BY o.name`);

/** Deals whose stored record differs from a rebuilt one. */
const outdated = () =>
  query(`SELECT o.name FROM opportunities o
          WHERE o.organization_id = $1 AND o.record <> opportunity_record(o, additional_contact_ids($1, o.id))
         UNION ALL SELECT 'rebuild' FROM record_rebuilds r WHERE r.organization_id = $1`);

describe('crm migrate and crm org', () => {
  it('migrate reports that there is nothing to do', async () => {
    expect(await administered.crmJson('migrate')).toEqual({ applied: [] });
  });

  it('create and list organizations; the terminal shows no control characters of their names', async () => {
    const steering = '\u001b]0;owned\u0007\u001b[2J\u202e\r';
    const created = await administered.crmJson('org', 'create', `Evil ${steering} Corp`, '--freemail', 'skip');
    const { organizations } = await administered.crmJson('org', 'list');
    expect(organizations).toContainEqual(
      expect.objectContaining({ ...created, freemail: 'skip', name: `Evil ${steering} Corp` }),
    );
    const listed = await administered.crm('org', 'list');
    expect(listed.stdout).toContain('Evil');
    const refused = await administered.crm('pipeline', 'list', '--org', `x${steering}`);
    expect(refused.exitCode).not.toBe(0);
    for (const text of [listed.stdout, refused.stderr]) expect(text).toMatch(/^[\P{C}\n\t]*$/u);
  });

  it('update sets the currency of new opportunities without one', async () => {
    await createDeal('Before', 'Open');
    await run('org', 'update', '--currency', 'EUR');
    await createDeal('New', 'Open');
    expect(await stored()).toMatchObject([
      { name: 'Before', currency: null },
      { name: 'New', currency: 'EUR' },
    ]);
    expect(await run('org', 'update', '--currency', 'none')).toMatchObject({ currency: null });
    await refuses(2, '--currency', 'org', 'update', '--currency', 'euro');
  });
});

describe('crm pipeline', () => {
  it('create, or with --if-not-exists keep an existing one', async () => {
    const args = ['pipeline', 'create', 'Deals', '--stage', 'Open', 'Won:100%', 'Lost'];
    expect(await run(...args)).toMatchObject({
      pipeline_id: expect.any(String),
      name: 'Deals',
      status: 'created',
      stages: ['Open', 'Won', 'Lost'].map((label) => ({ stage_id: expect.any(String), label })),
    });
    const kept = await run('pipeline', 'create', 'Sales', '--stage', 'Other', '--if-not-exists');
    expect(kept).toMatchObject({ status: 'exists', stages: [{ label: 'Open' }, { label: 'Talks' }, { label: 'Won' }] });
    expect(await run('pipeline', 'list')).toMatchObject({
      pipelines: [{}, { stages: [{ label: 'Open', is_default: true }, { probability: 100 }, { is_default: false }] }],
    });
    await refuses(2, '<name>: must not be blank', 'pipeline', 'create', ' ', '--stage', 'A');
  });

  it('update renames, moves, archives and restores', async () => {
    await run('pipeline', 'create', 'Renewals', '--stage', 'Due');
    await refuses(1, 'has this name', 'pipeline', 'update', 'Renewals', '--name', 'Sales');
    const renamed = await run('pipeline', 'update', 'Renewals', '--name', 'Upsell', '--position', '1');
    expect(renamed).toMatchObject({ name: 'Upsell', is_active: true });
    expect((await storedSetup()).pipelines.map(({ name }) => name)).toEqual(['Upsell', 'Sales']);
    expect(await run('pipeline', 'update', 'Upsell', '--archive')).toMatchObject({ is_active: false });
    expect(await run('pipeline', 'update', 'Upsell', '--restore')).toMatchObject({ is_active: true });
    await run('pipeline', 'update', 'Sales', '--position', '1');
    await run('stage', 'update', 'Talks', '--pipeline', 'Sales', '--default');
    expect(await stages()).toEqual(['Open', 'Talks*', 'Won']);
    await refuses(1, 'Nope', 'pipeline', 'update', 'Nope', '--archive');
  });
});

describe('crm stage', () => {
  const stage = (command: string, ...args: string[]) => ['stage', command, '--pipeline', 'Sales', ...args];

  it('add at the end or at a position, once with --if-not-exists; update moves', async () => {
    await run(...stage('add', 'Lost', '--color', 'red', '--probability', '0'));
    await run(...stage('add', 'Sent', '--position', '2', '--default'));
    expect(await stages()).toEqual(['Open', 'Sent*', 'Talks', 'Won', 'Lost']);
    expect(await run(...stage('add', 'Sent', '--if-not-exists'))).toMatchObject({ status: 'exists' });
    await run(...stage('update', 'Won', '--position', '1'));
    await run(...stage('update', 'Open', '--position', '99'));
    expect(await stages()).toEqual(['Won', 'Sent*', 'Talks', 'Lost', 'Open']);
  });

  it('update renames, also in the stored records', async () => {
    await createDeal('A', 'Talks');
    await run(...stage('update', 'Talks', '--label', 'Negotiating', '--probability', '60'));
    expect(await stored()).toMatchObject([{ name: 'A', shown: 'Negotiating', version: 1 }]);
    expect(await outdated()).toEqual([]);
  });

  it('update --archive moves opportunities only with --move-to; --restore', async () => {
    await run(...stage('update', 'Open', '--archive'));
    expect(await stages()).toEqual(['Open-', 'Talks', 'Won']);
    await createDeal('A', 'none of them');
    expect(await stored()).toMatchObject([{ stage: 'Talks' }]);
    await refuses(
      1,
      'The stage still has opportunities. Give --move-to STAGE',
      ...stage('update', 'Talks', '--archive'),
    );
    const archived = await run(...stage('update', 'Talks', '--archive', '--move-to', 'Won'));
    expect(archived).toMatchObject({ is_active: false });
    expect(await stored()).toMatchObject([{ name: 'A', stage: 'Won', shown: 'Won', version: 2 }]);
    expect(await outdated()).toEqual([]);
    await run(...stage('update', 'Open', '--restore'));
    expect(await stages()).toEqual(['Open', 'Talks-', 'Won']);
  });
});

describe('crm member', () => {
  it('add derives a missing name from the address, and keeps a member with --if-not-exists', async () => {
    expect(await run('member', 'add', 'cy.ray@acme.com')).toMatchObject({ name: 'Cy Ray', status: 'created' });
    const added = await run('member', 'add', 'Eve@Acme.com', '--name', 'Eve Lee');
    expect(added).toMatchObject({ member_id: expect.any(String), email: 'eve@acme.com', name: 'Eve Lee' });
    const kept = await run('member', 'add', 'ann@acme.com', '--name', 'Another name', '--if-not-exists');
    expect(kept).toMatchObject({ name: 'ann@acme.com', status: 'exists' });
    await refuses(1, 'this email', 'member', 'add', 'ann@acme.com');
    await refuses(2, '<email>: ', 'member', 'add', 'not an address');
  });

  it('update renames and restores; list shows former members', async () => {
    await run('member', 'update', 'ann@acme.com', '--name', 'Ann Lee', '--email', 'ann.lee@acme.com');
    await run('member', 'remove', 'bob@acme.com', '--keep-owner');
    expect((await run('member', 'list'))['members']).toMatchObject([
      { email: 'ann.lee@acme.com', name: 'Ann Lee', is_active: true },
      { email: 'bob@acme.com', is_active: false },
    ]);
    await run('member', 'update', 'bob@acme.com', '--restore');
    expect((await storedSetup()).findMember('bob@acme.com')).toMatchObject({ isActive: true });
  });

  it('remove needs --keep-owner or --reassign for an owner', async () => {
    await createDeal('A', 'Open');
    const remove = ['member', 'remove', 'ann@acme.com'];
    await refuses(1, '--keep-owner or --reassign', ...remove);
    expect(await run(...remove, '--keep-owner')).toMatchObject({ status: 'former' });
    expect(await stored()).toMatchObject([{ owner: 'ann@acme.com', version: 1 }]);
  });

  it('remove --reassign reassigns all opportunities, in several transactions, and deletes the member', async () => {
    await query(`INSERT INTO opportunities (organization_id, id, pipeline_id, account_key, name, normalized_name, owner_id, record, search_text, created_at, updated_at)
      SELECT $1, gen_random_uuid(), p.id, '', 'Deal ' || n, '', m.id, '{}', '', now(), now() FROM generate_series(1, 201) n, pipelines p, members m
       WHERE p.organization_id = $1 AND m.organization_id = $1 AND m.email = 'ann@acme.com'`);
    const args = ['member', 'remove', 'ann@acme.com', '--reassign', 'bob@acme.com', '--org', org, '--json'];
    const { stdout } = await administered.crm(...args);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'removed' });
    const owners = (await stored()).map(({ owner, version }) => `${String(owner)} ${String(version)}`);
    expect(new Set(owners)).toEqual(new Set(['bob@acme.com 2']));
    expect((await storedSetup()).members.map(({ email }) => email)).toEqual(['bob@acme.com']);
  });
});

describe('crm field', () => {
  const define = (name: string, ...args: string[]) => ['field', 'define', name, '--object', 'opportunity', ...args];

  it('define, once; again only with another slug, or without effect with --if-not-exists', async () => {
    const option = ['--option', 'web=Website:blue', 'Event'];
    const source = await run(...define('Lead source', '--type', 'select', ...option));
    expect(source).toMatchObject({ slug: 'lead_source', property_name: 'custom__lead_source' });
    await refuses(1, 'has the type select', ...define('Lead source', '--type', 'date', '--if-not-exists'));
    const again = await run(...define('Lead source', '--type', 'select', ...option, '--if-not-exists'));
    expect(again).toMatchObject({ field_id: source['field_id'], status: 'exists' });
    const pipelineId = (await storedSetup()).pipelines[0]?.id ?? '';
    const more = ['--slug', 'lead_source_2', '--type', 'date', '--pipeline', pipelineId, '--hidden'];
    expect(await run(...define('Lead source', ...more))).toMatchObject({ slug: 'lead_source_2' });
    expect(await run('field', 'list')).toMatchObject({
      fields: [
        { slug: 'lead_source', metadata: { options: [{ value: 'web' }, { value: 'Event' }] }, pipeline_ids: null },
        { slug: 'lead_source_2', is_hidden: true, pipeline_ids: [pipelineId] },
      ],
    });
  });

  it('define refuses a name without a slug, a reserved slug, and a pipeline of another organization', async () => {
    await refuses(2, '--slug', ...define('日本', '--type', 'string'));
    await refuses(2, 'reserved', ...define('X', '--type', 'date', '--slug', 'constructor'));
    const unknown = ['--type', 'date', '--pipeline', '01890000-0000-7000-8000-000000000001'];
    await refuses(1, 'no pipeline', ...define('X', ...unknown));
  });

  it('update --archive and --restore keep its values, also in the stored records', async () => {
    await run(...define('Revenue', '--type', 'number'));
    await createDeal('A', 'Open', new Map([['revenue', 7]]));
    const revenue = ['revenue', '--object', 'opportunity'];
    expect(await run('field', 'update', ...revenue, '--archive')).toMatchObject({ is_active: false });
    expect((await storedSetup()).fieldIndex('opportunity', null).definitions).toEqual([]);
    expect(await stored()).toMatchObject([{ fields: {} }]);
    expect((await run('field', 'list'))['fields']).toEqual([]);
    expect((await run('field', 'list', '--archived'))['fields']).toMatchObject([{ slug: 'revenue', is_active: false }]);
    await run('field', 'update', ...revenue, '--restore');
    expect(await stored()).toMatchObject([{ fields: { revenue: 7 } }]);
    expect(await outdated()).toEqual([]);
  });
});
