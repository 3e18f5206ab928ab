import type { Command } from 'commander';

import { keyStatus } from '../administration/key-status.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { textTable } from '../administration/text-table.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

const examples = `
Example:
  $ crm key list --org ID

Keys themselves are not stored. Recognize a key by its first characters. The last use is updated about once a minute.`;

/** Adds `crm key list`. */
export const addKeyListCommand = (key: Command, context: CliContext): void => {
  const command = key
    .command('list')
    .description('list the API keys of an organization')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (options: OrganizationOptions) => {
    const rows = await withAdministration(context, options, async ({ administration, setup }) => {
      await setup(options.org);
      return administration.listApiKeys(options.org);
    });
    const keys = rows.map((row) => ({
      key_id: row.id,
      name: row.name,
      prefix: row.prefix,
      allowed_operations: row.allowedOperations,
      limits: row.limits,
      created_at: row.createdAt.toISOString(),
      last_used_at: row.lastUsedAt?.toISOString() ?? null,
      expires_at: row.expiresAt?.toISOString() ?? null,
      revoked_at: row.revokedAt?.toISOString() ?? null,
      replaced_by: row.replacedBy,
      status: keyStatus(row.revokedAt, row.expiresAt),
    }));
    const header = ['KEY', 'STATUS', 'STARTS WITH', 'NAME', 'ALLOWS', 'EXPIRES', 'LAST USED'];
    const cells = keys.map((row) => [
      row.key_id,
      row.status,
      row.prefix,
      row.name,
      row.allowed_operations.join(','),
      row.expires_at ?? 'never',
      row.last_used_at ?? 'never',
    ]);
    const text = textTable(header, cells, `There is none yet: crm key create --org ${options.org}`);
    printResult(context, options, { json: { keys }, text });
  });
};
