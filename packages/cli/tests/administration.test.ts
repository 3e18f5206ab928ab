import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findApiKeyByHash, type Database } from '@crm/db';
import { hashApiKey, parseApiKey } from '@crm/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { runCrm } from './run-crm.js';
import { createAdministeredDatabase, type AdministeredDatabase } from './support/administered-database.js';

const unknownId = '01890000-0000-7000-8000-000000000001';

let administered: AdministeredDatabase;
let database: Database;
let directory: string;

beforeAll(async () => {
  administered = await createAdministeredDatabase();
  ({ database } = administered);
  directory = await mkdtemp(join(tmpdir(), 'crm-administration-'));
});
afterAll(async () => {
  await administered.drop();
  await rm(directory, { recursive: true });
});

const crm: AdministeredDatabase['crm'] = (...args) => administered.crm(...args);
const crmJson: AdministeredDatabase['crmJson'] = (...args) => administered.crmJson(...args);
const createOrganization = (): Promise<string> => administered.createOrganization();

describe('crm migrate', () => {
  it('reports that there is nothing to do', async () => {
    expect(await crmJson('migrate')).toEqual({ applied: [] });
  });
});

describe('crm org', () => {
  it('creates and lists organizations', async () => {
    const created = await crmJson('org', 'create', 'No free mail', '--freemail', 'skip');
    const { organizations } = await crmJson('org', 'list');
    expect(organizations).toContainEqual(expect.objectContaining({ ...created, freemail: 'skip' }));
  });
});

describe('output on a terminal', () => {
  const steering = '\u001b]0;owned\u0007\u001b[2J\u202e\r';

  it('replaces control characters in stored names, and JSON keeps them', async () => {
    const name = `Evil ${steering} Corp`;
    await crm('org', 'create', name);
    const listed = await crm('org', 'list');
    expect(listed.stdout).toContain('Evil');
    expect(listed.stdout).toMatch(/^[\P{C}\n\t]*$/u);
    const { organizations } = await crmJson('org', 'list');
    expect(organizations).toContainEqual(expect.objectContaining({ name }));
    const refused = await crm('pipeline', 'list', '--org', `x${steering}`);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toMatch(/^[\P{C}\n\t]*$/u);
  });
});

describe('crm key', () => {
  it('creates a key that works, and stores only its hash', async () => {
    const org = await createOrganization();
    const args = ['--org', org, '--allow', 'list,createNote', '--limit', 'list=5', '--expires', '90d'];
    const created = await crmJson('key', 'create', ...args);
    const apiKey = String(created['api_key']);
    expect(parseApiKey(apiKey)).toBe(apiKey);
    expect(await findApiKeyByHash(database, hashApiKey(apiKey))).toMatchObject({
      id: created['key_id'],
      organizationId: org,
      allowedOperations: ['list', 'createNote'],
      limits: { list: 5 },
      revokedAt: null,
    });
    const listed = await crm('key', 'list', '--org', org, '--json');
    expect(listed.stdout).not.toContain(apiKey);
    expect(listed.stdout).toContain('"status":"valid"');
  });

  it('does not allow deleting by default', async () => {
    const org = await createOrganization();
    const { allowed_operations: allowed } = await crmJson('key', 'create', '--org', org);
    expect(allowed).toEqual(['list', 'search', 'inbound', 'bulk']);
  });

  it('revokes only keys of its organization', async () => {
    const org = await createOrganization();
    const { key_id: keyId } = await crmJson('key', 'create', '--org', org);
    const foreign = await crm('key', 'revoke', String(keyId), '--org', await createOrganization());
    expect(foreign.exitCode).toBe(1);
    await crmJson('key', 'revoke', String(keyId), '--org', org);
    expect(await crmJson('key', 'list', '--org', org)).toMatchObject({ keys: [{ key_id: keyId, status: 'revoked' }] });
  });
});

describe('crm member add', () => {
  it('adds members by address and from a file, and keeps existing ones', async () => {
    const org = await createOrganization();
    await crmJson('member', 'add', '--org', org, 'Ann@Acme.com', '--name', 'Ann Lee');
    const file = join(directory, 'members.csv');
    await writeFile(
      file,
      '\ufeffemail,name\r\nann@acme.com,Another name\r\nbob.ray@acme.com\r\n"c@acme.com","Lee, C"\r\n',
    );
    expect(await crmJson('member', 'add', '--org', org, '--file', file)).toEqual({
      members: [
        { member_id: expect.any(String), email: 'ann@acme.com', name: 'Ann Lee', status: 'exists' },
        { member_id: expect.any(String), email: 'bob.ray@acme.com', name: 'Bob Ray', status: 'created' },
        { member_id: expect.any(String), email: 'c@acme.com', name: 'Lee, C', status: 'created' },
      ],
    });
  });

  it('adds no member if one line of the file is wrong', async () => {
    const org = await createOrganization();
    const file = join(directory, 'wrong.csv');
    await writeFile(file, 'ann@acme.com\nnot an address\n');
    const result = await crm('member', 'add', '--org', org, '--file', file);
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('wrong.csv:2: not an address') });
    expect(await crmJson('member', 'add', '--org', org, 'ann@acme.com')).toMatchObject({
      members: [{ status: 'created' }],
    });
  });
});

describe('crm pipeline and crm field', () => {
  it('set up a pipeline with stages and fields', async () => {
    const org = await createOrganization();
    const pipeline = await crmJson('pipeline', 'create', '--org', org, 'Deals', '--stage', 'Open', 'Won:100%', 'Lost');
    expect(pipeline).toEqual({
      pipeline_id: expect.any(String),
      name: 'Deals',
      status: 'created',
      stages: ['Open', 'Won', 'Lost'].map((label) => ({ stage_id: expect.any(String), label })),
    });
    const common = ['--org', org, '--object', 'opportunity'];
    const select = await crmJson(
      'field',
      'define',
      ...common,
      'Lead source',
      '--type',
      'select',
      '--option',
      'web=Website:blue',
      'Event',
    );
    expect(select).toMatchObject({ slug: 'lead_source', property_name: 'custom__lead_source' });
    const taken = await crm('field', 'define', ...common, 'Lead source', '--type', 'date');
    expect(taken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('custom field lead_source already') });
    const again = await crmJson(
      'field',
      'define',
      ...common,
      'Lead source',
      '--slug',
      'lead_source_2',
      '--type',
      'date',
      '--pipeline',
      String(pipeline['pipeline_id']),
      '--hidden',
    );
    expect(again).toMatchObject({ slug: 'lead_source_2' });
    expect(await crmJson('field', 'list', '--org', org)).toMatchObject({
      fields: [
        { slug: 'lead_source', metadata: { options: [{ value: 'web' }, { value: 'Event' }] }, pipeline_ids: null },
        { slug: 'lead_source_2', is_hidden: true, pipeline_ids: [pipeline['pipeline_id']] },
      ],
    });
    expect(await crmJson('pipeline', 'list', '--org', org)).toMatchObject({
      pipelines: [{ stages: [{ label: 'Open', is_default: true }, { probability: 100 }, { is_default: false }] }],
    });
  });

  it.each([
    [['field', 'define', 'X', '--object', 'opportunity', '--type', 'select'], 2, /--option: .* needs at least one/],
    [
      ['field', 'define', 'X', '--object', 'opportunity', '--type', 'date', '--currency', 'EUR'],
      2,
      /--currency does not apply to/,
    ],
    [['field', 'define', 'X', '--object', 'opportunity', '--type', 'date', '--slug', 'constructor'], 2, /reserved/],
    [
      ['field', 'define', 'X', '--object', 'account', '--type', 'date', '--pipeline', unknownId],
      2,
      /opportunity fields/,
    ],
    [['field', 'define', 'X', '--object', 'opportunity', '--type', 'date', '--pipeline', unknownId], 1, /no pipeline/],
    [['field', 'define', ' ', '--object', 'account', '--type', 'date'], 2, /^crm: <name>: must not be blank/],
    [['pipeline', 'create', ' ', '--stage', 'A'], 2, /^crm: <name>: must not be blank/],
    [['pipeline', 'create', 'P', '--stage', 'A', 'A'], 2, /--stage: "A" is given twice/],
  ])('refuse %j', async (args, exitCode, message) => {
    const result = await crm(...args, '--org', await createOrganization());
    expect(result).toMatchObject({ exitCode, stderr: expect.stringMatching(message) });
  });
});

describe('every command', () => {
  const commands = [
    ['key', 'create'],
    ['key', 'rotate', unknownId],
    ['key', 'list'],
    ['org', 'limit', 'list=1'],
    ['audit'],
    ['member', 'add', 'a@b.com'],
    ['pipeline', 'create', 'P', '--stage', 'A'],
    ['pipeline', 'list'],
    ['field', 'define', 'F', '--object', 'contact', '--type', 'date'],
    ['field', 'list'],
  ];

  it.each(commands)('reports an unknown organization: %s %s', async (...args) => {
    const result = await crm(...args, '--org', unknownId, '--json');
    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`no organization ${unknownId}`) });
    expect(JSON.parse(result.stdout)).toEqual({ error: { message: expect.any(String), exit_code: 1 } });
  });

  it('asks for a database, and prints no password if the database is unreachable', async () => {
    const env = { CRM_DATA_DIR: directory };
    expect(await runCrm(['org', 'list'], env)).toMatchObject({
      exitCode: 78,
      stderr: expect.stringContaining('DATABASE_URL'),
    });
    expect(await runCrm(['org', 'list', '--database-url', 'mysql://x'], env)).toMatchObject({ exitCode: 78 });
    const away = await runCrm(['org', 'list', '--database-url', 'postgres://crm:s3cret@127.0.0.1:1/crm'], env);
    expect(away).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('127.0.0.1:1/crm cannot be used') });
    expect(away.stderr).not.toContain('s3cret');
  });

  it('has help with examples', async () => {
    for (const args of [[], ['start'], ['migrate'], ['import'], ['org', 'create'], ...commands]) {
      const result = await crm(...args.slice(0, 2), '--help');
      expect(result).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(/\$ (crm|npm)/) });
    }
  });
});
