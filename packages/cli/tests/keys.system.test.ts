import { administration, findApiKeysByHash } from '@crm/db';
import { generateApiKey, hashApiKey } from '@crm/domain';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

let administered: AdministeredDatabase;
let org: string;

beforeAll(async () => {
  administered = administer(readTestStack().databaseUrl);
  org = await administered.createOrganization();
});
afterAll(() => administered.close());

const hourMs = 3_600_000;
const stored = async (apiKey: unknown) =>
  (await findApiKeysByHash(administered.database, [hashApiKey(String(apiKey))]))[0];
const rotate = (keyId: string, ...more: string[]) =>
  administered.crmJson('key', 'rotate', keyId, '--org', org, ...more);

/** Creates a key, without a command, in which every value differs from the default. */
const createKey = async (expiresInMs?: number): Promise<{ readonly keyId: string; readonly apiKey: string }> => {
  const apiKey = generateApiKey();
  const { id } = await administration(administered.database).createApiKey({
    ...{ organizationId: org, name: 'Export', prefix: apiKey.slice(0, 13), hash: new Uint8Array(hashApiKey(apiKey)) },
    ...{ allowedOperations: ['list', 'createNote'], limits: { list: 5 } },
    expiresAt: expiresInMs === undefined ? null : new Date(Date.now() + expiresInMs),
  });
  return { keyId: id, apiKey };
};

describe('crm key create and crm key list', () => {
  it('create a key that works, and store and show only its hash', async () => {
    const values = ['--allow', 'list,createNote', '--limit', 'list=5', '--expires', '90d'];
    const { key_id: keyId, api_key: apiKey } = await administered.crmJson('key', 'create', '--org', org, ...values);
    expect(await stored(apiKey)).toMatchObject({
      id: keyId,
      organizationId: org,
      allowedOperations: ['list', 'createNote'],
      limits: { list: 5 },
      revokedAt: null,
    });
    const listed = await administered.crm('key', 'list', '--org', org, '--json');
    expect(listed.stdout).not.toContain(apiKey);
    expect(listed.stdout).toContain('"status":"valid"');
  });

  it('do not allow deleting by default', async () => {
    const { allowed_operations: allowed } = await administered.crmJson('key', 'create', '--org', org);
    expect(allowed).toEqual(['list', 'search', 'inbound', 'bulk']);
  });
});

describe('crm key rotate', () => {
  it('creates an equal key, and the old one still works for a day', async () => {
    const { keyId, apiKey } = await createKey(90 * 24 * hourMs);
    const before = await stored(apiKey);
    const startedAtMs = Date.now();
    const rotated = await rotate(keyId);
    expect(rotated).toEqual({
      key_id: expect.any(String),
      api_key: expect.stringMatching(/^crm_live_/),
      expires_at: expect.any(String),
      replaces: keyId,
      old_key_expires_at: expect.any(String),
    });
    expect(rotated['key_id']).not.toBe(keyId);
    const expiresAt = new Date(String(rotated['expires_at']));
    expect(await stored(rotated['api_key'])).toEqual({ ...before, id: rotated['key_id'], expiresAt });
    const endsAt = new Date(String(rotated['old_key_expires_at']));
    expect(await stored(apiKey)).toMatchObject({ revokedAt: null, expiresAt: endsAt });
    expect(endsAt.getTime()).toBeGreaterThanOrEqual(startedAtMs + 24 * hourMs);
    expect(endsAt.getTime()).toBeLessThanOrEqual(Date.now() + 24 * hourMs);
    const { keys } = await administered.crmJson('key', 'list', '--org', org);
    expect(keys).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key_id: keyId, status: 'valid', replaced_by: rotated['key_id'] }),
        expect.objectContaining({ key_id: rotated['key_id'], status: 'valid', replaced_by: null, name: 'Export' }),
      ]),
    );
  });

  it('revokes the old key at once without an overlap, and never lets it outlive its own expiry', async () => {
    const first = await createKey();
    await rotate(first.keyId, '--overlap', '0');
    expect((await stored(first.apiKey))?.revokedAt).toEqual(expect.any(Date));
    const second = await createKey(2 * hourMs);
    const before = await stored(second.apiKey);
    await rotate(second.keyId, '--overlap', '30d');
    expect((await stored(second.apiKey))?.expiresAt).toEqual(before?.expiresAt);
  });

  it('gives the new key the lifetime of the old one from now, or the one that is asked for', async () => {
    const old = await createKey(90 * 24 * hourMs);
    const where = { organizationId: org, id: old.keyId };
    const dayAgo = new Date(Date.now() - 24 * hourMs);
    // The key was made a day ago for 91 days.
    await administered.database.prisma.apiKey.updateMany({ where, data: { createdAt: dayAgo } });
    const lifetimeMs = ((await stored(old.apiKey))?.expiresAt?.getTime() ?? 0) - dayAgo.getTime();
    const startedAtMs = Date.now();
    const rotated = await rotate(old.keyId);
    const expiresAtMs = Date.parse(String(rotated['expires_at']));
    expect(expiresAtMs).toBeGreaterThanOrEqual(startedAtMs + lifetimeMs);
    expect(expiresAtMs).toBeLessThanOrEqual(Date.now() + lifetimeMs);
    const dated = await rotate(String(rotated['key_id']), '--expires', '2199-01-31');
    expect(dated['expires_at']).toBe('2199-01-31T00:00:00.000Z');
    const text = await administered.crm('key', 'rotate', String(dated['key_id']), '--org', org, '--expires', 'never');
    expect(text.stdout).toMatch(/^crm_live_\S+\n.* It expires: never\.$/m);
    const endless = await createKey();
    expect((await rotate(endless.keyId))['expires_at']).toBeNull();
  });

  it('and revoke refuse keys of other organizations; rotate also those that are not valid any more', async () => {
    const { keyId, apiKey } = await createKey();
    const refused = async (command: string, id: string, organizationId: string, why: RegExp): Promise<void> => {
      const result = await administered.crm('key', command, id, '--org', organizationId);
      expect(result).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(why) });
    };
    const other = await administered.createOrganization();
    await refused('rotate', keyId, other, /no key/);
    await refused('revoke', keyId, other, /no key/);
    expect((await stored(apiKey))?.revokedAt).toBeNull();
    await administered.crmJson('key', 'revoke', keyId, '--org', org);
    await refused('rotate', keyId, org, /is revoked/);
    const expired = await createKey(-hourMs);
    await refused('rotate', expired.keyId, org, /has expired/);
  });
});

describe('crm key check', () => {
  it('prints the owner, the status and the permissions of a key, but not the key', async () => {
    const { keyId, apiKey } = await createKey();
    expect(await administered.crmJson('key', 'check', apiKey)).toEqual({
      ...{ key_id: keyId, name: 'Export', organization_id: org, organization: 'Acme Sales', status: 'valid' },
      ...{ allowed_operations: ['list', 'createNote'], limits: { list: 5 }, expires_at: null, revoked_at: null },
    });
    const { stdout } = await administered.crm('key', 'check', apiKey);
    expect(stdout).toContain(
      'Allowed: list, createNote\nGroups not allowed, except for the single operations above: search, inbound, bulk, delete',
    );
    expect(stdout).not.toContain(apiKey);
  });

  it('fails for a key that is revoked, unknown or mistyped, and says which of these it is', async () => {
    const { keyId, apiKey } = await createKey();
    await administered.crmJson('key', 'revoke', keyId, '--org', org);
    const reasons = { [apiKey]: 'revoked', [generateApiKey()]: 'No organization', [`${apiKey}x`]: 'not an API key' };
    for (const [key, why] of Object.entries(reasons)) {
      const stderr = expect.stringContaining(why) as unknown;
      expect(await administered.crm('key', 'check', key)).toMatchObject({ exitCode: 1, stderr });
    }
    const { stdout } = await administered.crm('key', 'check', apiKey, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ key_id: keyId, status: 'revoked' });
  });
});

describe('crm key limit', () => {
  it('changes and removes the limits of an existing key group by group, in the audit trail', async () => {
    const { keyId, apiKey } = await createKey();
    await administered.crmJson('key', 'limit', keyId, 'bulk=9', '--org', org);
    const limits = { bulk: 9, search: 0 };
    const limited = await administered.crmJson('key', 'limit', keyId, 'list=default,search=0', '--org', org);
    expect(limited).toEqual({ key_id: keyId, limits });
    expect((await stored(apiKey))?.limits).toEqual(limits);
    const other = await administered.createOrganization();
    const stderr = expect.stringContaining('no key') as unknown;
    expect(await administered.crm('key', 'limit', keyId, 'list=1', '--org', other)).toMatchObject({
      exitCode: 1,
      stderr,
    });
    const { stdout } = await administered.crm('audit', '--org', org);
    expect(stdout).toContain('key.limit');
  });
});

describe('crm org limit', () => {
  it('sets and removes the limits of an organization group by group', async () => {
    await administered.crmJson('org', 'limit', 'list=50,bulk=0', '--org', org);
    const limits = { list: 50, search: 7 };
    const limited = await administered.crmJson('org', 'limit', 'search=7,bulk=default', '--org', org);
    expect(limited).toEqual({ organization_id: org, limits });
    expect((await stored((await createKey()).apiKey))?.organizationLimits).toEqual(limits);
  });
});
