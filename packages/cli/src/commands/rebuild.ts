import type { Command } from 'commander';

import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

const help = `
Lists of opportunities return stored records, which every write keeps up to date. This command rebuilds all of them, for example
after a manual repair. It works in small steps while the gateways run.

Examples:
  $ crm rebuild --org ID`;

/** Adds `crm rebuild`. */
export const addRebuildCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('rebuild')
    .description('rebuild the stored opportunity records of an organization')
    .addHelpText('after', help);
  withOrganizationOptions(command).action(async (options: OrganizationOptions) => {
    const count = await withAdministration(context, options, async ({ setup, rebuildRecords }) => {
      await setup(options.org);
      return rebuildRecords(options.org, (done) => context.stderr.write(`${done} opportunities done\n`));
    });
    printResult(context, options, { json: { opportunities: count }, text: `${count} opportunities rebuilt` });
  });
};
