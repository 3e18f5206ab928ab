import { currencyChange } from '@crm/db';
import type { Command } from 'commander';

import { readCurrency } from '../administration/find-setup.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

interface OrgUpdateOptions extends OrganizationOptions {
  readonly currency: string;
}

const examples = `
Examples:
  $ crm org update --org ID --currency EUR
  $ crm org update --org ID --currency none

New opportunities without a currency get this one. Existing ones keep theirs.`;

/** Adds `crm org update`. */
export const addOrgUpdateCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('update')
    .description('set the currency of new opportunities')
    .requiredOption('--currency <code>', 'the default currency, such as EUR; none for no default')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (options: OrgUpdateOptions) => {
    const currency = options.currency === 'none' ? null : readCurrency('--currency', options.currency);
    await withAdministration(context, options, ({ administration }) =>
      administration.changeSetup(options.org, [currencyChange(options.org, currency)]),
    );
    const text = currency === null ? 'No default currency' : `Default currency: ${currency}`;
    printResult(context, options, { json: { organization_id: options.org, currency }, text });
  });
};
