import { loadSetup, type OrganizationSetup } from '@crm/db';
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

const query = (text: string): Promise<Record<string, unknown>[]> =>
  administered.database.query(org, { text, values: [] });

/** Adds deals in the stage Talks, with the owner Ann. */
const addDeals = (count: number) =>
  query(`INSERT INTO opportunities (organization_id, id, pipeline_id, stage_id, account_key, name, normalized_name, owner_id, record, search_text, created_at, updated_at)
    SELECT $1, gen_random_uuid(), s.pipeline_id, s.id, '', 'Deal ' || n, '', m.id, '{}', '', now(), now()
      FROM generate_series(1, ${count}) n, stages s, members m
     WHERE s.organization_id = $1 AND s.label = 'Talks' AND m.organization_id = $1 AND m.email = 'ann@acme.com'`);

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

  it('update clears the currency, and names the option of a bad one', async () => {
    await run('org', 'update', '--currency', 'EUR');
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

  it('names the pipelines if there is none with the name', async () => {
    await refuses(1, 'There is no pipeline Nope. The pipelines are: Sales', 'pipeline', 'update', 'Nope', '--archive');
  });
});

describe('crm stage', () => {
  const stage = (command: string, ...args: string[]) => ['stage', command, '--pipeline', 'Sales', ...args];

  it('add, once with --if-not-exists; update --probability none', async () => {
    const added = await run(...stage('add', 'Sent', '--position', '2', '--default', '--probability', '5.5'));
    expect(added).toMatchObject({ label: 'Sent', position: 2, is_default: true, probability: 5.5, status: 'created' });
    const kept = await run(...stage('add', 'Sent', '--if-not-exists'));
    expect(kept).toMatchObject({ status: 'exists', stage_id: added['stage_id'] });
    expect(await run(...stage('update', 'Sent', '--probability', 'none'))).toMatchObject({ probability: null });
    await refuses(2, 'Must be a number, or none', ...stage('update', 'Sent', '--probability', 'high'));
  });

  it('update --archive says that opportunities need --move-to', async () => {
    await addDeals(1);
    const archive = stage('update', 'Talks', '--archive');
    await refuses(1, 'The stage still has opportunities. Give --move-to STAGE', ...archive);
    expect(await run(...archive, '--move-to', 'Won')).toMatchObject({ is_active: false });
    await refuses(2, 'No change is given', ...stage('update', 'Talks'));
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

  it('remove needs --keep-owner for an owner, or --reassign, which takes several transactions for many deals', async () => {
    await addDeals(201);
    const remove = ['member', 'remove', 'ann@acme.com'];
    await refuses(1, '--keep-owner or --reassign', ...remove);
    expect(await run(...remove, '--keep-owner')).toMatchObject({ status: 'former' });
    expect((await run('member', 'list'))['members']).toMatchObject([{ is_active: false }, { is_active: true }]);
    await run('member', 'update', 'ann@acme.com', '--restore');
    const removed = await administered.crm(...remove, '--reassign', 'bob@acme.com', '--org', org, '--json');
    expect(JSON.parse(removed.stdout)).toMatchObject({ status: 'removed' });
    const owners = `SELECT DISTINCT m.email FROM opportunities o JOIN members m ON m.organization_id = $1 AND m.id = o.owner_id WHERE o.organization_id = $1`;
    expect(await query(owners)).toEqual([{ email: 'bob@acme.com' }]);
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

  it('define refuses a name without a slug, and an unknown pipeline', async () => {
    await refuses(2, '--slug', ...define('日本', '--type', 'string'));
    const unknown = ['--type', 'date', '--pipeline', '01890000-0000-7000-8000-000000000001'];
    await refuses(1, 'no pipeline', ...define('X', ...unknown));
  });

  it('list leaves out archived fields unless asked', async () => {
    await run(...define('Revenue', '--type', 'number'));
    const revenue = ['revenue', '--object', 'opportunity'];
    expect(await run('field', 'update', ...revenue, '--archive')).toMatchObject({ is_active: false });
    expect((await run('field', 'list'))['fields']).toEqual([]);
    expect((await run('field', 'list', '--archived'))['fields']).toMatchObject([{ slug: 'revenue', is_active: false }]);
  });
});
