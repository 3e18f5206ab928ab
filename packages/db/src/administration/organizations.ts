import { randomUUID } from 'node:crypto';
import type { Database } from '../database.js';
import { insertOrConflict, lockOrganization } from './shared.js';

/** An organization as administration shows it. */
export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly freemail: string;
  readonly createdAt: Date;
}

/** Organizations and the people in them. */
export const organizationAdministration = ({ prisma }: Database) => ({
  /** Names of organizations need not differ. */
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
      const { id } = await insertOrConflict(created, `${input.email} is a member already`);
      return { id };
    }),

  listMembers: async (organizationId: string): Promise<{ id: string; email: string; name: string }[]> =>
    prisma.member.findMany({
      where: { organizationId },
      select: { id: true, email: true, name: true },
      orderBy: { email: 'asc' },
    }),
});
