import type { AuditEventRow } from '@crm/db';
import type { Command } from 'commander';

import { pastInstant } from '../administration/instants.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { textTable } from '../administration/text-table.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { wholeNumber } from '../options.js';

interface AuditOptions extends OrganizationOptions {
  readonly since?: Date;
  readonly limit: number;
}

const defaultLimit = 100;
const longestLimit = 100_000;

const help = `
Every change of an organization's set-up: who, when, what, and what was set; the latest first. Everything that one command
did has one command id. Keys themselves are never part of it. What programs do with records is in the gateways' logs.

Examples:
  $ crm audit --org ID
  $ crm audit --org ID --since 7d --json
  $ CRM_ACTOR=ann@acme.com crm key create --org ID      (who a change is noted for; --actor does the same)`;

/** Adds `crm audit`. */
export const addAuditCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('audit')
    .description('what administration changed, when and by whom')
    .option('--since <when>', 'how far back: a duration (24h, 7d), a day or a time', (text: string) =>
      pastInstant(text),
    )
    .option('--limit <n>', 'events at most', wholeNumber(1, longestLimit), defaultLimit)
    .addHelpText('after', help);
  withOrganizationOptions(command).action(async (options: AuditOptions) => {
    const { org: organizationId, since = null, limit } = options;
    const rows = await withAdministration(context, options, async ({ administration, setup }) => {
      await setup(organizationId);
      return administration.listAuditEvents({ organizationId, since, limit });
    });
    const text = textTable(
      ['WHEN', 'WHO', 'WHAT', 'TARGET', 'DETAILS'],
      rows.map(toCells),
      'Nothing has been changed in that time.',
    );
    printResult(context, options, { json: { events: rows.map(toEvent) }, text });
  });
};

const toEvent = (row: AuditEventRow) => ({
  event_id: row.id,
  at: row.createdAt.toISOString(),
  actor: row.actor,
  os_user: row.osUser,
  command_id: row.commandId,
  action: row.action,
  target: row.target,
  details: row.details,
});

/** What people named may hold anything; in a table it must neither break the line nor steer the terminal. */
const printable = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD');

const toCells = (row: AuditEventRow): readonly string[] =>
  [row.createdAt.toISOString(), row.actor, row.action, row.target, JSON.stringify(row.details)].map(printable);
