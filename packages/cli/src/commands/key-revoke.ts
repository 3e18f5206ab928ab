import type { Command } from 'commander';

import { uuid, withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

const examples = `
Example:
  $ crm key revoke --org ID KEY_ID      (the id from crm key list, not the key itself)

The gateways refuse the key within 5 seconds. To replace a key without a gap: crm key rotate.`;

/** Adds `crm key revoke`. */
export const addKeyRevokeCommand = (key: Command, context: CliContext): void => {
  const command = key
    .command('revoke')
    .description('revoke an API key permanently')
    .argument('<key-id>', 'its id', uuid)
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (keyId: string, options: OrganizationOptions) => {
    await withAdministration(context, options, ({ administration }) =>
      administration.revokeApiKey({ organizationId: options.org, keyId }),
    );
    const text = `Key ${keyId} is revoked; the gateways refuse it within 5 seconds.`;
    printResult(context, options, { json: { key_id: keyId, revoked: true }, text });
  });
};
