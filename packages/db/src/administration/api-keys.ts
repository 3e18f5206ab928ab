import { randomUUID } from 'node:crypto';
import { ApiError } from '@crm/domain';
import type { Database } from '../database.js';
import { lockOrganization } from './shared.js';

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

/** API keys. */
export const apiKeyAdministration = ({ prisma }: Database) => ({
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
});
