import { readFile } from 'node:fs/promises';

import { CrmConflictError, type CrmClient, type Member } from '@crm/client';
import { normalizeEmail, objectTypes, type ObjectType } from '@crm/domain';
import { Option, type Command } from 'commander';
import { parse } from 'csv-parse/sync';

import { textTable } from '../administration/text-table.js';
import { printResult, type CliContext } from '../cli-context.js';
import { CliError, errorCode, errorText, usageError } from '../errors.js';
import { findMember, listFields, listMembers, listPipelines } from './lookup.js';
import { nameFromEmail } from './plan-setup.js';
import { withSetup, withSetupOptions, type SetupOptions } from './session.js';

/** Adds `crm pipeline list`. */
export const addPipelineListCommand = (group: Command, context: CliContext): void => {
  const command = group
    .command('list')
    .description('list pipelines and their stages')
    .addHelpText('after', '\nExample:\n  $ crm pipeline list --org ID');
  withSetupOptions(command).action(async (options: SetupOptions) => {
    const pipelines = await withSetup(context, options, ({ client }) => listPipelines(client));
    const cells = pipelines.flatMap(({ pipeline_id: id, name, is_active: isActive, stages }) =>
      stages.map((stage) => {
        const state = stage.is_active ? (stage.is_default ? ' (default)' : '') : ' (archived)';
        return [id, isActive ? name : `${name} (archived)`, stage.stage_id, `${stage.label}${state}`];
      }),
    );
    const empty = 'There is none yet: crm pipeline create NAME --stage LABEL…';
    const text = textTable(['PIPELINE', 'NAME', 'STAGE', 'LABEL'], cells, empty);
    printResult(context, options, { json: { pipelines }, text });
  });
};

interface FieldListOptions extends SetupOptions {
  readonly object?: ObjectType;
  readonly archived?: boolean;
}

/** Adds `crm field list`. */
export const addFieldListCommand = (group: Command, context: CliContext): void => {
  const command = group
    .command('list')
    .description('list custom fields')
    .addOption(new Option('--object <object>', 'only those of one object').choices(objectTypes))
    .option('--archived', 'include archived fields')
    .addHelpText(
      'after',
      '\nExamples:\n  $ crm field list --org ID\n  $ crm field list --org ID --object opportunity --json',
    );
  withSetupOptions(command).action(async (options: FieldListOptions) => {
    const objects = options.object === undefined ? objectTypes : [options.object];
    const all = await withSetup(context, options, ({ client }) =>
      Promise.all(objects.map((object) => listFields(client, object))),
    );
    const fields = all
      .flat()
      .filter(({ is_active: isActive }) => isActive !== false || options.archived === true)
      .map(({ name: slug, current_name: name, ...field }) => ({ ...field, slug, name }));
    const cells = fields.map((row) => [
      ...[row.object, row.slug, row.attribute_type, row.name],
      [...(row.is_hidden === true ? ['hidden'] : []), ...(row.is_active === false ? ['archived'] : [])].join(', '),
    ]);
    const empty = 'There is none yet: crm field define --object opportunity NAME --type TYPE';
    const text = textTable(['OBJECT', 'SLUG', 'TYPE', 'NAME', ''], cells, empty);
    printResult(context, options, { json: { fields }, text });
  });
};

/** Adds `crm member list`. */
export const addMemberListCommand = (group: Command, context: CliContext): void => {
  const command = group
    .command('list')
    .description('list the members of an organization, including former members')
    .addHelpText('after', '\nExample:\n  $ crm member list --org ID');
  withSetupOptions(command).action(async (options: SetupOptions) => {
    const members = await withSetup(context, options, ({ client }) => listMembers(client));
    const cells = members.map((row) => [row.member_id, row.email, row.name, row.is_active ? '' : 'former']);
    const text = textTable(['MEMBER', 'EMAIL', 'NAME', ''], cells, 'There is none yet: crm member add EMAIL');
    printResult(context, options, { json: { members }, text });
  });
};

interface NewMember {
  readonly email: string;
  readonly name: string;
}

interface MemberAddOptions extends SetupOptions {
  readonly name?: string;
  readonly file?: string;
}

/** Checks an address. Without a name, derives one from it. @throws CliError (2) that starts with `place` */
const makeMember = (address: string, name: string | undefined, place = ''): NewMember => {
  const email = normalizeEmail(address);
  if (!email.ok) throw usageError(`${place}${address}: ${email.message}`);
  const given = name?.trim() ?? '';
  return { email: email.value.email, name: given === '' ? nameFromEmail(email.value.email) : given };
};

/** Reads a file of members, one per line: `email` or `email,name`. The header line is optional. */
const readMembersFile = async (file: string): Promise<readonly NewMember[]> => {
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true } as const;
    const rows = parse(await readFile(file, 'utf8'), options) as unknown as {
      readonly record: readonly string[];
      readonly info: { readonly lines: number };
    }[];
    const isHeader = rows[0]?.record[0]?.toLowerCase() === 'email';
    return rows
      .slice(isHeader ? 1 : 0)
      .map(({ record: [email = '', name], info }) => makeMember(email, name, `${file}:${info.lines}: `));
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (errorCode(error) === 'ENOENT') throw usageError(`--file: There is no file ${file}.`);
    throw new CliError(`${file} cannot be read: ${errorText(error)}`);
  }
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

const addMember = async (
  client: CrmClient,
  member: NewMember,
): Promise<Member & { readonly status: 'created' | 'exists' }> => {
  try {
    return { ...(await client.members.create({ ...member })).data.member, status: 'created' };
  } catch (error) {
    if (!(error instanceof CrmConflictError)) throw error;
    return { ...(await findMember(client, member.email)), status: 'exists' };
  }
};

/** Adds `crm member add`. */
export const addMemberAddCommand = (group: Command, context: CliContext): void => {
  const command = group
    .command('add')
    .description('add members to an organization')
    .argument('[email...]', 'their addresses')
    .option('--name <name>', 'name of a single member (default: derived from the address)')
    .option('--file <file>', 'a CSV file of addresses and names')
    .addHelpText(
      'after',
      `
Examples:
  $ crm member add --org ID ann@acme.com --name "Ann Lee"
  $ crm member add --org ID ann@acme.com bob@acme.com
  $ crm member add --org ID --file members.csv      lines of: email,name

Members can own opportunities (owner_email) and be values of team fields. Existing members stay unchanged.`,
    );
  withSetupOptions(command).action(async (emails: readonly string[], options: MemberAddOptions) => {
    const wanted = await readMembers(emails, options);
    const members = await withSetup(context, options, async ({ client }) => {
      const added = [];
      for (const member of wanted) added.push(await addMember(client, member));
      return added;
    });
    const lines = members.map(
      ({ email, name, status }) => `${status === 'created' ? 'added ' : 'exists'} ${email} (${name})`,
    );
    printResult(context, options, { json: { members }, text: lines.join('\n') });
  });
};
