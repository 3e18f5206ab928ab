import { randomUUID } from 'node:crypto';
import type { AdministrationDatabase } from '../administration-database.js';
import { type AuditOrigin, noteEvent } from './audit.js';
import { lockOrganization } from './shared.js';

/** An organization as administration shows it. */
export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly freemail: string;
  /** Requests a minute of all its keys together by group, where they differ from the gateway's; 0 is no limit. */
  readonly limits: Readonly<Record<string, number>>;
  readonly createdAt: Date;
}

type Limits = Readonly<Record<string, number>>;

/** Organizations. */
export const organizationAdministration = ({ prisma }: AdministrationDatabase, origin: AuditOrigin) => ({
  /** Names of organizations need not differ. */
  createOrganization: (input: {
    readonly name: string;
    readonly freemail?: 'create' | 'skip';
  }): Promise<OrganizationRow> =>
    prisma.$transaction(async (transaction) => {
      const row = await transaction.organization.create({ data: { id: randomUUID(), ...input } });
      const { id, name, freemail } = row;
      await noteEvent(transaction, origin, {
        organizationId: id,
        action: 'organization.create',
        target: id,
        details: { name, freemail },
      });
      return { ...row, limits: row.limits as Limits };
    }),

  listOrganizations: async (): Promise<OrganizationRow[]> => {
    const rows = await prisma.organization.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    return rows.map((row) => ({ ...row, limits: row.limits as Limits }));
  },

  /**
   * Sets requests a minute for all keys of an organization together, by group; null takes a group's own limit away, and
   * groups that are not named stay as they are.
   * @returns the limits of its own that it has now
   * @throws Failure `not_found` for an unknown organization
   */
  limitOrganization: (input: {
    readonly organizationId: string;
    readonly limits: Readonly<Record<string, number | null>>;
  }): Promise<Limits> =>
    prisma.$transaction(async (transaction) => {
      const { organizationId } = input;
      await lockOrganization(transaction, organizationId);
      const row = await transaction.organization.findUniqueOrThrow({ where: { id: organizationId } });
      const merged = Object.entries({ ...(row.limits as Limits), ...input.limits });
      const limits = Object.fromEntries(merged.filter((entry): entry is [string, number] => entry[1] !== null));
      await transaction.organization.update({ where: { id: organizationId }, data: { limits } });
      await noteEvent(transaction, origin, {
        organizationId,
        action: 'organization.limit',
        target: organizationId,
        details: { limits },
      });
      return limits;
    }),
});
