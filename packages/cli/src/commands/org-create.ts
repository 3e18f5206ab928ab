import { Option, type Command } from 'commander';

import { readName } from '../administration/find-setup.js';
import { withAdministrationOptions, type AdministrationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

interface OrgCreateOptions extends AdministrationOptions {
  readonly freemail: 'create' | 'skip';
}

const examples = `
Examples:
  $ crm org create "Acme Sales"
  $ ORG=$(crm org create "Acme Sales" --json | sed 's/.*"organization_id":"\\([^"]*\\)".*/\\1/')

With --freemail skip, contacts at gmail.com and similar domains get no account. With create, they get one with is_freemail: true.
Next: crm pipeline create, then crm key create.`;

/** Adds `crm org create`. */
export const addOrgCreateCommand = (org: Command, context: CliContext): void => {
  const command = org
    .command('create')
    .description('create an organization')
    .argument('<name>', 'its name, which need not be unique')
    .addOption(
      new Option('--freemail <what>', 'accounts for free mail domains').choices(['create', 'skip']).default('create'),
    )
    .addHelpText('after', examples);
  withAdministrationOptions(command).action(async (input: string, options: OrgCreateOptions) => {
    const name = readName('<name>', input);
    const { freemail } = options;
    const { id } = await withAdministration(context, options, ({ administration }) =>
      administration.createOrganization({ name, freemail }),
    );
    const next = `Next: crm pipeline create --org ${id} "New business" --stage Open Won Lost\n      crm key create --org ${id}`;
    const text = `Organization ${name}: ${id}\n${next}`;
    printResult(context, options, { json: { organization_id: id, name, freemail }, text });
  });
};
