import { updateMemberChange } from '@crm/db';
import type { Command } from 'commander';

import { readName, requireMember } from '../administration/find-setup.js';
import { makeMember } from '../administration/new-members.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';

interface MemberUpdateOptions extends OrganizationOptions {
  readonly email?: string;
  readonly name?: string;
  readonly restore?: boolean;
}

const examples = `
Examples:
  $ crm member update --org ID ann@acme.com --name "Ann Lee"
  $ crm member update --org ID ann@acme.com --email ann.lee@acme.com
  $ crm member update --org ID ann@acme.com --restore

A restored member can own new opportunities again.`;

/** Adds `crm member update`. */
export const addMemberUpdateCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('update')
    .description('change the name or address of a member, or restore a former member')
    .argument('<member>', 'email or id')
    .option('--email <email>', 'the new address')
    .option('--name <name>', 'the new name')
    .option('--restore', 'make a former member a member again')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (wanted: string, options: MemberUpdateOptions) => {
    const email = options.email === undefined ? undefined : makeMember(options.email, 'x', '--email ').email;
    const name = options.name === undefined ? undefined : readName('--name', options.name);
    const change = { email, name, isActive: options.restore };
    if (Object.values(change).every((value) => value === undefined)) {
      throw usageError('No change is given. Choose from the options in --help.');
    }
    const member = await withAdministration(context, options, async ({ administration, setup }) => {
      const { id } = requireMember(await setup(options.org), wanted);
      await administration.changeSetup(options.org, [updateMemberChange(id, change)]);
      return requireMember(await setup(options.org), id);
    });
    const json = { member_id: member.id, email: member.email, name: member.name, is_active: member.isActive };
    printResult(context, options, { json, text: `${member.email} (${member.name}): ${member.id}` });
  });
};
