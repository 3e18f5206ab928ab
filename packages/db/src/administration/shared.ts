import { notFound } from '../errors.js';
import type { Prisma } from '../generated/client.js';

/**
 * Locks the row of an organization, so that changes of its keys and limits wait for each other.
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

/** Requests per minute by group. */
export type Limits = Readonly<Record<string, number>>;

/** The stored limits after a change, in which null removes one. */
export const mergeLimits = (stored: Limits, changes: Readonly<Record<string, number | null>>): Limits =>
  Object.fromEntries(
    Object.entries({ ...stored, ...changes }).filter((entry): entry is [string, number] => entry[1] !== null),
  );
