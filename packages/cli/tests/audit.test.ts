import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

import { administration } from '@crm/db';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createProgram } from '../src/program.js';
import { createAdministeredDatabase, type AdministeredDatabase } from './support/administered-database.js';

let administered: AdministeredDatabase;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-audit-'));
  administered = await createAdministeredDatabase({ CRM_ACTOR: 'ann@acme.com', CRM_DATA_DIR: directory });
});
afterAll(async () => {
  await administered.drop();
  await rm(directory, { recursive: true });
});

interface AuditEvent {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly command_id: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const eventsOf = async (org: string, ...args: string[]): Promise<readonly AuditEvent[]> =>
  (await administered.crmJson('audit', '--org', org, ...args))['events'] as readonly AuditEvent[];

/** The ids of the records that a command works on. */
interface SetUp {
  readonly org: string;
  readonly keyId: string;
}

/** Every command that changes an organization's setup, with the action that it records. */
const changes: Readonly<Record<string, { readonly action: string; readonly args: (setUp: SetUp) => string[] }>> = {
  'org limit': { action: 'organization.limit', args: () => ['list=5'] },
  'member add': { action: 'member.add', args: () => ['ann@acme.com'] },
  'member update': { action: 'member.update', args: () => ['bob@acme.com', '--name', 'Bob'] },
  'member remove': { action: 'member.remove', args: () => ['bob@acme.com'] },
  'org update': { action: 'organization.update', args: () => ['--currency', 'EUR'] },
  'pipeline create': { action: 'pipeline.create', args: () => ['Deals', '--stage', 'Open'] },
  'pipeline update': { action: 'pipeline.update', args: () => ['Renewals', '--name', 'Upsell'] },
  'stage add': { action: 'stage.create', args: () => ['Sent', '--pipeline', 'Sales'] },
  'stage update': { action: 'stage.update', args: () => ['Won', '--pipeline', 'Sales', '--probability', '100'] },
  'stage move': { action: 'stage.update', args: () => ['Won', '--pipeline', 'Sales', '--position', '1'] },
  'stage archive': { action: 'stage.update', args: () => ['Lost', '--pipeline', 'Sales'] },
  'field define': {
    action: 'field.define',
    args: () => ['Score', '--object', 'contact', '--type', 'rating'],
  },
  'field update': { action: 'field.update', args: () => ['source', '--object', 'opportunity', '--hidden'] },
  'field archive': { action: 'field.update', args: () => ['source', '--object', 'opportunity'] },
  'field restore': { action: 'field.update', args: () => ['source', '--object', 'opportunity'] },
  'key create': { action: 'key.create', args: () => ['--allow', 'list'] },
  'key rotate': { action: 'key.rotate', args: ({ keyId }) => [keyId] },
  'key revoke': { action: 'key.revoke', args: ({ keyId }) => [keyId] },
  rebuild: { action: 'opportunities.rebuild', args: () => [] },
};

/**
 * Commands without an event of their own. Most only read. `migrate` changes tables but no organization. Changes of
 * records go through the API, which logs them. `start` sets up its demo organization as `crm start`.
 */
const withoutEvents = [
  'start',
  'migrate',
  'roles apply',
  'org list',
  'member list',
  'pipeline list',
  'field list',
  'key list',
  'key check',
  'explain',
  'distribute',
  'duplicates',
  'merge',
  // Has its own test: its changes are recorded with the actions of the commands above.
  'apply',
  'import',
  'import init',
  'export',
  'events export',
  'events tail',
  'audit',
  'doctor',
  'completion',
  'help',
];
/** Has its own test, because no organization exists before it. */
const creating = ['org create'];

/** The commands that can be run. A command with an argument can run by itself, in addition to its subcommands. */
const leavesOf = (command: Command, path: readonly string[] = []): string[] => [
  ...(command.commands.length === 0 || command.registeredArguments.length > 0 ? [path.join(' ')] : []),
  ...command.commands.flatMap((child) => leavesOf(child, [...path, child.name()])),
];

const setUp = async (): Promise<SetUp> => {
  const org = await administered.createOrganization();
  const { key_id: keyId } = await administered.crmJson('key', 'create', '--org', org);
  await administered.crmJson('field', 'define', 'Source', '--org', org, '--object', 'opportunity', '--type', 'string');
  await administered.crmJson('member', 'add', 'bob@acme.com', '--org', org);
  for (const name of ['Sales', 'Renewals']) {
    await administered.crmJson('pipeline', 'create', name, '--org', org, '--stage', 'Open', 'Won', 'Lost');
  }
  return { org, keyId: String(keyId) };
};

describe('the audit trail', () => {
  it('lists every command, with or without an event', () => {
    const context = {
      env: {},
      stdout: process.stdout,
      stderr: process.stderr,
      onInterrupt: () => new AbortController().signal,
    };
    const known = [...Object.keys(changes), ...withoutEvents, ...creating];
    // Add a new command above: to `changes` if it changes an organization's setup.
    expect(leavesOf(createProgram(context)).sort()).toEqual(known.sort());
  });

  it.each(Object.entries(changes))('records who did what and when: crm %s', async (command, { action, args }) => {
    const prepared = await setUp();
    const { org } = prepared;
    const before = await eventsOf(org);
    const result = await administered.crm(...command.split(' '), ...args(prepared), '--org', org, '--actor', 'Bob Ray');
    expect(result).toMatchObject({ exitCode: 0 });
    const events = (await eventsOf(org)).slice(0, -before.length);
    expect(events.map((event) => event.action)).toContain(action);
    expect(new Set(events.map((event) => event.command_id))).toHaveProperty('size', 1);
    for (const event of events) expect(event).toMatchObject({ actor: 'Bob Ray', os_user: userInfo().username });
  });

  it('begins with the organization itself, and takes the actor from CRM_ACTOR', async () => {
    const org = await administered.createOrganization();
    expect(await eventsOf(org)).toEqual([
      {
        event_id: expect.any(String),
        at: expect.stringMatching(/Z$/),
        actor: 'ann@acme.com',
        os_user: userInfo().username,
        command_id: expect.any(String),
        action: 'organization.create',
        target: org,
        details: { name: 'Acme Sales', freemail: 'create' },
      },
    ]);
  });

  it('stores the event and the change in one transaction', async () => {
    const { org, keyId } = await setUp();
    for (const [command, { args }] of Object.entries(changes)) {
      if (command === 'rebuild' || command === 'key revoke') continue;
      await administered.crm(...command.split(' '), ...args({ org, keyId }), '--org', org);
    }
    const sources = ['organizations', 'members', 'pipelines', 'stages', 'custom_fields', 'api_keys'];
    const rowsOf = (table: string): string =>
      `SELECT '${table}' AS name, xmin::text FROM ${table} WHERE ${table === 'organizations' ? 'id' : 'organization_id'} = $1`;
    const rows = await administered.database.query<{ name: string; xmin: string; noted: boolean }>(org, {
      text: `SELECT r.*, EXISTS (SELECT FROM audit_events e WHERE e.organization_id = $1 AND e.xmin::text = r.xmin) AS noted
               FROM (${sources.map(rowsOf).join(' UNION ALL ')}) r`,
      values: [],
    });
    expect(new Set(rows.map(({ name }) => name))).toHaveProperty('size', sources.length);
    expect(rows.filter(({ noted }) => !noted)).toEqual([]);
  });

  it('has no event of a command that failed or changed nothing', async () => {
    const { org, keyId } = await setUp();
    await administered.crmJson('member', 'add', 'ann@acme.com', '--org', org);
    await administered.crmJson('key', 'revoke', keyId, '--org', org);
    const before = await eventsOf(org);
    await administered.crmJson('member', 'add', 'ann@acme.com', '--org', org);
    await administered.crmJson('key', 'revoke', keyId, '--org', org);
    expect(await administered.crm('key', 'rotate', keyId, '--org', org)).toMatchObject({ exitCode: 1 });
    expect(await eventsOf(org)).toEqual(before);
  });

  it('never contains a key or its hash', async () => {
    const { org, keyId } = await setUp();
    const { api_key: rotated } = await administered.crmJson('key', 'rotate', keyId, '--org', org);
    const { stdout } = await administered.crm('audit', '--org', org, '--json');
    expect(stdout).toContain('key.rotate');
    expect(stdout).not.toMatch(/crm_live_[0-9A-Za-z]{7}/);
    expect(stdout).not.toContain(String(rotated).slice(-12));
    expect(stdout).not.toContain('hash');
  });

  it('is listed per organization since a time, the latest first, up to a limit', async () => {
    const { org } = await setUp();
    const stranger = await administered.createOrganization();
    const all = await eventsOf(org);
    expect(all.map(({ action }) => action)).toEqual([
      ...['pipeline.create', 'pipeline.create', 'member.add'],
      ...['field.define', 'key.create', 'organization.create'],
    ]);
    expect(await eventsOf(org, '--limit', '1')).toEqual(all.slice(0, 1));
    expect(await eventsOf(org, '--since', '1h')).toEqual(all);
    expect(await eventsOf(org, '--since', new Date(Date.now() + 60_000).toISOString())).toEqual([]);
    expect(await eventsOf(stranger)).toHaveLength(1);
  });

  it('replaces control characters in names', async () => {
    const org = await administered.createOrganization();
    const crm = await administered.crm('key', 'create', '--org', org, '--actor', 'x\u001b[2J\nforged');
    expect(crm.exitCode).toBe(0);
    const { stdout } = await administered.crm('audit', '--org', org);
    expect(stdout).not.toContain('\u001b');
    expect(stdout.trim().split('\n')).toHaveLength(3);
  });

  it('is written by every function of the administration that makes changes', () => {
    const reading = /^(list|find)[A-Z]/;
    const writing = Object.keys(administration(administered.database)).filter((name) => !reading.test(name));
    // A command above calls each of these functions. A new function needs such a command too.
    expect(writing.sort()).toEqual(
      [
        'createOrganization',
        'limitOrganization',
        'addMember',
        'changeSetup',
        'moveOpportunities',
        'createPipeline',
        'defineField',
        'updateField',
        'createApiKey',
        'rotateApiKey',
        'revokeApiKey',
      ].sort(),
    );
  });
});
