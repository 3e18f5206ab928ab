import { userInfo } from 'node:os';
import { administration } from '@crm/db';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../src/program.js';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

interface AuditEvent {
  readonly actor: string;
  readonly os_user: string;
  readonly action: string;
  readonly target: string;
  readonly command_id: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Every command that changes an organization's setup, in the order in which they run, with the action that it records
 * and the main part of what it prints. setup-commands.system.test.ts and keys.system.test.ts have their other options.
 */
const changes: readonly (readonly [string, string, object])[] = [
  ['org limit list=5', 'organization.limit', { limits: { list: 5 } }],
  ['org update --currency EUR', 'organization.update', { currency: 'EUR' }],
  ['member add ann@acme.com', 'member.add', { email: 'ann@acme.com', status: 'created' }],
  ['member update ann@acme.com --name Ann', 'member.update', { name: 'Ann' }],
  ['member remove ann@acme.com', 'member.remove', { status: 'removed' }],
  ['pipeline create Sales --stage Open Won Lost', 'pipeline.create', { name: 'Sales', status: 'created' }],
  ['pipeline update Sales --name Deals', 'pipeline.update', { name: 'Deals' }],
  ['stage add Sent --pipeline Deals', 'stage.create', { label: 'Sent', status: 'created' }],
  ['stage update Won --pipeline Deals --probability 100', 'stage.update', { label: 'Won', probability: 100 }],
  ['stage update Lost --pipeline Deals --archive', 'stage.update', { label: 'Lost', is_active: false }],
  ['stage delete Lost --pipeline Deals', 'stage.delete', {}],
  [
    'field define Score --object opportunity --type select --option A',
    'field.define',
    { slug: 'score', status: 'created' },
  ],
  ['field update score --object opportunity --hidden', 'field.update', { slug: 'score' }],
  ['field update score --object opportunity --archive', 'field.update', { is_active: false }],
  ['field update score --object opportunity --restore', 'field.update', { is_active: true }],
  ['option add B --object opportunity --field score', 'field.update', { slug: 'score' }],
  ['option update A --object opportunity --field score --archive', 'field.update', { slug: 'score' }],
  ['field define Spare --object account --type string', 'field.define', { slug: 'spare', status: 'created' }],
  ['field delete spare --object account', 'field.delete', {}],
  ['key create --allow list', 'key.create', { allowed_operations: ['list'] }],
  ['key limit KEY list=5', 'key.limit', { limits: { list: 5 } }],
  ['key rotate KEY', 'key.rotate', { api_key: expect.stringMatching(/^crm_live_/) }],
  ['key revoke KEY', 'key.revoke', {}],
  ['rebuild', 'opportunities.rebuild', {}],
];

/**
 * Commands without an event of their own. Most only read. `migrate` changes tables but no organization. Changes of
 * records go through the API, which logs them, and those of webhooks need a key. `start` sets up its demo organization as `crm start`. The changes of
 * `apply` and `import-all` are recorded with the actions of the commands above. `org create` is the first event of each organization, and `org delete` the only one of a deleted one.
 */
const withoutEvents = [
  ...[
    'start',
    'migrate',
    'roles apply',
    'org create',
    'org delete',
    'org list',
    'member list',
    'pipeline list',
    'field list',
  ],
  ...['key list', 'key check', 'explain', 'distribute', 'duplicates', 'merge', 'mcp', 'apply', 'import', 'import init'],
  'import-all',
  ...['restore', 'backup', 'restore-backup', 'types'],
  ...['export', 'events export', 'events tail', 'audit', 'doctor'],
  // Changes of webhooks are recorded with the key that makes them.
  ...[
    'create',
    'update',
    'rotate-secret',
    'test',
    'replay',
    'skip',
    'delete',
    'list',
    'attempts',
    'parked',
    'listen',
  ].map((verb) => `webhook ${verb}`),
];

/** The commands that can be run. A command with an argument can run by itself, in addition to its subcommands. */
const leavesOf = (command: Command, path: readonly string[] = []): string[] => [
  ...(command.commands.length === 0 || command.registeredArguments.length > 0 ? [path.join(' ')] : []),
  ...command.commands.flatMap((child) => leavesOf(child, [...path, child.name()])),
];

/** The actor of a command, with control characters. */
const actorOf = (command: string): string => `${command}\u001b[2J\nforged`;

let administered: AdministeredDatabase;
let org: string;
let apiKey: string;
let events: readonly AuditEvent[];

const eventsOf = async (organizationId: string, ...args: string[]): Promise<readonly AuditEvent[]> =>
  (await administered.crmJson('audit', '--org', organizationId, ...args))['events'] as readonly AuditEvent[];

beforeAll(async () => {
  administered = administer(readTestStack().databaseUrl, { CRM_ACTOR: 'ann@acme.com' });
  org = String((await administered.crmJson('org', 'create', 'Acme Sales'))['organization_id']);
  let keyId = '';
  for (const [command, , shown] of changes) {
    const words = command.replace('KEY', keyId).split(' ');
    const printed = await administered.crmJson(...words, '--org', org, '--actor', actorOf(command));
    expect({ command, ...printed }).toMatchObject(shown);
    keyId = (printed['key_id'] as string | undefined) ?? keyId;
    apiKey = (printed['api_key'] as string | undefined) ?? apiKey;
  }
  events = (await eventsOf(org)).toReversed();
});
afterAll(() => administered.close());

describe('the audit trail', () => {
  it('knows every command, with or without an event', () => {
    const onInterrupt = () => new AbortController().signal;
    const { stdout, stderr } = process;
    const leaves = leavesOf(createProgram({ env: {}, stdout, stderr, onInterrupt }));
    const changing = leaves.filter((leaf) => changes.some(([one]) => `${one} `.startsWith(`${leaf} `)));
    // Add a new command above: to `changes` if it changes an organization's setup.
    expect(leaves.filter((leaf) => !changing.includes(leaf)).sort()).toEqual(withoutEvents.sort());
    const unknown = changes.filter(([one]) => !leaves.some((leaf) => `${one} `.startsWith(`${leaf} `)));
    expect(unknown).toEqual([]);
  });

  it.each(changes)('records who did what: crm %s', (command, action) => {
    const own = events.filter(({ actor }) => actor === actorOf(command));
    expect(own.map((event) => event.action)).toContain(action);
    expect(new Set(own.map((event) => event.command_id)).size).toBe(1);
  });

  it('begins with the organization itself, and takes the actor from CRM_ACTOR', () => {
    expect(events[0]).toEqual({
      event_id: expect.any(String),
      at: expect.stringMatching(/Z$/),
      actor: 'ann@acme.com',
      os_user: userInfo().username,
      command_id: expect.any(String),
      action: 'organization.create',
      target: org,
      target_name: 'Acme Sales',
      before: {},
      details: { name: 'Acme Sales', freemail: 'create' },
    });
  });

  it('stores the event and the change in one transaction', async () => {
    await administered.crmJson('member', 'add', 'bob@acme.com', '--if-not-exists', '--org', org);
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
    const { target: keyId = '' } = events.find(({ action }) => action === 'key.revoke') ?? {};
    const before = await eventsOf(org);
    await administered.crmJson('member', 'add', 'bob@acme.com', '--if-not-exists', '--org', org);
    expect(await administered.crm('key', 'rotate', keyId, '--org', org)).toMatchObject({ exitCode: 1 });
    expect(await eventsOf(org)).toEqual(before);
  });

  it('never contains a key or its hash', () => {
    const text = JSON.stringify(events);
    expect(text).toContain('key.rotate');
    expect(text).not.toMatch(/crm_live_[0-9A-Za-z]{7}/);
    expect(text).not.toContain(apiKey.slice(-12));
    expect(text).not.toContain('hash');
  });

  it('is listed since a time, the latest first, up to a limit', async () => {
    const [latest] = await eventsOf(org, '--since', '1h', '--limit', '1');
    expect(latest).toMatchObject({ action: 'member.add', actor: 'ann@acme.com' });
    expect(await eventsOf(org, '--since', new Date(Date.now() + 60_000).toISOString())).toEqual([]);
  });

  it('is printed with one line for each event, even if its names have control characters', async () => {
    const { stdout } = await administered.crm('audit', '--org', org);
    expect(stdout).not.toContain('\u001b');
    expect(stdout.trim().split('\n').length).toBeGreaterThan(events.length);
    expect(stdout).not.toMatch(/^forged/m);
  });

  it('is written by every function of the administration that makes changes', () => {
    const reading = /^(list|find)[A-Z]/;
    const writing = Object.keys(administration(administered.database)).filter((name) => !reading.test(name));
    // A command above calls each of these functions. A new function needs such a command too.
    const known = [
      ...['createOrganization', 'limitOrganization', 'updateOrganization', 'deleteOrganization'],
      ...['createApiKey', 'limitApiKey', 'rotateApiKey', 'revokeApiKey'],
    ];
    expect(writing.sort()).toEqual(known.sort());
  });
});
