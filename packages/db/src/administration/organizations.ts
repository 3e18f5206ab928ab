import { randomUUID } from 'node:crypto';
import type { AdministrationDatabase } from '../administration-database.js';
import { changeSetup } from '../setup/change-setup.js';
import { type OrganizationChange, organizationChange } from '../setup/setup-change.js';
import { type AuditOrigin, writeAuditEvent } from './audit.js';
import { deleteOrganization } from './delete-organization.js';
import { type Limits, lockOrganization, mergeLimits } from './shared.js';

/** An organization in administration. */
export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly freemail: string;
  /** Requests per minute by group, for all keys of the organization together. Overrides the gateway's limits; 0 means no limit. */
  readonly limits: Readonly<Record<string, number>>;
  readonly createdAt: Date;
}

/** Administration of organizations. */
export const organizationAdministration = (database: AdministrationDatabase, origin: AuditOrigin) => ({
  /** Names of organizations need not be unique. */
  createOrganization: (input: {
    readonly name: string;
    readonly freemail?: 'create' | 'skip';
  }): Promise<OrganizationRow> =>
    database.prisma.$transaction(async (transaction) => {
      const row = await transaction.organization.create({ data: { id: randomUUID(), ...input } });
      const { id, name, freemail } = row;
      await writeAuditEvent(transaction, origin, {
        organizationId: id,
        action: 'organization.create',
        target: id,
        details: { name, freemail },
      });
      return { ...row, limits: row.limits as Limits };
    }),

  listOrganizations: async (): Promise<OrganizationRow[]> => {
    const rows = await database.prisma.organization.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    return rows.map((row) => ({ ...row, limits: row.limits as Limits }));
  },

  /** Renames an organization, or sets its default currency. @throws Failure `not_found` for an unknown organization */
  updateOrganization: async (organizationId: string, change: OrganizationChange): Promise<void> => {
    await changeSetup(database, organizationId, [organizationChange(organizationId, change)], origin);
  },

  /** See {@link deleteOrganization}. */
  deleteOrganization: (organizationId: string, onProgress?: (rows: number) => void): Promise<void> =>
    deleteOrganization(database, organizationId, origin, onProgress),

  /**
   * Sets the requests per minute by group, for all keys of an organization together. Null removes the limit of a group. Other groups
   * keep their limits.
   * @returns all limits of the organization after the change
   * @throws Failure `not_found` for an unknown organization
   */
  limitOrganization: (input: {
    readonly organizationId: string;
    readonly limits: Readonly<Record<string, number | null>>;
  }): Promise<Limits> =>
    database.prisma.$transaction(async (transaction) => {
      const { organizationId } = input;
      await lockOrganization(transaction, organizationId);
      const row = await transaction.organization.findUniqueOrThrow({ where: { id: organizationId } });
      const before = { limits: row.limits as Limits };
      const limits = mergeLimits(before.limits, input.limits);
      await transaction.organization.update({ where: { id: organizationId }, data: { limits } });
      await writeAuditEvent(transaction, origin, {
        organizationId,
        action: 'organization.limit',
        target: organizationId,
        details: { limits, target_name: row.name, before },
      });
      return limits;
    }),
});
