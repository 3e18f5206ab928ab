import { hashApiKey, parseApiKey } from '@crm/domain';
import type { Command } from 'commander';

import { operationGroups } from '../administration/key-options.js';
import { keyStatus } from '../administration/key-status.js';
import { withAdministrationOptions, type AdministrationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { CliError } from '../errors.js';

const examples = `
Examples:
  $ crm key check crm_live_…
  $ CRM_API_KEY=crm_live_… crm key check      (keeps it out of the process list)

The API answers 401 to a key that may not make a request, and does not say why. This command says why. It exits with 1 if the
key does not work.`;

const readKey = (text: string | undefined): string => {
  if (text === undefined || text === '') throw new CliError('No key is given. Give it as KEY, or set CRM_API_KEY.', 2);
  const key = parseApiKey(text);
  if (key === null) {
    throw new CliError(
      'This is not an API key: its form or its checksum is wrong. Check that it was copied completely.',
    );
  }
  return key;
};

const groupsText = (allowed: readonly string[]): string => {
  const groups: readonly string[] = operationGroups;
  const missing = groups.filter((group) => !allowed.includes(group));
  const exception = allowed.every((name) => groups.includes(name)) ? '' : ', except for the single operations above';
  const denied = missing.length === 0 ? '' : `\nGroups not allowed${exception}: ${missing.join(', ')}`;
  return `Allowed: ${allowed.join(', ')}${denied}`;
};

/** Adds `crm key check`. */
export const addKeyCheckCommand = (key: Command, context: CliContext): void => {
  const command = key
    .command('check')
    .description('show the organization of an API key, whether it works and what it may do')
    .argument('[key]', 'the key itself (default: CRM_API_KEY)')
    .addHelpText('after', examples);
  withAdministrationOptions(command).action(async (text: string | undefined, options: AdministrationOptions) => {
    const hash = new Uint8Array(hashApiKey(readKey(text ?? context.env['CRM_API_KEY'])));
    const found = await withAdministration(context, options, ({ administration }) => administration.findApiKey(hash));
    if (found === null) throw new CliError('No organization of this database has this key.');
    const status = keyStatus(found.revokedAt, found.expiresAt);
    const json = {
      key_id: found.id,
      name: found.name,
      organization_id: found.organizationId,
      organization: found.organization,
      status,
      allowed_operations: found.allowedOperations,
      limits: found.limits,
      expires_at: found.expiresAt?.toISOString() ?? null,
      revoked_at: found.revokedAt?.toISOString() ?? null,
    };
    const limits = Object.entries(found.limits).map(([group, limit]) => `${group} ${limit}`);
    const lines = [
      `Key ${found.id} "${found.name}" of ${found.organization} (${found.organizationId}) is ${status}.`,
      groupsText(found.allowedOperations),
      `Expires: ${json.expires_at ?? 'never'}`,
      ...(limits.length === 0 ? [] : [`Its own limits, in requests a minute: ${limits.join(', ')}`]),
    ];
    printResult(context, options, { json, text: lines.join('\n') });
    if (status !== 'valid') throw new CliError(`The key is ${status}: the gateways answer 401.`);
  });
};
