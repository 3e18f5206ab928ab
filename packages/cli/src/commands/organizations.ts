import type { Administration } from '@crm/db';
import { comparableName } from '@crm/domain';
import { Option } from 'commander';

import {
  administrationCommand,
  organizationCommand,
  type AdministrationOptions,
  type OrganizationOptions,
} from '../administration/session.js';
import { textTable } from '../administration/text-table.js';
import { limitsText, organizationLimits, readCurrency, readName } from '../administration/values.js';
import { ask, printable, type CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';

const warnIfTaken = async (
  { stderr }: CliContext,
  administration: Administration,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> => {
  const all = await administration.listOrganizations();
  const comparable = comparableName(name);
  if (all.some((other) => comparableName(other.name) === comparable && other.id !== id))
    stderr.write(`Another organization has the name ${name} too. Commands need the id for --org.\n`);
};

interface CreateOptions extends AdministrationOptions {
  readonly freemail: 'create' | 'skip';
}

const create = administrationCommand({
  name: 'create',
  description: 'create an organization',
  help: `
Examples:
  $ crm org create "Acme Sales"
  $ ORG=$(crm org create "Acme Sales" --json | sed 's/.*"organization_id":"\\([^"]*\\)".*/\\1/')

With --freemail skip, contacts at gmail.com and similar domains get no account. With create, they get one with is_freemail: true.
Next: crm apply with its members, pipelines and fields, then crm key create.`,
  define: (command) =>
    command
      .argument('<name>', 'its name, which need not be unique')
      .addOption(
        new Option('--freemail <what>', 'accounts for free mail domains').choices(['create', 'skip']).default('create'),
      ),
  run: async ({ administration, context }, { freemail }: CreateOptions, input: string) => {
    const name = readName('<name>', input);
    const created = await administration.createOrganization({ name, freemail });
    await warnIfTaken(context, administration, created);
    const { id } = created;
    const next = `Next: crm apply setup.yaml --org ${id}      its members, pipelines and fields\n      crm key create --org ${id}`;
    return { json: { organization_id: id, name, freemail }, text: `Organization ${name}: ${id}\n${next}` };
  },
});

interface UpdateOptions extends OrganizationOptions {
  readonly name?: string;
  readonly currency?: string;
}

const update = organizationCommand({
  name: 'update',
  description: 'rename an organization, or set the currency of new opportunities',
  help: `
Examples:
  $ crm org update --org "Acme Sales" --name "Acme"
  $ crm org update --org ID --currency EUR
  $ crm org update --org ID --currency none

New opportunities without a currency get the default one. Existing ones keep theirs.`,
  define: (command) =>
    command
      .option('--name <name>', 'its new name')
      .option('--currency <code>', 'the default currency, such as EUR; none for no default'),
  run: async ({ administration, organization, context }, { org, name, currency }: UpdateOptions) => {
    if (name === undefined && currency === undefined)
      throw usageError('No change is given. Give --name or --currency.');
    const change = {
      ...(name !== undefined && { name: readName('--name', name) }),
      ...(currency !== undefined && { currency: currency === 'none' ? null : readCurrency('--currency', currency) }),
    };
    const found = await organization(org);
    await administration.updateOrganization(found.id, change);
    const changed = { ...found, ...change };
    await warnIfTaken(context, administration, changed);
    const shown = currency === undefined ? '' : `, default currency ${change.currency ?? 'none'}`;
    return {
      json: { organization_id: changed.id, ...change },
      text: `Organization ${changed.name}${shown}: ${changed.id}`,
    };
  },
});

interface DeleteOptions extends OrganizationOptions {
  readonly confirm?: string;
}

const remove = organizationCommand({
  name: 'delete',
  description: 'delete an organization and everything in it',
  help: `
Deletes all records, the change log, the setup, the webhooks, the keys and the audit trail. This cannot be undone. Only the audit
event of the deletion stays: who deleted which id, and when (crm audit --deleted). Backups and logs still have the data.
The keys stop working first. If the command is stopped, run it again to continue. To save the data before: crm export all --help

Examples:
  $ crm org delete --org "Acme Sales"
  $ crm org delete --org ID --confirm "Acme Sales"`,
  define: (command) => command.option('--confirm <name>', 'its name; without it, the command asks for the name'),
  run: async ({ administration, organization, context }, options: DeleteOptions) => {
    const { id, name } = await organization(options.org);
    const question = `This deletes ${name} (${id}) and all its data. Type its name to confirm: `;
    const otherwise = 'Nothing was deleted. Give the name of the organization with --confirm.';
    const typed = options.confirm ?? (await ask(context, options, printable(question), otherwise));
    if (typed !== name) throw usageError(`Nothing was deleted: ${typed} is not the name of ${name} (${id}).`);
    await administration.deleteOrganization(id, (rows) => context.stderr.write(`${rows} rows deleted\n`));
    return { json: { organization_id: id, deleted: true }, text: `Organization ${id} is deleted.` };
  },
});

const limit = organizationCommand({
  name: 'limit',
  description: 'set the rate limits that all keys of an organization share',
  help: `
Sets the requests a minute of all keys of an organization together, by group (list, search, inbound, bulk). Other groups stay
unchanged. "default" restores the default of the gateways, three times the limit of one key. 0 turns the limit of a group off.
The gateways apply the change within 5 seconds. To see the limits: crm org list --json

Examples:
  $ crm org limit --org ID list=5000,search=2000
  $ crm org limit --org ID bulk=default`,
  define: (command) =>
    command.argument('<limits>', 'requests a minute by group, such as list=5000,bulk=default', organizationLimits),
  run: async (
    { administration, organization },
    { org }: OrganizationOptions,
    limits: ReturnType<typeof organizationLimits>,
  ) => {
    const { id } = await organization(org);
    const now = await administration.limitOrganization({ organizationId: id, limits });
    return { json: { organization_id: id, limits: now }, text: limitsText(now) };
  },
});

const list = administrationCommand({
  name: 'list',
  description: 'list the organizations',
  help: '\nExample:\n  $ crm org list',
  run: async ({ administration }) => {
    const rows = await administration.listOrganizations();
    const organizations = rows.map(({ id, name, freemail, limits, createdAt }) => ({
      organization_id: id,
      name,
      freemail,
      limits,
      created_at: createdAt.toISOString(),
    }));
    const cells = organizations.map((row) => [row.organization_id, row.name, row.freemail, row.created_at]);
    const header = ['ORGANIZATION', 'NAME', 'FREEMAIL', 'CREATED'];
    return { json: { organizations }, text: textTable(header, cells, 'There is none yet: crm org create NAME') };
  },
});

/** The commands of `crm org`. */
export const organizationCommands = [create, update, limit, list, remove];
