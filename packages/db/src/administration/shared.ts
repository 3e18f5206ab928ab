import { notFound } from '../errors.js';
import type { Prisma } from '../generated/client.js';

/**
 * Makes changes to one organization's set-up wait for each other, so that positions and slots are given out once.
 * @throws Failure `not_found` for an unknown organization
 */
export const lockOrganization = async (
  transaction: Prisma.TransactionClient,
  organizationId: string,
): Promise<void> => {
  const rows = await transaction.$queryRaw<
    unknown[]
  >`SELECT id FROM organizations WHERE id = ${organizationId}::uuid FOR UPDATE`;
  if (rows.length === 0) throw notFound(`There is no organization ${organizationId}`);
};
