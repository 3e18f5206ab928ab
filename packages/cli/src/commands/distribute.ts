import { distribute } from '@crm/db';
import type { Command } from 'commander';

import { findDatabaseUrl, shownDatabase } from '../administration/database-url.js';
import { withAdministrationOptions, type AdministrationOptions } from '../administration/options.js';
import { databaseError } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { wholeNumber } from '../options.js';

const help = `
Connect to the coordinator of a Citus cluster as a superuser, after crm migrate. One transaction distributes all tables and locks
them until it ends, so stop the gateways first. A later run distributes only new tables. docs/how-to/move-to-citus.md has all steps.

Examples:
  $ crm distribute --database-url postgres://postgres:secret@coordinator:5432/crm
  $ crm distribute --shards 64 --json`;

interface DistributeCommandOptions extends AdministrationOptions {
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
    .addHelpText('after', help);
  withAdministrationOptions(command).action(async (options: DistributeCommandOptions) => {
    const url = await findDatabaseUrl(context, options);
    const onProgress = (step: string): void => void context.stderr.write(`${step} …\n`);
    try {
      const done = await distribute(url, { shards: options.shards, onProgress });
      const count = done.distributed.length + done.copied.length;
      const text =
        count === 0
          ? `The tables of ${shownDatabase(url)} were distributed already; the write functions are up to date on all workers.`
          : `${done.distributed.length} tables of ${shownDatabase(url)} are distributed, ${done.copied.length} copied to every server.\nNext: crm roles apply, then crm doctor`;
      printResult(context, options, { json: { ...done }, text });
    } catch (error) {
      throw databaseError(error, url);
    }
  });
};
