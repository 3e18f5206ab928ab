import { applyRoles, distribute, migrate, rebuildRecords, roleSql, type AuditEventRow, type RoleNames } from '@crm/db';

import {
  databaseCommand,
  organizationCommand,
  shownDatabase,
  type AdministrationOptions,
  type OrganizationOptions,
} from '../administration/session.js';
import { textTable } from '../administration/text-table.js';
import { pastInstant } from '../administration/values.js';
import { errorText, usageError } from '../errors.js';
import { wholeNumber } from '../options.js';
import { describeChanges } from '../setup/plan/plan-step.js';

/** Adds `crm migrate`. */
export const addMigrateCommand = databaseCommand({
  name: 'migrate',
  description: 'migrate the database to this version',
  help: `
Examples:
  $ crm migrate --database-url postgres://crm:secret@db.example.com:5432/crm
  $ DATABASE_URL=postgres://… crm migrate --json

Safe to run at every deployment, before the gateways of the new version start. A second run waits until the first has ended.
Next: crm org create "Your company"`,
  run: async ({ url, context: { stderr } }) => {
    const applied = await migrate(url, {
      onNewer: (newer) =>
        stderr.write(`The database has migrations of a newer version (${newer.join(', ')}): they stay.\n`),
      onProgress: (pending) => stderr.write(`Applying ${pending.length} migrations …\n`),
    });
    const names = applied.map((name) => `  ${name}`).join('\n');
    const text =
      applied.length === 0
        ? `The database ${shownDatabase(url)} is up to date.`
        : `The database ${shownDatabase(url)} is migrated:\n${names}\nNext: crm org create NAME`;
    return { json: { applied }, text };
  },
});

interface DistributeOptions extends AdministrationOptions {
  readonly shards?: number;
}

/** Adds `crm distribute`. */
export const addDistributeCommand = databaseCommand({
  name: 'distribute',
  description: 'distribute the tables of a Citus database by organization',
  help: `
Connect to the coordinator of a Citus cluster as a superuser, after crm migrate. One transaction distributes all tables and locks
them until it ends, so stop the gateways first. A later run distributes only new tables. docs/how-to/move-to-citus.md has all steps.

Examples:
  $ crm distribute --database-url postgres://postgres:secret@coordinator:5432/crm
  $ crm distribute --shards 64 --json`,
  define: (command) =>
    command.option(
      '--shards <n>',
      'number of shards of each table; later runs cannot change it (default: 32)',
      wholeNumber(1, 1024),
    ),
  run: async ({ url, context }, { shards }: DistributeOptions) => {
    const onProgress = (step: string): void => void context.stderr.write(`${step} …\n`);
    const done = await distribute(url, { shards, onProgress });
    const count = done.distributed.length + done.copied.length;
    const text =
      count === 0
        ? `The tables of ${shownDatabase(url)} were distributed already; the write functions are up to date on all workers.`
        : `${done.distributed.length} tables of ${shownDatabase(url)} are distributed, ${done.copied.length} copied to every server.\nNext: crm roles apply, then crm doctor`;
    return { json: { ...done }, text };
  },
});

interface RolesOptions extends AdministrationOptions {
  readonly readRole: string;
  readonly inboundRole: string;
  readonly webhooksRole: string;
  readonly dryRun?: boolean;
}

const readStatements = (names: RoleNames): readonly string[] => {
  try {
    return roleSql(names);
  } catch (error) {
    throw usageError(errorText(error));
  }
};

/** Adds `crm roles apply`. */
export const addRolesApplyCommand = databaseCommand({
  name: 'apply',
  description: 'create or update the roles of the gateways, with the least rights and with time limits',
  help: `
Connect as the role that owns the tables. It needs CREATEROLE. Missing roles are created without a password; set one, for example
with psql -c '\\password crm_read'. Run the command again after each crm migrate. It revokes all other rights of the roles on
the tables.

Examples:
  $ crm roles apply --database-url postgres://owner:secret@db.example.com:5432/crm
  $ crm roles apply --dry-run > roles.sql`,
  define: (command) =>
    command
      .option('--read-role <name>', 'role of the read gateway', 'crm_read')
      .option('--inbound-role <name>', 'role of the inbound gateway', 'crm_inbound')
      .option('--webhooks-role <name>', 'role of the webhook worker', 'crm_webhooks')
      .option('--dry-run', 'print the SQL and change nothing'),
  run: async ({ url, context }, { readRole, inboundRole, webhooksRole, dryRun }: RolesOptions) => {
    const names = { read: readRole, inbound: inboundRole, webhooks: webhooksRole };
    const statements = readStatements(names);
    if (dryRun === true) return { json: { statements }, text: ['BEGIN;', ...statements, 'COMMIT;'].join('\n') };
    await applyRoles(url, names, (text) => void context.stderr.write(`Warning: ${text}\n`));
    const text = `The roles ${readRole}, ${inboundRole} and ${webhooksRole} of ${shownDatabase(url)} are up to date.`;
    return { json: { roles: names }, text };
  },
});

/** Adds `crm rebuild`. */
export const addRebuildCommand = organizationCommand({
  name: 'rebuild',
  description: 'rebuild the stored opportunity records of an organization',
  help: `
Lists of opportunities return stored records, which every write keeps up to date. This command rebuilds all of them, for example
after a manual repair. It works in small steps while the gateways run.

Examples:
  $ crm rebuild --org ID`,
  run: async ({ database, organization, origin, context }, { org }: OrganizationOptions) => {
    const onProgress = (done: number): void => void context.stderr.write(`${done} opportunities done\n`);
    const { id } = await organization(org);
    const count = await rebuildRecords(database, id, onProgress, origin);
    return { json: { opportunities: count }, text: `${count} opportunities rebuilt` };
  },
});

interface AuditOptions extends OrganizationOptions {
  readonly deleted?: boolean;
  readonly since?: Date;
  readonly limit: number;
}

const defaultLimit = 100;
const longestLimit = 100_000;

/** Adds `crm audit`. */
export const addAuditCommand = organizationCommand({
  name: 'audit',
  description: 'list changes of the setup, when and by whom',
  help: `
Lists the changes of an organization's setup, the latest first: when, by whom, what, and the old and new values. All changes of
one command have the same command id. API keys themselves are never recorded. Requests for records are in the gateways' logs.

Examples:
  $ crm audit --org ID
  $ crm audit --org ID --since 7d --json
  $ CRM_ACTOR=ann@acme.com crm key create --org ID      (records the change under this name, as --actor does)`,
  define: (command) =>
    command
      .option('--since <when>', 'how far back: a duration (24h, 7d), a day or a time', (text: string) =>
        pastInstant(text),
      )
      .option('--limit <n>', 'the most events to list', wholeNumber(1, longestLimit), defaultLimit)
      .option('--deleted', 'list the deletions of organizations'),
  run: async ({ administration, organization }, { org, deleted, since, limit }: AuditOptions) => {
    const organizationId = deleted === true ? null : (await organization(org)).id;
    const events = (await administration.listAuditEvents({ organizationId, since: since ?? null, limit })).map(toEvent);
    const header = ['WHEN', 'WHO', 'WHAT', 'TARGET', 'NAME', 'DETAILS'];
    return { json: { events }, text: textTable(header, events.map(toCells), 'No changes in that time.') };
  },
});

const toEvent = ({ id, createdAt, actor, osUser, commandId, action, target, ...row }: AuditEventRow) => {
  const { target_name: name, before, ...details } = row.details;
  return {
    event_id: id,
    at: createdAt.toISOString(),
    actor,
    os_user: osUser,
    command_id: commandId,
    action,
    target,
    target_name: name ?? details['name'] ?? details['url'] ?? null,
    before: (before ?? {}) as Values,
    details: details as Values,
  };
};

type Values = Readonly<Record<string, unknown>>;

const toCells = ({ at, actor, action, target, target_name: name, before, details }: ReturnType<typeof toEvent>) => {
  const changes = describeChanges(details, before);
  return [at, actor, action, target, typeof name === 'string' ? name : '', changes];
};
