import { applyRoles, distribute, migrate, rebuildRecords, roleSql, type AuditEventRow, type RoleNames } from '@crm/db';
import type { Command } from 'commander';

import {
  databaseError,
  findDatabaseUrl,
  shownDatabase,
  withAdministration,
  withAdministrationOptions,
  withOrganizationOptions,
  type AdministrationOptions,
  type OrganizationOptions,
} from '../administration/session.js';
import { textTable } from '../administration/text-table.js';
import { pastInstant } from '../administration/values.js';
import { printResult, type CliContext } from '../cli-context.js';
import { errorText, usageError } from '../errors.js';
import { wholeNumber } from '../options.js';
import { describeChanges } from '../setup/plan-step.js';

/** Runs work on the database of a command, without checking its migrations. */
export const onDatabase = async <T>(
  context: CliContext,
  options: AdministrationOptions,
  work: (url: string) => Promise<T>,
): Promise<{ readonly url: string; readonly done: T }> => {
  const url = await findDatabaseUrl(context, options);
  try {
    return { url, done: await work(url) };
  } catch (error) {
    throw databaseError(error, url);
  }
};

/** Adds `crm migrate`. */
export const addMigrateCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('migrate')
    .description('migrate the database to this version')
    .addHelpText(
      'after',
      `
Examples:
  $ crm migrate --database-url postgres://crm:secret@db.example.com:5432/crm
  $ DATABASE_URL=postgres://… crm migrate --json

Safe to run at every deployment, before the gateways of the new version start. A second run waits until the first has ended.
Next: crm org create "Your company"`,
    );
  withAdministrationOptions(command).action(async (options: AdministrationOptions) => {
    const { url, done: applied } = await onDatabase(context, options, (address) =>
      migrate(address, {
        onNewer: (newer) =>
          context.stderr.write(`The database has migrations of a newer version (${newer.join(', ')}): they stay.\n`),
        onProgress: (pending) => context.stderr.write(`Applying ${pending.length} migrations …\n`),
      }),
    );
    const names = applied.map((name) => `  ${name}`).join('\n');
    const text =
      applied.length === 0
        ? `The database ${shownDatabase(url)} is up to date.`
        : `The database ${shownDatabase(url)} is migrated:\n${names}\nNext: crm org create NAME`;
    printResult(context, options, { json: { applied }, text });
  });
};

interface DistributeOptions extends AdministrationOptions {
  readonly shards?: number;
}

/** Adds `crm distribute`. */
export const addDistributeCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('distribute')
    .description('distribute the tables of a Citus database by organization')
    .option(
      '--shards <n>',
      'number of shards of each table; later runs cannot change it (default: 32)',
      wholeNumber(1, 1024),
    )
    .addHelpText(
      'after',
      `
Connect to the coordinator of a Citus cluster as a superuser, after crm migrate. One transaction distributes all tables and locks
them until it ends, so stop the gateways first. A later run distributes only new tables. docs/how-to/move-to-citus.md has all steps.

Examples:
  $ crm distribute --database-url postgres://postgres:secret@coordinator:5432/crm
  $ crm distribute --shards 64 --json`,
    );
  withAdministrationOptions(command).action(async (options: DistributeOptions) => {
    const onProgress = (step: string): void => void context.stderr.write(`${step} …\n`);
    const { url, done } = await onDatabase(context, options, (address) =>
      distribute(address, { shards: options.shards, onProgress }),
    );
    const count = done.distributed.length + done.copied.length;
    const text =
      count === 0
        ? `The tables of ${shownDatabase(url)} were distributed already; the write functions are up to date on all workers.`
        : `${done.distributed.length} tables of ${shownDatabase(url)} are distributed, ${done.copied.length} copied to every server.\nNext: crm roles apply, then crm doctor`;
    printResult(context, options, { json: { ...done }, text });
  });
};

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
export const addRolesApplyCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('apply')
    .description('create or update the roles of the gateways, with the least rights and with time limits')
    .option('--read-role <name>', 'role of the read gateway', 'crm_read')
    .option('--inbound-role <name>', 'role of the inbound gateway', 'crm_inbound')
    .option('--webhooks-role <name>', 'role of the webhook worker', 'crm_webhooks')
    .option('--dry-run', 'print the SQL and change nothing')
    .addHelpText(
      'after',
      `
Connect as the role that owns the tables. It needs CREATEROLE. Missing roles are created without a password; set one, for example
with psql -c '\\password crm_read'. Run the command again after each crm migrate. It revokes all other rights of the roles on
the tables.

Examples:
  $ crm roles apply --database-url postgres://owner:secret@db.example.com:5432/crm
  $ crm roles apply --dry-run > roles.sql`,
    );
  withAdministrationOptions(command).action(async (options: RolesOptions) => {
    const names = { read: options.readRole, inbound: options.inboundRole, webhooks: options.webhooksRole };
    const statements = readStatements(names);
    if (options.dryRun === true) {
      printResult(context, options, { json: { statements }, text: ['BEGIN;', ...statements, 'COMMIT;'].join('\n') });
      return;
    }
    const warn = (text: string): void => void context.stderr.write(`Warning: ${text}\n`);
    const { url } = await onDatabase(context, options, (address) => applyRoles(address, names, warn));
    const text = `The roles ${names.read}, ${names.inbound} and ${names.webhooks} of ${shownDatabase(url)} are up to date.`;
    printResult(context, options, { json: { roles: names }, text });
  });
};

/** Adds `crm rebuild`. */
export const addRebuildCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('rebuild')
    .description('rebuild the stored opportunity records of an organization')
    .addHelpText(
      'after',
      `
Lists of opportunities return stored records, which every write keeps up to date. This command rebuilds all of them, for example
after a manual repair. It works in small steps while the gateways run.

Examples:
  $ crm rebuild --org ID`,
    );
  withOrganizationOptions(command).action(async (options: OrganizationOptions) => {
    const count = await withAdministration(context, options, async ({ database, organization, origin }) => {
      const onProgress = (done: number): void => void context.stderr.write(`${done} opportunities done\n`);
      return rebuildRecords(database, (await organization(options.org)).id, onProgress, origin);
    });
    printResult(context, options, { json: { opportunities: count }, text: `${count} opportunities rebuilt` });
  });
};

interface AuditOptions extends OrganizationOptions {
  readonly deleted?: boolean;
  readonly since?: Date;
  readonly limit: number;
}

const defaultLimit = 100;
const longestLimit = 100_000;

/** Adds `crm audit`. */
export const addAuditCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('audit')
    .description('list changes of the setup, when and by whom')
    .option('--since <when>', 'how far back: a duration (24h, 7d), a day or a time', (text: string) =>
      pastInstant(text),
    )
    .option('--limit <n>', 'the most events to list', wholeNumber(1, longestLimit), defaultLimit)
    .option('--deleted', 'list the deletions of organizations')
    .addHelpText(
      'after',
      `
Lists the changes of an organization's setup, the latest first: when, by whom, what, and the old and new values. All changes of
one command have the same command id. API keys themselves are never recorded. Requests for records are in the gateways' logs.

Examples:
  $ crm audit --org ID
  $ crm audit --org ID --since 7d --json
  $ CRM_ACTOR=ann@acme.com crm key create --org ID      (records the change under this name, as --actor does)`,
    );
  withOrganizationOptions(command).action(async (options: AuditOptions) => {
    const { org, deleted, since = null, limit } = options;
    const rows = await withAdministration(context, options, async ({ administration, organization }) => {
      const organizationId = deleted === true ? null : (await organization(org)).id;
      return administration.listAuditEvents({ organizationId, since, limit });
    });
    const events = rows.map(toEvent);
    const header = ['WHEN', 'WHO', 'WHAT', 'TARGET', 'NAME', 'DETAILS'];
    const text = textTable(header, events.map(toCells), 'No changes in that time.');
    printResult(context, options, { json: { events }, text });
  });
};

const toEvent = ({ id, createdAt, actor, osUser, commandId, action, target, ...row }: AuditEventRow) => {
  const { target_name: name, before, ...details } = row.details;
  return {
    ...{ event_id: id, at: createdAt.toISOString(), actor, os_user: osUser, command_id: commandId },
    ...{ action, target, target_name: name ?? details['name'] ?? details['url'] ?? null },
    ...{ before: (before ?? {}) as Values, details: details as Values },
  };
};

type Values = Readonly<Record<string, unknown>>;

/** Replaces all control characters, line breaks and tabs too, because a row of the table is one line. */
const oneLine = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD');

const toCells = ({ at, actor, action, target, target_name: name, before, details }: ReturnType<typeof toEvent>) => {
  const changes = describeChanges(details, before);
  return [at, actor, action, target, typeof name === 'string' ? name : '', changes].map(oneLine);
};
