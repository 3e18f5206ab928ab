import type { Command } from 'commander';

import { withAdministrationOptions, type AdministrationOptions } from '../administration/options.js';
import { textTable } from '../administration/text-table.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

const examples = `
Example:
  $ crm org list`;

/** Adds `crm org list`. */
export const addOrgListCommand = (org: Command, context: CliContext): void => {
  const command = org.command('list').description('list the organizations').addHelpText('after', examples);
  withAdministrationOptions(command).action(async (options: AdministrationOptions) => {
    const rows = await withAdministration(context, options, ({ administration }) => administration.listOrganizations());
    const organizations = rows.map(({ id, name, freemail, limits, createdAt }) => ({
      organization_id: id,
      name,
      freemail,
      limits,
      created_at: createdAt.toISOString(),
    }));
    const cells = organizations.map((row) => [row.organization_id, row.name, row.freemail, row.created_at]);
    const text = textTable(
      ['ORGANIZATION', 'NAME', 'FREEMAIL', 'CREATED'],
      cells,
      'There is none yet: crm org create NAME',
    );
    printResult(context, options, { json: { organizations }, text });
  });
};
