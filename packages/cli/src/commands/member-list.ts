import type { Command } from 'commander';

import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { textTable } from '../administration/text-table.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

/** Adds `crm member list`. */
export const addMemberListCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('list')
    .description('list the members of an organization, including former members')
    .addHelpText('after', '\nExample:\n  $ crm member list --org ID');
  withOrganizationOptions(command).action(async (options: OrganizationOptions) => {
    const found = await withAdministration(context, options, (session) => session.setup(options.org));
    const members = found.members.map(({ id, email, name, isActive }) => ({
      ...{ member_id: id, email, name },
      is_active: isActive,
    }));
    const cells = members.map((row) => [row.member_id, row.email, row.name, row.is_active ? '' : 'former']);
    const empty = `There is none yet: crm member add --org ${options.org} EMAIL`;
    printResult(context, options, {
      json: { members },
      text: textTable(['MEMBER', 'EMAIL', 'NAME', ''], cells, empty),
    });
  });
};
