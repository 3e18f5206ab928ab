import { normalizeName } from '@crm/domain';
import type { Command } from 'commander';

import { expiry } from '../administration/instants.js';
import { allowedOperations, defaultOperations, requestLimits } from '../administration/key-options.js';
import { newKey } from '../administration/new-key.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';

interface KeyCreateOptions extends OrganizationOptions {
  readonly name: string;
  readonly allow?: readonly string[];
  readonly limit?: Readonly<Record<string, number>>;
  readonly expires?: Date;
}

const examples = `
Examples:
  $ crm key create --org ID --name "Website form" --allow inbound
  $ crm key create --org ID --name "Warehouse export" --allow list,search --expires 90d
  $ crm key create --org ID --allow list,inbound,delete --limit list=300,inbound=60

The key is printed once, and only its hash is stored. Store it with the secrets of the program that uses it.
Without --allow, a key has the groups list, search, inbound and bulk: it may not delete or merge records, or change the setup.
A limit of 0 turns the limit off.
Next: curl -H "x-api-key: KEY" READ_URL/v1/pipelines`;

/** Adds `crm key create`. */
export const addKeyCreateCommand = (key: Command, context: CliContext): void => {
  const command = key
    .command('create')
    .description('create an API key')
    .option('--name <name>', 'what it is for', 'API key')
    .option(
      '--allow <list>',
      'groups (list, search, inbound, bulk, delete, setup) or single operations',
      allowedOperations,
    )
    .option('--limit <list>', 'requests a minute by group, such as list=5,search=5', requestLimits)
    .option('--expires <when>', 'when it expires: a duration (90d), a day or a time', (text: string) => expiry(text))
    .addHelpText('after', examples);
  withOrganizationOptions(command).action((options: KeyCreateOptions) => createKey(context, options));
};

const createKey = async (context: CliContext, options: KeyCreateOptions): Promise<void> => {
  const name = normalizeName(options.name);
  if (!name.ok) throw usageError(`--name: ${name.message}`);
  const { apiKey, text: keyText } = newKey();
  const allow = options.allow ?? defaultOperations;
  const { id } = await withAdministration(context, options, ({ administration }) =>
    administration.createApiKey({
      organizationId: options.org,
      name: name.value,
      ...keyText,
      allowedOperations: allow,
      limits: options.limit ?? {},
      expiresAt: options.expires ?? null,
    }),
  );
  const expiresAt = options.expires?.toISOString() ?? null;
  const json = { key_id: id, api_key: apiKey, name: name.value, allowed_operations: allow, expires_at: expiresAt };
  const text = [
    apiKey,
    `This is the only time that the key is shown. Its id is ${id}.`,
    `It may: ${allow.join(', ')}. It expires: ${expiresAt ?? 'never'}.`,
    `Try it: curl -H 'x-api-key: ${apiKey}' READ_URL/v1/pipelines`,
  ].join('\n');
  printResult(context, options, { json, text });
};
