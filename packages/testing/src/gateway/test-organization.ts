import { randomBytes } from 'node:crypto';

import type { CustomFieldDefinition } from '@crm/contract';

/** The properties of a stage or pipeline that tests use. */
interface TestPipeline {
  readonly id: string;
  readonly name: string;
  readonly stages: readonly { readonly id: string; readonly label: string }[];
}

/** A custom field to define. */
export interface TestField {
  readonly objectType: 'opportunity' | 'account' | 'contact';
  readonly slug: string;
  readonly attributeType: CustomFieldDefinition['attribute_type'];
  readonly name?: string;
  readonly metadata?: {
    readonly options?: readonly { label: string; value: string; color: string; archived?: boolean }[];
    readonly currency?: string;
    readonly max?: number;
  };
  readonly isHidden?: boolean;
  /** By default every pipeline. */
  readonly pipelineIds?: readonly string[];
}

/** Functions that set up organizations. Tests pass them in, because this package must not import `db`. */
export interface OrganizationTools {
  createOrganization(input: { name: string; freemail?: 'create' | 'skip' }): Promise<{ id: string }>;
  createPipeline(input: {
    organizationId: string;
    name: string;
    stages: readonly { label: string; isDefault?: boolean }[];
  }): Promise<TestPipeline>;
  addMember(input: { organizationId: string; email: string; name: string }): Promise<{ id: string }>;
  defineField(
    input: Required<Omit<TestField, 'metadata' | 'pipelineIds'>> & {
      organizationId: string;
      metadata: TestField['metadata'] | null;
      pipelineIds: readonly string[] | null;
    },
  ): Promise<{ id: string }>;
  createApiKey(input: {
    organizationId: string;
    name: string;
    prefix: string;
    hash: Uint8Array<ArrayBuffer>;
    allowedOperations: readonly string[];
    limits: Readonly<Record<string, number>>;
    expiresAt: Date | null;
  }): Promise<{ id: string }>;
  revokeApiKey(input: { organizationId: string; keyId: string }): Promise<void>;
  /** A new key and its stored properties. */
  newKey(): { readonly key: string; readonly hash: Uint8Array<ArrayBuffer> };
}

/** The properties of a key. By default it may do everything and never expires. */
interface TestKeyOptions {
  readonly allow?: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
  readonly expiresAt?: Date;
}

/** An organization with two pipelines, a member and a key that may do everything. */
export interface TestOrganization {
  readonly id: string;
  /** Stages `New`, `Qualified` (the default one), `Won`. */
  readonly pipeline: TestPipeline;
  /** Stages `Open`, `Closed`, neither of them the default. */
  readonly otherPipeline: TestPipeline;
  readonly member: { readonly id: string; readonly email: string };
  readonly key: string;
  createKey(options?: TestKeyOptions): Promise<{ readonly id: string; readonly key: string }>;
  revokeKey(keyId: string): Promise<void>;
  /** A well-formed key that does not exist. */
  newUnknownKey(): string;
  defineField(field: TestField): Promise<void>;
}

/** Sets up a new organization, so that tests with a shared database do not see each other's records. */
export const createTestOrganization = async (
  tools: OrganizationTools,
  options: { readonly freemail?: 'create' | 'skip' } = {},
): Promise<TestOrganization> => {
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
      allowedOperations: allow ?? ['list', 'search', 'inbound', 'bulk', 'delete', 'setup', 'webhooks'],
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
    revokeKey: (keyId) => tools.revokeApiKey({ organizationId: id, keyId }),
    newUnknownKey: () => tools.newKey().key,
    defineField: async ({ metadata, pipelineIds, ...field }) => {
      await tools.defineField({
        organizationId: id,
        name: field.slug,
        isHidden: false,
        ...field,
        metadata: metadata ?? null,
        pipelineIds: pipelineIds ?? null,
      });
    },
  };
};
