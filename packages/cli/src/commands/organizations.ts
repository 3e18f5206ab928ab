import type { Administration } from '@crm/db';
import { Option, type Command } from 'commander';

import {
  withAdministration,
  withAdministrationOptions,
  withOrganizationOptions,
  type AdministrationOptions,
  type OrganizationOptions,
} from '../administration/session.js';
import { textTable } from '../administration/text-table.js';
import { limitsText, organizationLimits, readCurrency, readName } from '../administration/values.js';
import { ask, printable, printResult, type CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';

const warnIfTaken = async (
  { stderr }: CliContext,
  administration: Administration,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> => {
  const all = await administration.listOrganizations();
  if (all.some((other) => other.name === name && other.id !== id))
    stderr.write(`Another organization has the name ${name} too. Commands need the id for --org.\n`);
};

interface CreateOptions extends AdministrationOptions {
  readonly freemail: 'create' | 'skip';
}

/** Adds `crm org create`. */
export const addOrgCreateCommand = (org: Command, context: CliContext): void => {
  const command = org
    .command('create')
    .description('create an organization')
    .argument('<name>', 'its name, which need not be unique')
    .addOption(
      new Option('--freemail <what>', 'accounts for free mail domains').choices(['create', 'skip']).default('create'),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ crm org create "Acme Sales"
  $ ORG=$(crm org create "Acme Sales" --json | sed 's/.*"organization_id":"\\([^"]*\\)".*/\\1/')

With --freemail skip, contacts at gmail.com and similar domains get no account. With create, they get one with is_freemail: true.
Next: crm pipeline create, then crm key create.`,
    );
  withAdministrationOptions(command).action(async (input: string, options: CreateOptions) => {
    const name = readName('<name>', input);
    const { freemail } = options;
    const { id } = await withAdministration(context, options, async ({ administration }) => {
      const created = await administration.createOrganization({ name, freemail });
      await warnIfTaken(context, administration, created);
      return created;
    });
    const next = `Next: crm pipeline create --org ${id} "New business" --stage Open Won Lost\n      crm key create --org ${id}`;
    const text = `Organization ${name}: ${id}\n${next}`;
    printResult(context, options, { json: { organization_id: id, name, freemail }, text });
  });
};

interface UpdateOptions extends OrganizationOptions {
  readonly name?: string;
  readonly currency?: string;
}

/** Adds `crm org update`. */
export const addOrgUpdateCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('update')
    .description('rename an organization, or set the currency of new opportunities')
    .option('--name <name>', 'its new name')
    .option('--currency <code>', 'the default currency, such as EUR; none for no default')
    .addHelpText(
      'after',
      `
Examples:
  $ crm org update --org "Acme Sales" --name "Acme"
  $ crm org update --org ID --currency EUR
  $ crm org update --org ID --currency none

New opportunities without a currency get the default one. Existing ones keep theirs.`,
    );
  withOrganizationOptions(command).action(async (options: UpdateOptions) => {
    const { name, currency } = options;
    if (name === undefined && currency === undefined)
      throw usageError('No change is given. Give --name or --currency.');
    const change = {
      ...(name !== undefined && { name: readName('--name', name) }),
      ...(currency !== undefined && { currency: currency === 'none' ? null : readCurrency('--currency', currency) }),
    };
    const { id, name: shownName } = await withAdministration(context, options, async (session) => {
      const found = await session.organization(options.org);
      await session.administration.updateOrganization(found.id, change);
      const changed = { ...found, ...change };
      await warnIfTaken(context, session.administration, changed);
      return changed;
    });
    const shown = currency === undefined ? '' : `, default currency ${change.currency ?? 'none'}`;
    const text = `Organization ${shownName}${shown}: ${id}`;
    printResult(context, options, { json: { organization_id: id, ...change }, text });
  });
};

interface DeleteOptions extends OrganizationOptions {
  readonly confirm?: string;
}

/** Adds `crm org delete`. */
export const addOrgDeleteCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('delete')
    .description('delete an organization and everything in it')
    .option('--confirm <name>', 'its name; without it, the command asks for the name')
    .addHelpText(
      'after',
      `
Deletes all records, the change log, the setup, the webhooks, the keys and the audit trail. This cannot be undone. Only the audit
event of the deletion stays: who deleted which id, and when (crm audit --deleted). Backups and logs still have the data.
The keys stop working first. If the command is stopped, run it again to continue. To save the data before: crm export all --help

Examples:
  $ crm org delete --org "Acme Sales"
  $ crm org delete --org ID --confirm "Acme Sales"`,
    );
  withOrganizationOptions(command).action(async (options: DeleteOptions) => {
    const settings = { ...options, statementTimeoutMs: 60_000 };
    const json = await withAdministration(context, settings, async ({ administration, organization }) => {
      const { id, name } = await organization(options.org);
      const question = `This deletes ${name} (${id}) and all its data. Type its name to confirm: `;
      const otherwise = 'Nothing was deleted. Give the name of the organization with --confirm.';
      const typed = options.confirm ?? (await ask(context, options, printable(question), otherwise));
      if (typed !== name) throw usageError(`Nothing was deleted: ${typed} is not the name of ${name} (${id}).`);
      await administration.deleteOrganization(id, (rows) => context.stderr.write(`${rows} rows deleted\n`));
      return { organization_id: id, deleted: true };
    });
    printResult(context, options, { json, text: `Organization ${json.organization_id} is deleted.` });
  });
};

/** Adds `crm org limit`. */
export const addOrgLimitCommand = (org: Command, context: CliContext): void => {
  const command = org
    .command('limit')
    .description('set the rate limits that all keys of an organization share')
    .argument('<limits>', 'requests a minute by group, such as list=5000,bulk=default', organizationLimits)
    .addHelpText(
      'after',
      `
Sets the requests a minute of all keys of an organization together, by group (list, search, inbound, bulk). Other groups stay
unchanged. "default" restores the default of the gateways, three times the limit of one key. 0 turns the limit of a group off.
The gateways apply the change within 5 seconds. To see the limits: crm org list --json

Examples:
  $ crm org limit --org ID list=5000,search=2000
  $ crm org limit --org ID bulk=default`,
    );
  withOrganizationOptions(command).action(
    async (limits: Readonly<Record<string, number | null>>, options: OrganizationOptions) => {
      const json = await withAdministration(context, options, async ({ administration, organization }) => {
        const { id } = await organization(options.org);
        const now = await administration.limitOrganization({ organizationId: id, limits });
        return { organization_id: id, limits: now };
      });
      printResult(context, options, { json, text: limitsText(json.limits) });
    },
  );
};

/** Adds `crm org list`. */
export const addOrgListCommand = (org: Command, context: CliContext): void => {
  const command = org
    .command('list')
    .description('list the organizations')
    .addHelpText('after', '\nExample:\n  $ crm org list');
  withAdministrationOptions(command).action(async (options: AdministrationOptions) => {
    const rows = await withAdministration(context, options, ({ administration }) => administration.listOrganizations());
    const organizations = rows.map(({ id, name, freemail, limits, createdAt }) => ({
      ...{ organization_id: id, name, freemail, limits },
      created_at: createdAt.toISOString(),
    }));
    const cells = organizations.map((row) => [row.organization_id, row.name, row.freemail, row.created_at]);
    const header = ['ORGANIZATION', 'NAME', 'FREEMAIL', 'CREATED'];
    const text = textTable(header, cells, 'There is none yet: crm org create NAME');
    printResult(context, options, { json: { organizations }, text });
  });
};
