import { randomUUID } from 'node:crypto';
import type { AdministrationDatabase } from '../administration-database.js';
import { type AuditOrigin, noteEvent } from './audit.js';
import { insertOrConflict, lockOrganization } from './shared.js';

/** The people of an organization. */
export const memberAdministration = ({ prisma }: AdministrationDatabase, origin: AuditOrigin) => ({
  /** @throws Failure `not_found` for an unknown organization, `conflict` when the email is a member already. */
  addMember: (input: {
    readonly organizationId: string;
    readonly email: string;
    readonly name: string;
  }): Promise<{ id: string }> =>
    prisma.$transaction(async (transaction) => {
      const { organizationId, email, name } = input;
      await lockOrganization(transaction, organizationId);
      const created = transaction.member.create({ data: { id: randomUUID(), organizationId, email, name } });
      const { id } = await insertOrConflict(created, `${email} is a member already`);
      await noteEvent(transaction, origin, {
        organizationId,
        action: 'member.add',
        target: id,
        details: { email, name },
      });
      return { id };
    }),

  listMembers: async (organizationId: string): Promise<{ id: string; email: string; name: string }[]> =>
    prisma.member.findMany({
      where: { organizationId },
      select: { id: true, email: true, name: true },
      orderBy: { email: 'asc' },
    }),
});
