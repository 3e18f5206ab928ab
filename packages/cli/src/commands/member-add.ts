import type { Administration } from '@crm/db';
import { isFailure } from '@crm/domain';
import type { Command } from 'commander';

import { makeMember, readMembersFile, type NewMember } from '../administration/new-members.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';

interface MemberAddOptions extends OrganizationOptions {
  readonly name?: string;
  readonly file?: string;
}

interface AddedMember extends NewMember {
  readonly id: string;
  readonly status: 'created' | 'exists';
}

const examples = `
Examples:
  $ crm member add --org ID ann@acme.com --name "Ann Lee"
  $ crm member add --org ID ann@acme.com bob@acme.com
  $ crm member add --org ID --file members.csv      lines of: email,name

Members can own opportunities (owner_email) and be values of team fields. Existing members stay unchanged.`;

/** Adds `crm member add`. */
export const addMemberAddCommand = (member: Command, context: CliContext): void => {
  const command = member
    .command('add')
    .description('add members to an organization')
    .argument('[email...]', 'their addresses')
    .option('--name <name>', 'name of a single member (default: derived from the address)')
    .option('--file <file>', 'a CSV file of addresses and names')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (emails: readonly string[], options: MemberAddOptions) => {
    const members = await readMembers(emails, options);
    const added = await withAdministration(context, options, ({ administration }) =>
      addMembers(administration, options.org, members),
    );
    const json = added.map(({ id, email, name, status }) => ({ member_id: id, email, name, status }));
    const lines = added.map(
      ({ email, name, status }) => `${status === 'created' ? 'added ' : 'exists'} ${email} (${name})`,
    );
    printResult(context, options, { json: { members: json }, text: lines.join('\n') });
  });
};

const readMembers = async (emails: readonly string[], options: MemberAddOptions): Promise<readonly NewMember[]> => {
  if (options.name !== undefined && (emails.length !== 1 || options.file !== undefined)) {
    throw usageError('--name needs exactly one address. Use --file for several members with names.');
  }
  const named = emails.map((email) => makeMember(email, options.name));
  const listed = options.file === undefined ? [] : await readMembersFile(options.file);
  if (named.length + listed.length === 0) throw usageError('No member is given. Give email addresses, or --file.');
  return [...named, ...listed];
};

const addMembers = async (
  administration: Administration,
  organizationId: string,
  members: readonly NewMember[],
): Promise<readonly AddedMember[]> => {
  const added: AddedMember[] = [];
  for (const member of members) {
    try {
      const { id } = await administration.addMember({ organizationId, ...member });
      added.push({ ...member, id, status: 'created' });
    } catch (error) {
      if (!isFailure(error, 'conflict')) throw error;
      const known = await administration.listMembers(organizationId);
      const found = known.find(({ email }) => email === member.email);
      if (found === undefined) throw error;
      added.push({ ...found, status: 'exists' });
    }
  }
  return added;
};
