import { randomBytes } from 'node:crypto';
import { operationGroups } from '@crm/contract';
import { applyRoles, migrate, type AdministrationDatabase } from '@crm/db';
import {
  createTestDatabase,
  type TestDatabase,
  type TestKeyOptions,
  type TestOrganization,
  testRoleNames,
} from '@crm/testing';
import { setupTools } from './setup-tools.js';

/**
 * A migrated database with the roles of the gateways, for test files that change it or look at the rows of all
 * organizations. Others use `readTestStack().databaseUrl`, the database of the run.
 */
export const createMigratedDatabase = (): Promise<TestDatabase> =>
  createTestDatabase(async (url) => {
    await migrate(url);
    await applyRoles(url, testRoleNames());
  }, 'gateways');

/** Sets up a new organization, so that tests with a shared database do not see each other's records. */
export const createTestOrganization = async (
  database: Pick<AdministrationDatabase, 'url'>,
  options: { readonly freemail?: 'create' | 'skip' } = {},
): Promise<TestOrganization> => {
  const tools = setupTools(database);
  const name = `Test ${randomBytes(4).toString('hex')}`;
  const { id } = await tools.createOrganization({ name, ...options });
  const stages = [{ label: 'New' }, { label: 'Qualified', isDefault: true }, { label: 'Won' }];
  const pipeline = await tools.createPipeline({ organizationId: id, name: 'Sales', stages });
  const otherStages = [{ label: 'Open' }, { label: 'Closed' }];
  const otherPipeline = await tools.createPipeline({ organizationId: id, name: 'Partners', stages: otherStages });
  const email = 'owner@team.example';
  const member = { email, ...(await tools.addMember({ organizationId: id, email, name: 'Olga Owner' })) };
  const createKey = async ({ allow, limits, expiresAt }: TestKeyOptions = {}): Promise<{ id: string; key: string }> => {
    const { key, hash } = tools.newKey();
    const created = await tools.createApiKey({
      organizationId: id,
      name: 'Test',
      prefix: key.slice(0, 13),
      hash,
      allowedOperations: allow ?? operationGroups,
      limits: limits ?? {},
      expiresAt: expiresAt ?? null,
    });
    return { id: created.id, key };
  };
  return {
    id,
    pipeline,
    otherPipeline,
    member,
    key: (await createKey()).key,
    createKey,
    revokeKey: async (keyId) => {
      await tools.revokeApiKey({ organizationId: id, keyId });
    },
    newUnknownKey: () => tools.newKey().key,
    defineField: async ({ metadata = null, pipelineIds = null, ...field }) => {
      const defaults = { name: field.slug, isHidden: false, metadata, pipelineIds };
      await tools.defineField({ organizationId: id, ...defaults, ...field });
    },
  };
};
