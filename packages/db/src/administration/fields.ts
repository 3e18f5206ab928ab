import { randomUUID } from 'node:crypto';
import { type AttributeType, type FieldMetadata, type ObjectType, slotKind } from '@crm/domain';
import type { AdministrationDatabase } from '../administration-database.js';
import { notFound } from '../errors.js';
import type { Prisma } from '../generated/client.js';
import { type AuditOrigin, noteEvent } from './audit.js';
import { insertOrConflict, lockOrganization } from './shared.js';

/** How many slot columns of each kind a record has; see the schema. */
const slotsOfAKind = 8;

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

/** What may change about a custom field; what is absent stays. Its slug, type and pipelines are for good. */
export interface FieldChange {
  readonly organizationId: string;
  readonly objectType: ObjectType;
  readonly slug: string;
  readonly name?: string | undefined;
  readonly metadata?: FieldMetadata | undefined;
  readonly position?: number | undefined;
  readonly isHidden?: boolean | undefined;
}

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

const insertField = async (
  transaction: Prisma.TransactionClient,
  field: NewField,
  origin: AuditOrigin,
): Promise<string> => {
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
  await noteEvent(transaction, origin, {
    organizationId,
    action: 'field.define',
    target: id,
    details: {
      object: objectType,
      slug: field.slug,
      name: field.name,
      attribute_type: field.attributeType,
      is_hidden: field.isHidden,
      pipeline_ids: field.pipelineIds === null ? null : [...field.pipelineIds],
    },
  });
  return id;
};

const changeField = async (
  transaction: Prisma.TransactionClient,
  change: FieldChange,
  origin: AuditOrigin,
): Promise<void> => {
  const { organizationId, objectType, slug, name, metadata, position, isHidden } = change;
  const data = {
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined ? {} : { metadata: metadata as Prisma.InputJsonObject }),
    ...(position === undefined ? {} : { position }),
    ...(isHidden === undefined ? {} : { isHidden }),
  };
  // Waits for creates in flight: the rebuild of records afterwards then sees their opportunities.
  if (isHidden !== undefined && objectType === 'opportunity')
    await transaction.$executeRaw`SELECT lock_organization_state(${organizationId}::uuid, 'visible_fields', true)`;
  const [field] = await transaction.customField.updateManyAndReturn({
    where: { organizationId, objectType, slug },
    data,
    select: { id: true },
  });
  if (field === undefined) throw notFound(`The ${objectType} has no custom field ${slug}`);
  const { isHidden: hidden, ...rest } = data;
  const details = { object: objectType, slug, ...rest, ...(hidden === undefined ? {} : { is_hidden: hidden }) };
  await noteEvent(transaction, origin, { organizationId, action: 'field.update', target: field.id, details });
};

/** Custom fields. */
export const fieldAdministration = ({ prisma }: AdministrationDatabase, origin: AuditOrigin) => ({
  /** @throws Failure `not_found` for an unknown organization, `conflict` when the object has a field of this slug. */
  defineField: (input: NewField): Promise<{ id: string }> =>
    insertOrConflict(
      prisma.$transaction(async (transaction) => ({ id: await insertField(transaction, input, origin) })),
      `The ${input.objectType} has a custom field ${input.slug} already`,
    ),

  /**
   * Changes how a field is shown. Where `isHidden` changes for opportunities, their stored records follow by
   * {@link rebuildRecords}.
   * @throws Failure `not_found` when the object has no field of this slug
   */
  updateField: (change: FieldChange): Promise<void> =>
    prisma.$transaction((transaction) => changeField(transaction, change, origin)),
});
