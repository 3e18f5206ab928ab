import { applyRoles, roleSql, type RoleNames } from '@crm/db';
import type { Command } from 'commander';

import { findDatabaseUrl, shownDatabase } from '../administration/database-url.js';
import { withAdministrationOptions, type AdministrationOptions } from '../administration/options.js';
import { databaseError } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { CliError, errorText, exitCodes } from '../errors.js';

const help = `
Connect as the role that owns the tables. It needs CREATEROLE. Missing roles are created without a password; set one, for example
with psql -c '\\password crm_read'. Run the command again after each crm migrate. It revokes all other rights of the two roles on
the tables.

Examples:
  $ crm roles apply --database-url postgres://owner:secret@db.example.com:5432/crm
  $ crm roles apply --dry-run > roles.sql`;

interface RolesOptions extends AdministrationOptions {
  readonly readRole: string;
  readonly inboundRole: string;
  readonly dryRun?: boolean;
}

/** Adds `crm roles apply`. */
export const addRolesApplyCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('apply')
    .description('create or update the roles of the gateways, with the least rights and with time limits')
    .option('--read-role <name>', 'role of the read gateway', 'crm_read')
    .option('--inbound-role <name>', 'role of the inbound gateway', 'crm_inbound')
    .option('--dry-run', 'print the SQL and change nothing')
    .addHelpText('after', help);
  withAdministrationOptions(command).action(async (options: RolesOptions) => {
    const names = { read: options.readRole, inbound: options.inboundRole };
    const statements = readStatements(names);
    if (options.dryRun === true) {
      printResult(context, options, { json: { statements }, text: ['BEGIN;', ...statements, 'COMMIT;'].join('\n') });
      return;
    }
    const url = await findDatabaseUrl(context, options);
    try {
      await applyRoles(url, names, (text) => context.stderr.write(`Warning: ${text}\n`));
    } catch (error) {
      throw databaseError(error, url);
    }
    const text = `The roles ${names.read} and ${names.inbound} of ${shownDatabase(url)} are up to date.`;
    printResult(context, options, { json: { roles: names }, text });
  });
};

const readStatements = (names: RoleNames): readonly string[] => {
  try {
    return roleSql(names);
  } catch (error) {
    throw new CliError(errorText(error), exitCodes.usage);
  }
};
