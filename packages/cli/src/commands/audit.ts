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
Lists the changes of an organization's setup, the latest first: when, by whom, what, and the new values. All changes of one
command have the same command id. API keys themselves are never recorded. Requests for records are in the gateways' logs.

Examples:
  $ crm audit --org ID
  $ crm audit --org ID --since 7d --json
  $ CRM_ACTOR=ann@acme.com crm key create --org ID      (records the change under this name, as --actor does)`;

/** Adds `crm audit`. */
export const addAuditCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('audit')
    .description('list changes of the setup, when and by whom')
    .option('--since <when>', 'how far back: a duration (24h, 7d), a day or a time', (text: string) =>
      pastInstant(text),
    )
    .option('--limit <n>', 'the most events to list', wholeNumber(1, longestLimit), defaultLimit)
    .addHelpText('after', help);
  withOrganizationOptions(command).action(async (options: AuditOptions) => {
    const { org: organizationId, since = null, limit } = options;
    const rows = await withAdministration(context, options, async ({ administration, setup }) => {
      await setup(organizationId);
      return administration.listAuditEvents({ organizationId, since, limit });
    });
    const text = textTable(['WHEN', 'WHO', 'WHAT', 'TARGET', 'DETAILS'], rows.map(toCells), 'No changes in that time.');
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

/** Replaces all control characters, line breaks and tabs too, because a row of the table is one line. */
const oneLine = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD');

const toCells = (row: AuditEventRow): readonly string[] =>
  [row.createdAt.toISOString(), row.actor, row.action, row.target, JSON.stringify(row.details)].map(oneLine);
