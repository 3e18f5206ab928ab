import { Option, type Command } from 'commander';

import {
  withAdministration,
  withAdministrationOptions,
  withOrganizationOptions,
  type AdministrationOptions,
  type OrganizationOptions,
} from '../administration/session.js';
import { textTable } from '../administration/text-table.js';
import { organizationLimits, readCurrency, readName } from '../administration/values.js';
import { printResult, type CliContext } from '../cli-context.js';

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
    const { id, isTaken } = await withAdministration(context, options, async ({ administration }) => {
      const others = await administration.listOrganizations();
      const created = await administration.createOrganization({ name, freemail });
      return { id: created.id, isTaken: others.some((other) => other.name === name) };
    });
    if (isTaken)
      context.stderr.write(`Another organization has the name ${name} too. Commands need the id for --org.\n`);
    const next = `Next: crm pipeline create --org ${id} "New business" --stage Open Won Lost\n      crm key create --org ${id}`;
    const text = `Organization ${name}: ${id}\n${next}`;
    printResult(context, options, { json: { organization_id: id, name, freemail }, text });
  });
};

interface UpdateOptions extends OrganizationOptions {
  readonly currency: string;
}

/** Adds `crm org update`. */
export const addOrgUpdateCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('update')
    .description('set the currency of new opportunities')
    .requiredOption('--currency <code>', 'the default currency, such as EUR; none for no default')
    .addHelpText(
      'after',
      `
Examples:
  $ crm org update --org ID --currency EUR
  $ crm org update --org ID --currency none

New opportunities without a currency get this one. Existing ones keep theirs.`,
    );
  withOrganizationOptions(command).action(async (options: UpdateOptions) => {
    const currency = options.currency === 'none' ? null : readCurrency('--currency', options.currency);
    const id = await withAdministration(context, options, async ({ administration, organization }) => {
      const found = await organization(options.org);
      await administration.setCurrency(found.id, currency);
      return found.id;
    });
    const text = currency === null ? 'No default currency' : `Default currency: ${currency}`;
    printResult(context, options, { json: { organization_id: id, currency }, text });
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
      const shown = Object.entries(json.limits).map(([group, amount]) => `${group}=${amount}`);
      printResult(context, options, {
        json,
        text: `Its own limits, in requests a minute: ${shown.join(', ') || 'none'}`,
      });
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
