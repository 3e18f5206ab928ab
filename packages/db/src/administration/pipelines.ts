import { randomUUID } from 'node:crypto';
import type { Pipeline } from '../catalog.js';
import type { AdministrationDatabase } from '../administration-database.js';
import type { Prisma } from '../generated/client.js';
import { type AuditOrigin, noteEvent } from './audit.js';
import { insertOrConflict, lockOrganization } from './shared.js';

/** A stage to be made. */
export interface NewStage {
  readonly label: string;
  readonly color?: string | undefined;
  /** Chance of winning in per cent. */
  readonly probability?: number | undefined;
  readonly isDefault?: boolean | undefined;
}

const insertPipeline = async (
  transaction: Prisma.TransactionClient,
  organizationId: string,
  name: string,
  stages: readonly NewStage[],
  origin: AuditOrigin,
): Promise<Pipeline> => {
  await lockOrganization(transaction, organizationId);
  const last = await transaction.pipeline.aggregate({ where: { organizationId }, _max: { position: true } });
  const pipeline = { id: randomUUID(), name, position: (last._max.position ?? 0) + 1 };
  const { createdAt } = await transaction.pipeline.create({ data: { organizationId, ...pipeline } });
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
  await noteEvent(transaction, origin, {
    organizationId,
    action: 'pipeline.create',
    target: pipeline.id,
    details: { name, stages: stages.map(({ label }) => label) },
  });
  return { ...pipeline, createdAt: createdAt.toISOString(), stages: rows };
};

/** Pipelines and their stages. */
export const pipelineAdministration = ({ prisma }: AdministrationDatabase, origin: AuditOrigin) => ({
  /** @throws Failure `not_found` for an unknown organization, `conflict` for a name or label given twice. */
  createPipeline: (input: {
    readonly organizationId: string;
    readonly name: string;
    readonly stages: readonly NewStage[];
  }): Promise<Pipeline> =>
    insertOrConflict(
      prisma.$transaction((transaction) =>
        insertPipeline(transaction, input.organizationId, input.name, input.stages, origin),
      ),
      `The pipeline ${input.name} exists already, or two of its stages have one label`,
    ),
});
