import { randomUUID } from 'node:crypto';
import { ApiError, type AttributeType, type FieldMetadata, type ObjectType, slotKind } from '@crm/domain';
import type { Pipeline } from './catalog.js';
import type { Database } from './database.js';
import type { Prisma } from './generated/client.js';

/** How many slot columns of each kind a record has; see the schema. */
const slotsOfAKind = 8;

/** An organization as administration shows it. */
export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly freemail: string;
  readonly createdAt: Date;
}

/** A stage to be made. */
export interface NewStage {
  readonly label: string;
  readonly color?: string | undefined;
  /** Chance of winning in per cent. */
  readonly probability?: number | undefined;
  readonly isDefault?: boolean | undefined;
}

/** An API key to be stored; the key itself is never handed over. */
export interface NewApiKey {
  readonly organizationId: string;
  readonly name: string;
  /** Its first characters, to tell keys apart. */
  readonly prefix: string;
  readonly hash: Uint8Array<ArrayBuffer>;
  readonly allowedOperations: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly expiresAt: Date | null;
}

/** An API key as lists show it. */
export type ApiKeyRow = Omit<NewApiKey, 'hash'> & {
  readonly id: string;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
};

/** A custom field to be defined. */
export interface NewField {
  readonly organizationId: string;
  readonly objectType: ObjectType;
  readonly slug: string;
  readonly name: string;
  readonly attributeType: AttributeType;
  readonly metadata: FieldMetadata | null;
  /** After all others when absent. */
  readonly position?: number | undefined;
  readonly isHidden: boolean;
  /** Null: every pipeline. */
  readonly pipelineIds: readonly string[] | null;
}

const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'P2002';

/** Runs an insert; what is there already is a conflict with the given text. */
const insert = async <T>(work: Promise<T>, conflict: string): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('conflict', { message: conflict, cause: error });
    throw error;
  }
};

/** Changes to one organization's set-up wait for each other, so that positions and slots are given out once. */
const lockOrganization = async (transaction: Prisma.TransactionClient, organizationId: string): Promise<void> => {
  const rows = await transaction.$queryRaw<
    unknown[]
  >`SELECT id FROM organizations WHERE id = ${organizationId}::uuid FOR UPDATE`;
  if (rows.length === 0) throw new ApiError('not_found', { message: `There is no organization ${organizationId}` });
};

/** The first slot column that no field of the object uses, or null when all are taken or the type has no single key. */
const freeSlot = async (transaction: Prisma.TransactionClient, field: NewField): Promise<string | null> => {
  const kind = slotKind(field.attributeType);
  if (kind === null) return null;
  const { organizationId, objectType } = field;
  const rows = await transaction.customField.findMany({
    where: { organizationId, objectType, NOT: { slot: null } },
    select: { slot: true },
  });
  const taken = new Set(rows.map(({ slot }) => slot));
  const slots = Array.from({ length: slotsOfAKind }, (_, index) => `${kind}_${index + 1}`);
  return slots.find((slot) => !taken.has(slot)) ?? null;
};

const insertField = async (transaction: Prisma.TransactionClient, field: NewField): Promise<string> => {
  await lockOrganization(transaction, field.organizationId);
  const { organizationId, objectType } = field;
  const last = await transaction.customField.aggregate({
    where: { organizationId, objectType },
    _max: { position: true },
  });
  const id = randomUUID();
  await transaction.customField.create({
    data: {
      id,
      organizationId,
      objectType,
      slug: field.slug,
      name: field.name,
      attributeType: field.attributeType,
      ...(field.metadata === null ? {} : { metadata: field.metadata as Prisma.InputJsonObject }),
      position: field.position ?? (last._max.position ?? 0) + 1,
      isHidden: field.isHidden,
      allPipelines: field.pipelineIds === null,
      slot: await freeSlot(transaction, field),
    },
  });
  const links = (field.pipelineIds ?? []).map((pipelineId) => ({ organizationId, customFieldId: id, pipelineId }));
  await transaction.customFieldPipeline.createMany({ data: links });
  return id;
};

const insertPipeline = async (
  transaction: Prisma.TransactionClient,
  organizationId: string,
  name: string,
  stages: readonly NewStage[],
): Promise<Pipeline> => {
  await lockOrganization(transaction, organizationId);
  const last = await transaction.pipeline.aggregate({ where: { organizationId }, _max: { position: true } });
  const pipeline = { id: randomUUID(), name, position: (last._max.position ?? 0) + 1 };
  await transaction.pipeline.create({ data: { organizationId, ...pipeline } });
  const rows = stages.map((stage, index) => ({
    id: randomUUID(),
    pipelineId: pipeline.id,
    label: stage.label,
    position: index + 1,
    color: stage.color ?? 'gray',
    isActive: true,
    isDefault: stage.isDefault ?? false,
    probability: stage.probability ?? null,
  }));
  await transaction.stage.createMany({ data: rows.map((row) => ({ organizationId, ...row })) });
  return { ...pipeline, stages: rows };
};

/** What administration does; every change is one transaction. */
export const administration = ({ prisma }: Database) => ({
  /** @throws nothing of its own: names of organizations need not differ. */
  createOrganization: async (input: {
    readonly name: string;
    readonly freemail?: 'create' | 'skip';
  }): Promise<OrganizationRow> => prisma.organization.create({ data: { id: randomUUID(), ...input } }),

  listOrganizations: async (): Promise<OrganizationRow[]> =>
    prisma.organization.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),

  /** @throws ApiError `not_found` for an unknown organization, `conflict` when the email is a member already. */
  addMember: (input: {
    readonly organizationId: string;
    readonly email: string;
    readonly name: string;
  }): Promise<{ id: string }> =>
    prisma.$transaction(async (transaction) => {
      await lockOrganization(transaction, input.organizationId);
      const created = transaction.member.create({ data: { id: randomUUID(), ...input } });
      const { id } = await insert(created, `${input.email} is a member already`);
      return { id };
    }),

  listMembers: async (organizationId: string): Promise<{ id: string; email: string; name: string }[]> =>
    prisma.member.findMany({
      where: { organizationId },
      select: { id: true, email: true, name: true },
      orderBy: { email: 'asc' },
    }),

  /** @throws ApiError `not_found` for an unknown organization. */
  createApiKey: (input: NewApiKey): Promise<{ id: string }> =>
    prisma.$transaction(async (transaction) => {
      await lockOrganization(transaction, input.organizationId);
      const { allowedOperations, ...data } = input;
      const { id } = await transaction.apiKey.create({
        data: { id: randomUUID(), ...data, allowedOperations: [...allowedOperations] },
      });
      return { id };
    }),

  listApiKeys: async (organizationId: string): Promise<ApiKeyRow[]> => {
    const rows = await prisma.apiKey.findMany({
      where: { organizationId },
      omit: { hash: true },
      orderBy: { createdAt: 'asc' },
    });
    return rows.map((row) => ({ ...row, limits: row.limits as Record<string, number> }));
  },

  /** Revokes at once; a revoked key stays listed. @throws ApiError `not_found` for an unknown key. */
  revokeApiKey: async (input: { readonly organizationId: string; readonly keyId: string }): Promise<void> => {
    const where = { id: input.keyId, organizationId: input.organizationId };
    const { count } = await prisma.apiKey.updateMany({
      where: { ...where, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    if (count === 0 && (await prisma.apiKey.count({ where })) === 0)
      throw new ApiError('not_found', { message: `There is no key ${input.keyId}` });
  },

  /** @throws ApiError `not_found` for an unknown organization, `conflict` for a name or label given twice. */
  createPipeline: (input: {
    readonly organizationId: string;
    readonly name: string;
    readonly stages: readonly NewStage[];
  }): Promise<Pipeline> =>
    insert(
      prisma.$transaction((transaction) => insertPipeline(transaction, input.organizationId, input.name, input.stages)),
      `The pipeline ${input.name} exists already, or two of its stages have one label`,
    ),

  /** @throws ApiError `not_found` for an unknown organization, `conflict` when the object has a field of this slug. */
  defineField: (input: NewField): Promise<{ id: string }> =>
    insert(
      prisma.$transaction(async (transaction) => ({ id: await insertField(transaction, input) })),
      `The ${input.objectType} has a custom field ${input.slug} already`,
    ),
});

/** See {@link administration}. */
export type Administration = ReturnType<typeof administration>;
