import { findApiKeyByHash } from '@crm/db';
import { generateApiKey, hashApiKey } from '@crm/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createAdministeredDatabase, type AdministeredDatabase } from './support/administered-database.js';

let administered: AdministeredDatabase;

beforeAll(async () => {
  administered = await createAdministeredDatabase();
});
afterAll(() => administered.drop());

const hourMs = 3_600_000;
const stored = (apiKey: unknown) => findApiKeyByHash(administered.database, hashApiKey(String(apiKey)));

/** An organization with a key in which every value differs from the default. */
const createKey = async (...more: string[]) => {
  const org = await administered.createOrganization();
  const args = ['--org', org, '--name', 'Export', '--allow', 'list,createNote', '--limit', 'list=5', ...more];
  const created = await administered.crmJson('key', 'create', ...args);
  return { org, keyId: String(created['key_id']), apiKey: created['api_key'] };
};

describe('crm key rotate', () => {
  it('creates an equal key, and the old one still works for a day', async () => {
    const { org, keyId, apiKey } = await createKey('--expires', '90d');
    const before = await stored(apiKey);
    const startedAtMs = Date.now();
    const rotated = await administered.crmJson('key', 'rotate', keyId, '--org', org);
    expect(rotated).toEqual({
      key_id: expect.any(String),
      api_key: expect.stringMatching(/^crm_live_/),
      replaces: keyId,
      old_key_expires_at: expect.any(String),
    });
    expect(rotated['key_id']).not.toBe(keyId);
    expect(await stored(rotated['api_key'])).toEqual({ ...before, id: rotated['key_id'] });
    const old = await stored(apiKey);
    const endsMs = old?.expiresAt?.getTime() ?? 0;
    expect(old).toMatchObject({ revokedAt: null, expiresAt: new Date(String(rotated['old_key_expires_at'])) });
    expect(endsMs).toBeGreaterThanOrEqual(startedAtMs + 24 * hourMs);
    expect(endsMs).toBeLessThanOrEqual(Date.now() + 24 * hourMs);
    const { keys } = await administered.crmJson('key', 'list', '--org', org);
    expect(keys).toMatchObject([
      { key_id: keyId, status: 'valid', replaced_by: rotated['key_id'] },
      { key_id: rotated['key_id'], status: 'valid', replaced_by: null, name: 'Export', limits: { list: 5 } },
    ]);
  });

  it('revokes the old key at once without an overlap', async () => {
    const { org, keyId, apiKey } = await createKey();
    await administered.crmJson('key', 'rotate', keyId, '--org', org, '--overlap', '0');
    expect((await stored(apiKey))?.revokedAt).toEqual(expect.any(Date));
  });

  it('never lets the old key outlive its own expiry', async () => {
    const { org, keyId, apiKey } = await createKey('--expires', '2h');
    const before = await stored(apiKey);
    await administered.crmJson('key', 'rotate', keyId, '--org', org, '--overlap', '30d');
    expect((await stored(apiKey))?.expiresAt).toEqual(before?.expiresAt);
  });

  it('refuses a key that is revoked, replaced, expired, unknown or of another organization', async () => {
    const { org, keyId, apiKey } = await createKey();
    const refused = async (id: string, organizationId: string, why: RegExp): Promise<void> => {
      const result = await administered.crm('key', 'rotate', id, '--org', organizationId);
      expect(result).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(why) });
    };
    await refused(keyId, await administered.createOrganization(), /no key/);
    await refused('01890000-0000-7000-8000-000000000001', org, /no key/);
    const { key_id: second } = await administered.crmJson('key', 'rotate', keyId, '--org', org);
    await refused(keyId, org, /was replaced by/);
    await administered.crmJson('key', 'revoke', String(second), '--org', org);
    await refused(String(second), org, /is revoked/);
    const expired = await createKey();
    await administered.database.prisma.apiKey.updateMany({
      where: { id: expired.keyId },
      data: { expiresAt: new Date(Date.now() - hourMs) },
    });
    await refused(expired.keyId, expired.org, /has expired/);
    expect((await stored(apiKey))?.revokedAt).toBeNull();
  });
});

describe('crm org limit', () => {
  it('sets and removes the limits of an organization group by group', async () => {
    const { org, apiKey } = await createKey();
    await administered.crmJson('org', 'limit', 'list=50,bulk=0', '--org', org);
    expect(await administered.crmJson('org', 'limit', 'search=7,bulk=default', '--org', org)).toEqual({
      organization_id: org,
      limits: { list: 50, search: 7 },
    });
    expect((await stored(apiKey))?.organizationLimits).toEqual({ list: 50, search: 7 });
    const { organizations } = await administered.crmJson('org', 'list');
    expect(organizations).toContainEqual(
      expect.objectContaining({ organization_id: org, limits: { list: 50, search: 7 } }),
    );
  });
});

describe('crm key check', () => {
  it('prints the owner, the status and the permissions of a key', async () => {
    const { org, keyId, apiKey } = await createKey();
    const { organization, ...checked } = await administered.crmJson('key', 'check', String(apiKey));
    expect(checked).toEqual({
      key_id: keyId,
      name: 'Export',
      organization_id: org,
      status: 'valid',
      allowed_operations: ['list', 'createNote'],
      limits: { list: 5 },
      expires_at: null,
      revoked_at: null,
    });
    expect(organization).toEqual(expect.any(String));
    const { stdout } = await administered.crm('key', 'check', String(apiKey));
    expect(stdout).toContain(
      'Allowed: list, createNote\nGroups not allowed, except for the single operations above: search, inbound, bulk, delete',
    );
    expect(stdout).not.toContain(String(apiKey));
  });

  it('fails for a key that is revoked, unknown or mistyped, and says which of these it is', async () => {
    const { org, keyId, apiKey } = await createKey();
    await administered.crmJson('key', 'revoke', keyId, '--org', org);
    const check = (key: string) => administered.crm('key', 'check', key);
    expect(await check(String(apiKey))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('revoked') as unknown,
    });
    const unknown = await check(generateApiKey());
    expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('No organization') as unknown });
    const mistyped = await check(`${String(apiKey)}x`);
    expect(mistyped).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('not an API key') as unknown });
  });
});
