import { operationGroups } from '@crm/contract';
import type { NewKeyText } from '@crm/db';
import { generateApiKey, hashApiKey, parseApiKey } from '@crm/domain';
import { Option } from 'commander';

import {
  administrationCommand,
  organizationCommand,
  type AdministrationOptions,
  type OrganizationOptions,
} from '../administration/session.js';
import { textTable } from '../administration/text-table.js';
import {
  allowedOperations,
  defaultOperations,
  expiry,
  expiryOrNever,
  keyId as readKeyId,
  limitsText,
  organizationLimits,
  overlap,
  readName,
  requestLimits,
} from '../administration/values.js';
import { CliError, exitCodes, usageError } from '../errors.js';
import { dataDirectory, readDemoFile } from '../local-stack/demo-file.js';

/** Long enough to distinguish keys in a list, too short to help guess one. */
const prefixLength = 'crm_live_'.length + 6;

/** Generates a key, and the prefix and hash of it that are stored. */
export const newKey = (): { readonly apiKey: string; readonly text: NewKeyText } => {
  const apiKey = generateApiKey();
  return { apiKey, text: { prefix: apiKey.slice(0, prefixLength), hash: new Uint8Array(hashApiKey(apiKey)) } };
};

interface CreateOptions extends OrganizationOptions {
  readonly name: string;
  readonly allow?: readonly string[];
  readonly limit?: Readonly<Record<string, number>>;
  readonly expires?: Date;
}

const create = organizationCommand({
  name: 'create',
  description: 'create an API key',
  help: `
Examples:
  $ crm key create --org ID --name "Website form" --allow inbound
  $ crm key create --org ID --name "Warehouse export" --allow list,search --expires 90d
  $ crm key create --org ID --allow list,inbound,delete --limit list=300,inbound=60

The key is printed once, and only its hash is stored. Store it with the secrets of the program that uses it.
Without --allow, a key has the groups list, search, inbound and bulk: it may not delete or merge records, or change the setup.
A limit of 0 turns the limit off.
Next: curl -H "x-api-key: KEY" READ_URL/v1/pipelines`,
  define: (command) =>
    command
      .option('--name <name>', 'what it is for', 'API key')
      .option('--allow <list>', `groups (${operationGroups.join(', ')}) or single operations`, allowedOperations)
      .option('--limit <list>', 'requests a minute by group, such as list=5,search=5', requestLimits)
      .option('--expires <when>', 'when it expires: a duration (90d), a day or a time', (text: string) => expiry(text)),
  run: async ({ administration, organization }, options: CreateOptions) => {
    const name = readName('--name', options.name);
    const { apiKey, text: keyText } = newKey();
    const allow = options.allow ?? defaultOperations;
    const { id } = await administration.createApiKey({
      organizationId: (await organization(options.org)).id,
      name,
      ...keyText,
      allowedOperations: allow,
      limits: options.limit ?? {},
      expiresAt: options.expires ?? null,
    });
    const expiresAt = options.expires?.toISOString() ?? null;
    const text = [
      apiKey,
      `This is the only time that the key is shown. Its id is ${id}.`,
      `It may: ${allow.join(', ')}. It expires: ${expiresAt ?? 'never'}.`,
      ...(allow.includes('list') ? [`Try it: curl -H 'x-api-key: ${apiKey}' READ_URL/v1/pipelines`] : []),
    ].join('\n');
    return { json: { key_id: id, api_key: apiKey, name, allowed_operations: allow, expires_at: expiresAt }, text };
  },
});

/** Whether the gateways accept a key, from the times when it was revoked and when it expires. */
const keyStatus = (revokedAt: Date | null, expiresAt: Date | null): 'revoked' | 'expired' | 'valid' => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 'expired' : 'valid';
};

const list = organizationCommand({
  name: 'list',
  description: 'list the API keys of an organization',
  help: `
Example:
  $ crm key list --org ID

Keys themselves are not stored. Recognize a key by its first characters. The last use is updated about once a minute.`,
  run: async ({ administration, organization }, { org }: OrganizationOptions) => {
    const { id } = await organization(org);
    const keys = (await administration.listApiKeys(id)).map((row) => ({
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
    return { json: { keys }, text: textTable(header, cells, 'There is none yet: crm key create') };
  },
});

const readKey = (text: string | undefined): string => {
  if (text === undefined || text === '') throw usageError('No key is given. Give it as KEY, or set CRM_API_KEY.');
  const key = parseApiKey(text);
  if (key !== null) return key;
  throw new CliError('This is not an API key: its form or its checksum is wrong. Check that it was copied completely.');
};

const groupsText = (allowed: readonly string[]): string => {
  const groups: readonly string[] = operationGroups;
  const missing = groups.filter((group) => !allowed.includes(group));
  const exception = allowed.every((name) => groups.includes(name)) ? '' : ', except for the single operations above';
  const denied = missing.length === 0 ? '' : `\nGroups not allowed${exception}: ${missing.join(', ')}`;
  return `Allowed: ${allowed.join(', ')}${denied}`;
};

const check = administrationCommand({
  name: 'check',
  description: 'show the organization of an API key, whether it works and what it may do',
  help: `
Examples:
  $ crm key check crm_live_…
  $ CRM_API_KEY=crm_live_… crm key check      (keeps it out of the process list)

The API answers 401 to a key that may not make a request, and does not say why. This command says why. It exits with 1 if the
key does not work.`,
  define: (command) =>
    command.argument('[key]', 'the key itself (default: CRM_API_KEY, or the key of the local stack)'),
  run: async ({ administration, context }, { databaseUrl }: AdministrationOptions, given: string | undefined) => {
    const demo = databaseUrl === undefined ? await readDemoFile(dataDirectory(context.env)) : undefined;
    const key = readKey(given ?? context.env['CRM_API_KEY'] ?? demo?.api_key);
    const found = await administration.findApiKey(new Uint8Array(hashApiKey(key)));
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
    const text = [
      `Key ${found.id} "${found.name}" of ${found.organization} (${found.organizationId}) is ${status}.`,
      groupsText(found.allowedOperations),
      `Expires: ${json.expires_at ?? 'never'}`,
      limitsText(found.limits),
    ].join('\n');
    if (status === 'valid') return { json, text };
    context.stderr.write(`The key is ${status}: the gateways answer 401.\n`);
    return { json, text, exitCode: exitCodes.failure };
  },
});

const limit = organizationCommand({
  name: 'limit',
  description: 'change the rate limits of an API key',
  help: `
Other groups stay unchanged. "default" restores the default of the gateways. 0 turns the limit of a group off. The gateways
apply the change within 5 seconds.

Example:
  $ crm key limit --org ID KEY_ID list=5000,search=default`,
  define: (command) =>
    command
      .argument('<key-id>', 'its id', readKeyId)
      .argument('<limits>', 'requests a minute by group, such as list=5000,bulk=default', organizationLimits),
  run: async (
    { administration, organization },
    { org }: OrganizationOptions,
    keyId: string,
    limits: ReturnType<typeof organizationLimits>,
  ) => {
    const { id } = await organization(org);
    const now = await administration.limitApiKey({ organizationId: id, keyId, limits });
    return { json: { key_id: keyId, limits: now }, text: limitsText(now) };
  },
});

const revoke = organizationCommand({
  name: 'revoke',
  description: 'revoke an API key permanently',
  help: `
Example:
  $ crm key revoke --org ID KEY_ID      (the id from crm key list, not the key itself)

The gateways refuse the key within 5 seconds. To replace a key without a gap: crm key rotate.`,
  define: (command) => command.argument('<key-id>', 'its id', readKeyId),
  run: async ({ administration, organization }, { org }: OrganizationOptions, keyId: string) => {
    const { id } = await organization(org);
    await administration.revokeApiKey({ organizationId: id, keyId });
    return {
      json: { key_id: keyId, revoked: true },
      text: `Key ${keyId} is revoked; the gateways refuse it within 5 seconds.`,
    };
  },
});

interface RotateOptions extends OrganizationOptions {
  readonly overlap: number;
  readonly expires?: Date | 'never';
}

const defaultOverlap = '1d';

const rotate = organizationCommand({
  name: 'rotate',
  description: 'replace an API key with a new one',
  help: `
Creates a new key with the same name, operations and limits. It lives as long as the old key did, counted from now: a key made
for 90 days gets 90 more. --expires sets another end. The old key still works until the overlap ends, but never beyond its own
expiry, so that programs can switch one by one. With --overlap 0, the old key is revoked at once.

Examples:
  $ crm key rotate --org ID KEY_ID                  (the id from crm key list, not the key itself)
  $ crm key rotate --org ID KEY_ID --overlap 7d --expires 90d
  $ crm key rotate --org ID KEY_ID --overlap 0      (the old key has leaked)`,
  define: (command) =>
    command
      .argument('<key-id>', 'its id', readKeyId)
      .addOption(
        new Option('--overlap <duration>', 'how long the old key still works')
          .argParser(overlap)
          .default(overlap(defaultOverlap), defaultOverlap),
      )
      .option('--expires <when>', 'when the new key expires: a duration, a day, a time or never', expiryOrNever),
  run: async ({ administration, organization }, { org, overlap: overlapMs, expires }: RotateOptions, keyId: string) => {
    const { id: organizationId } = await organization(org);
    const { apiKey, text } = newKey();
    const wantedExpiry = expires === 'never' ? null : expires;
    const rotation = { organizationId, keyId, text, overlapMs, expiresAt: wantedExpiry };
    const rotated = await administration.rotateApiKey(rotation);
    const expiresAt = rotated.expiresAt?.toISOString() ?? null;
    const oldKeyExpiresAt = rotated.oldKeyExpiresAt.toISOString();
    const oldKey =
      overlapMs === 0
        ? `The old key ${keyId} is revoked; the gateways refuse it within 5 seconds.`
        : `The old key ${keyId} works until ${oldKeyExpiresAt}. Watch its last use: crm key list`;
    return {
      json: {
        ...{ key_id: rotated.id, api_key: apiKey, expires_at: expiresAt },
        ...{ replaces: keyId, old_key_expires_at: oldKeyExpiresAt },
      },
      text: [
        apiKey,
        `This is the only time that the key is shown. Its id is ${rotated.id}. It expires: ${expiresAt ?? 'never'}.`,
        oldKey,
      ].join('\n'),
    };
  },
});

/** The commands of `crm key`. */
export const keyCommands = [create, rotate, list, check, limit, revoke];
