import type { Command } from 'commander';

import { organizationLimits } from '../administration/key-options.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

const help = `
Sets the requests a minute of all keys of an organization together, by group (list, search, inbound, bulk). Other groups stay
unchanged. "default" restores the default of the gateways, three times the limit of one key. 0 turns the limit of a group off.
The gateways apply the change within 5 seconds. To see the limits: crm org list --json

Examples:
  $ crm org limit --org ID list=5000,search=2000
  $ crm org limit --org ID bulk=default`;

/** Adds `crm org limit`. */
export const addOrgLimitCommand = (org: Command, context: CliContext): void => {
  const command = org
    .command('limit')
    .description('set the rate limits that all keys of an organization share')
    .argument('<limits>', 'requests a minute by group, such as list=5000,bulk=default', (text: string) =>
      organizationLimits(text),
    )
    .addHelpText('after', help);
  withOrganizationOptions(command).action(
    async (limits: Readonly<Record<string, number | null>>, options: OrganizationOptions) => {
      const now = await withAdministration(context, options, ({ administration }) =>
        administration.limitOrganization({ organizationId: options.org, limits }),
      );
      const shown = Object.entries(now).map(([group, amount]) => `${group}=${amount}`);
      const text = `Its own limits, in requests a minute: ${shown.join(', ') || 'none'}`;
      printResult(context, options, { json: { organization_id: options.org, limits: now }, text });
    },
  );
};
