import { type OrganizationSetup, removeMemberChange } from '@crm/db';
import { isFailure } from '@crm/domain';
import { Option, type Command } from 'commander';

import { requireMember } from '../administration/find-setup.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration, type AdministrationSession } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { CliError, usageError } from '../errors.js';

interface MemberRemoveOptions extends OrganizationOptions {
  readonly keepOwner?: boolean;
  readonly reassign?: string;
}

const examples = `
Examples:
  $ crm member remove --org ID ann@acme.com --reassign bob@acme.com
  $ crm member remove --org ID ann@acme.com --keep-owner

If the member owns opportunities, give one of these options:
  --keep-owner     the opportunities keep their owner, who becomes a former member and gets no new ones
  --reassign       another member gets them, in small steps; each move counts as an update. Then the member is deleted
Values of team fields keep the id of a deleted member until they are changed.`;

/** The maximum number of attempts. Opportunities that arrive during a move have to move too. */
const attempts = 5;

const heirOf = (setup: OrganizationSetup, memberId: string, email: string | undefined): string | null => {
  if (email === undefined) return null;
  const heir = requireMember(setup, email);
  if (heir.id === memberId) throw usageError('--reassign must name another member.');
  if (!heir.isActive) throw usageError(`--reassign: ${heir.email} is a former member.`);
  return heir.id;
};

const remove = async (
  { administration, setup }: AdministrationSession,
  context: CliContext,
  wanted: string,
  { org, keepOwner = false, reassign }: MemberRemoveOptions,
) => {
  const found = await setup(org);
  const member = requireMember(found, wanted);
  const heirId = heirOf(found, member.id, reassign);
  let reassigned = 0;
  for (let attempt = 1; ; attempt += 1) {
    if (heirId !== null) {
      const move = { kind: 'owner', fromId: member.id, toId: heirId } as const;
      const onProgress = (done: number) => context.stderr.write(`${done} opportunities reassigned\n`);
      reassigned += await administration.moveOpportunities(org, move, onProgress);
    }
    try {
      await administration.changeSetup(org, [removeMemberChange(member.id, keepOwner)]);
      return { member, reassigned };
    } catch (error) {
      if (!isFailure(error, 'conflict')) throw error;
      if (heirId === null) throw new CliError(`${(error as Error).message}. Give --keep-owner or --reassign EMAIL.`);
      if (attempt === attempts) throw error;
    }
  }
};

/** Adds `crm member remove`. */
export const addMemberRemoveCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('remove')
    .description('remove a member from an organization')
    .argument('<member>', 'email or id')
    .addOption(new Option('--keep-owner', 'the opportunities keep this owner').conflicts('reassign'))
    .option('--reassign <email>', 'the member who gets the opportunities')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (wanted: string, options: MemberRemoveOptions) => {
    const { member, reassigned } = await withAdministration(context, options, (session) =>
      remove(session, context, wanted, options),
    );
    const json = {
      member_id: member.id,
      email: member.email,
      status: options.keepOwner ? 'former' : 'removed',
      reassigned,
    };
    printResult(context, options, { json, text: `${member.email} is no longer a member` });
  });
};
