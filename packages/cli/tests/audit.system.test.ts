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

/** The commands that change an organization's setup, in the order in which they run, with the action and the main part of what is printed. */
const changes: readonly (readonly [string, string, object])[] = [
  ['org limit list=5', 'organization.limit', { limits: { list: 5 } }],
  ['org update --currency EUR', 'organization.update', { currency: 'EUR' }],
  ['api POST /v1/inbound/members -f email=ann@acme.com -f name=Ann', 'member.add', {}],
  ['api PATCH /v1/inbound/members/MEMBER -f name=Anna', 'member.update', {}],
  ['api DELETE /v1/inbound/members/MEMBER', 'member.remove', {}],
  ['api POST /v1/inbound/pipelines -f name=Sales -F stages=[{"label":"Open"},{"label":"Won"}]', 'pipeline.create', {}],
  ['api PATCH /v1/inbound/pipelines/PIPELINE -f name=Deals', 'pipeline.update', {}],
  ['api POST /v1/inbound/pipelines/PIPELINE/stages -f label=Sent', 'stage.create', {}],
  ['api PATCH /v1/inbound/stages/STAGE -f probability=100', 'stage.update', {}],
  ['api DELETE /v1/inbound/stages/STAGE', 'stage.delete', {}],
  [
    'api POST /v1/inbound/fields -f object=account -f slug=score -f current_name=Score -f attribute_type=select -F options=[{"label":"A"}]',
    'field.define',
    {},
  ],
  ['api PATCH /v1/inbound/fields/FIELD -f is_hidden=true', 'field.update', {}],
  ['api POST /v1/inbound/fields/FIELD/options -f label=B', 'field.update', {}],
  ['api DELETE /v1/inbound/fields/FIELD', 'field.delete', {}],
  ['key create --allow list', 'key.create', { allowed_operations: ['list'] }],
  ['key limit KEY list=5', 'key.limit', { limits: { list: 5 } }],
  ['key rotate KEY', 'key.rotate', { api_key: expect.stringMatching(/^crm_live_/) }],
  ['key revoke KEY', 'key.revoke', {}],
  ['rebuild', 'opportunities.rebuild', {}],
];

/**
 * Commands without an event of their own. Most only read. `migrate` changes tables but no organization. Changes of records go through
 * the API, which logs them. `start` sets up its demo organization as `crm start`. The changes of `apply` and `import-all` are recorded
 * with the actions of the operations above. `org create` is the first event of each organization, and `org delete` the only one of a
 * deleted one.
 */
const withoutEvents = [
  ...['start', 'migrate', 'roles apply', 'org create', 'org delete', 'org list', 'get', 'search', 'create', 'update'],
  ...['key list', 'key check', 'explain', 'distribute', 'duplicates', 'merge', 'mcp', 'apply', 'import', 'import init'],
  ...['import-all', 'restore', 'backup', 'restore-backup', 'types', 'webhook listen', 'completion'],
  ...['export', 'events export', 'events tail', 'audit', 'doctor'],
];

/** The ids of what a command made, by the word that stands for them in later commands. */
const idsOf = (printed: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> => {
  const { member, pipeline, stage, field } = (printed['data'] ?? {}) as Readonly<
    Record<string, Record<string, string>>
  >;
  const ids = {
    KEY: printed['key_id'],
    MEMBER: member?.['member_id'],
    PIPELINE: pipeline?.['pipeline_id'],
    STAGE: stage?.['stage_id'],
    FIELD: field?.['field_id'],
  };
  return Object.fromEntries(Object.entries(ids).flatMap(([word, id]) => (typeof id === 'string' ? [[word, id]] : [])));
};

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
  let ids: Readonly<Record<string, string>> = {};
  for (const [command, , shown] of changes) {
    const words = command.split(' ').map((word) => word.replace(/[A-Z]{3,}/, (name) => ids[name] ?? name));
    const printed = await administered.crmJson(...words, '--org', org, '--actor', actorOf(command));
    expect({ command, ...printed }).toMatchObject(shown);
    ids = { ...ids, ...idsOf(printed) };
    apiKey = (printed['api_key'] as string | undefined) ?? apiKey;
  }
  events = (await eventsOf(org)).toReversed();
});
afterAll(() => administered.close());

describe('the audit trail', () => {
  it('knows every command, with or without an event', async () => {
    const onInterrupt = () => new AbortController().signal;
    const { stdout, stderr } = process;
    const leaves = leavesOf(await createProgram({ env: {}, stdout, stderr, onInterrupt }));
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
    await administered.api(org, 'POST /v1/inbound/fields', {
      ...{ object: 'account', slug: 'kept', current_name: 'Kept', attribute_type: 'string' },
    });
    await administered.api(org, 'POST /v1/inbound/members', { email: 'bob@acme.com', name: 'Bob' });
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
    const again = ['-f', 'email=bob@acme.com', '-f', 'name=Bob', '--org', org];
    expect(await administered.crm('api', 'POST', '/v1/inbound/members', ...again)).toMatchObject({ exitCode: 1 });
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
