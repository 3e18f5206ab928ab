import { Option, type Command } from 'commander';

import { overlap } from '../administration/instants.js';
import { newKey } from '../administration/new-key.js';
import { uuid, withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

interface KeyRotateOptions extends OrganizationOptions {
  readonly overlap: number;
}

const defaultOverlap = '1d';

const help = `
Creates a new key with the same name, operations, limits and expiry. The old key still works until the overlap ends, so that
programs can switch one by one. With --overlap 0, the old key is revoked at once.

Examples:
  $ crm key rotate --org ID KEY_ID                  (the id from crm key list, not the key itself)
  $ crm key rotate --org ID KEY_ID --overlap 7d
  $ crm key rotate --org ID KEY_ID --overlap 0      (the old key has leaked)`;

/** Adds `crm key rotate`. */
export const addKeyRotateCommand = (key: Command, context: CliContext): void => {
  const command = key
    .command('rotate')
    .description('replace an API key with a new one')
    .argument('<key-id>', 'its id', uuid)
    .addOption(
      new Option('--overlap <duration>', 'how long the old key still works')
        .argParser(overlap)
        .default(overlap(defaultOverlap), defaultOverlap),
    )
    .addHelpText('after', help);
  withOrganizationOptions(command).action(async (keyId: string, options: KeyRotateOptions) => {
    const { apiKey, text } = newKey();
    const rotated = await withAdministration(context, options, ({ administration }) =>
      administration.rotateApiKey({ organizationId: options.org, keyId, text, overlapMs: options.overlap }),
    );
    const oldKeyExpiresAt = rotated.oldKeyExpiresAt.toISOString();
    const json = { key_id: rotated.id, api_key: apiKey, replaces: keyId, old_key_expires_at: oldKeyExpiresAt };
    const oldKey =
      options.overlap === 0
        ? `The old key ${keyId} is revoked; the gateways refuse it within 5 seconds.`
        : `The old key ${keyId} works until ${oldKeyExpiresAt}. Watch its last use: crm key list --org ${options.org}`;
    const lines = [apiKey, `This is the only time that the key is shown. Its id is ${rotated.id}.`, oldKey];
    printResult(context, options, { json, text: lines.join('\n') });
  });
};
