import { migrate } from '@crm/db';
import type { Command } from 'commander';

import { findDatabaseUrl, shownDatabase } from '../administration/database-url.js';
import { withAdministrationOptions, type AdministrationOptions } from '../administration/options.js';
import { databaseError } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

const examples = `
Examples:
  $ crm migrate --database-url postgres://crm:secret@db.example.com:5432/crm
  $ DATABASE_URL=postgres://… crm migrate --json

Safe to run at every deployment, before the gateways of the new version start. A second run waits until the first has ended.
Next: crm org create "Your company"`;

/** Adds `crm migrate`. */
export const addMigrateCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('migrate')
    .description('migrate the database to this version')
    .addHelpText('after', examples);
  withAdministrationOptions(command).action(async (options: AdministrationOptions) => {
    const url = await findDatabaseUrl(context, options);
    const applied = await applyMigrations(context, url);
    const names = applied.map((name) => `  ${name}`).join('\n');
    const text =
      applied.length === 0
        ? `The database ${shownDatabase(url)} is up to date.`
        : `The database ${shownDatabase(url)} is migrated:\n${names}\nNext: crm org create NAME`;
    printResult(context, options, { json: { applied }, text });
  });
};

const applyMigrations = async (context: CliContext, url: string): Promise<readonly string[]> => {
  try {
    return await migrate(url, {
      onNewer: (newer) =>
        context.stderr.write(`The database has migrations of a newer version (${newer.join(', ')}): they stay.\n`),
      onProgress: (pending) => context.stderr.write(`Applying ${pending.length} migrations …\n`),
    });
  } catch (error) {
    throw databaseError(error, url);
  }
};
