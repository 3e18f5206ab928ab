import { randomUUID } from 'node:crypto';
import type { Failure } from '@crm/domain';
import type { AdministrationDatabase } from '../administration-database.js';
import { conflict, notFound } from '../errors.js';
import type { Prisma } from '../generated/client.js';
import { type AuditOrigin, writeAuditEvent } from './audit.js';
import { type Limits, lockOrganization, mergeLimits } from './shared.js';

/** The stored parts of a key's text. The key itself is never passed to this package. */
export interface NewKeyText {
  /** The first characters of the key, to distinguish keys. */
  readonly prefix: string;
  readonly hash: Uint8Array<ArrayBuffer>;
}

/** An API key to store. */
export interface NewApiKey extends NewKeyText {
  readonly organizationId: string;
  readonly name: string;
  readonly allowedOperations: readonly string[];
  /** Requests per minute by group. */
  readonly limits: Readonly<Record<string, number>>;
  readonly expiresAt: Date | null;
}

/** An API key in a list. */
export type ApiKeyRow = Omit<NewApiKey, 'hash'> & {
  readonly id: string;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  /** The id of the key that replaced this one. */
  readonly replacedBy: string | null;
};

/** The replacement of a key by a new one. Both work during the overlap. */
export interface KeyRotation {
  readonly organizationId: string;
  readonly keyId: string;
  readonly text: NewKeyText;
  /** 0 revokes the old key at once. */
  readonly overlapMs: number;
  /** When the new key expires, null for never. Undefined gives it the lifetime of the old key, counted from now. */
  readonly expiresAt?: Date | null | undefined;
}

/** The result of a rotation. */
export interface RotatedKey {
  readonly id: string;
  readonly name: string;
  readonly allowedOperations: readonly string[];
  readonly expiresAt: Date | null;
  /** When the old key stops or stopped working. */
  readonly oldKeyExpiresAt: Date;
}

type StoredKey = Prisma.ApiKeyModel;

const insertKey = async (transaction: Prisma.TransactionClient, input: NewApiKey): Promise<string> => {
  const { allowedOperations, ...data } = input;
  const { id } = await transaction.apiKey.create({
    data: { id: randomUUID(), ...data, allowedOperations: [...allowedOperations] },
  });
  return id;
};

/** The properties of a key in the audit trail: everything that determines its rights. */
const describe = (key: Omit<NewApiKey, 'hash' | 'organizationId'>): Prisma.InputJsonObject => ({
  name: key.name,
  prefix: key.prefix,
  allowed_operations: [...key.allowedOperations],
  limits: key.limits,
  expires_at: key.expiresAt?.toISOString() ?? null,
});

/** Only a working key can be rotated. A replaced key cannot, because the end of its overlap has replaced its own expiry. */
const assertCanRotate = (key: StoredKey | null, keyId: string, now: Date): StoredKey => {
  if (key === null) throw notFound(`There is no key ${keyId}`);
  const refuse = (why: string): Failure => conflict(`The key ${keyId} ${why}`);
  if (key.revokedAt !== null) throw refuse('is revoked. Create a new one');
  if (key.replacedBy !== null) throw refuse(`was replaced by ${key.replacedBy} already. Rotate that one`);
  if (key.expiresAt !== null && key.expiresAt <= now) throw refuse('has expired. Create a new one');
  return key;
};

/** With the old expiry, both keys would stop working together. */
const successorExpiry = ({ createdAt, expiresAt }: StoredKey, now: Date): Date | null =>
  expiresAt === null ? null : new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());

const rotate = async (
  transaction: Prisma.TransactionClient,
  { organizationId, keyId, text, overlapMs, expiresAt: wantedExpiry }: KeyRotation,
  origin: AuditOrigin,
): Promise<RotatedKey> => {
  await lockOrganization(transaction, organizationId);
  const now = new Date();
  const found = await transaction.apiKey.findFirst({ where: { id: keyId, organizationId } });
  const old = assertCanRotate(found, keyId, now);
  const { name, allowedOperations } = old;
  const expiresAt = wantedExpiry === undefined ? successorExpiry(old, now) : wantedExpiry;
  const successor = { name, allowedOperations, expiresAt, limits: old.limits as Record<string, number> };
  const id = await insertKey(transaction, { organizationId, ...text, ...successor });
  const overlapEndMs = now.getTime() + overlapMs;
  const oldKeyExpiresAt = new Date(Math.min(overlapEndMs, old.expiresAt?.getTime() ?? overlapEndMs));
  const end = overlapMs === 0 ? { revokedAt: now } : { expiresAt: oldKeyExpiresAt };
  const { count } = await transaction.apiKey.updateMany({
    // A revocation that was committed meanwhile must not be undone.
    where: { id: keyId, organizationId, revokedAt: null },
    data: { ...end, replacedBy: id },
  });
  if (count === 0) throw conflict(`The key ${keyId} is revoked. Create a new one`);
  const details = { ...describe({ ...successor, prefix: text.prefix }), replaces: keyId };
  await writeAuditEvent(transaction, origin, {
    organizationId,
    action: 'key.rotate',
    target: id,
    details: { ...details, old_key_expires_at: oldKeyExpiresAt.toISOString() },
  });
  return { id, name, allowedOperations, expiresAt, oldKeyExpiresAt };
};

/** A change of the limits of a key. */
export interface KeyLimits {
  readonly organizationId: string;
  readonly keyId: string;
  readonly limits: Readonly<Record<string, number | null>>;
}

const limit = async (
  transaction: Prisma.TransactionClient,
  { organizationId, keyId, limits: changes }: KeyLimits,
  origin: AuditOrigin,
): Promise<Limits> => {
  await lockOrganization(transaction, organizationId);
  const where = { id: keyId, organizationId };
  const key = await transaction.apiKey.findFirst({ where });
  if (key === null) throw notFound(`There is no key ${keyId}`);
  const before = { limits: key.limits as Limits };
  const limits = mergeLimits(before.limits, changes);
  await transaction.apiKey.updateMany({ where, data: { limits } });
  const details = { name: key.name, prefix: key.prefix, limits, before };
  await writeAuditEvent(transaction, origin, { organizationId, action: 'key.limit', target: keyId, details });
  return limits;
};

/** API keys. */
export const apiKeyAdministration = ({ prisma }: AdministrationDatabase, origin: AuditOrigin) => ({
  /** @throws Failure `not_found` for an unknown organization. */
  createApiKey: (input: NewApiKey): Promise<{ id: string }> =>
    prisma.$transaction(async (transaction) => {
      const { organizationId } = input;
      await lockOrganization(transaction, organizationId);
      const id = await insertKey(transaction, input);
      await writeAuditEvent(transaction, origin, {
        organizationId,
        action: 'key.create',
        target: id,
        details: describe(input),
      });
      return { id };
    }),

  listApiKeys: async (organizationId: string): Promise<ApiKeyRow[]> => {
    const rows = await prisma.apiKey.findMany({
      where: { organizationId },
      omit: { hash: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map((row) => ({ ...row, limits: row.limits as Record<string, number> }));
  },

  /** The key with this SHA-256, even if revoked or expired, and the name of its organization; null if there is none. */
  findApiKey: async (
    hash: Uint8Array<ArrayBuffer>,
  ): Promise<(ApiKeyRow & { readonly organization: string }) | null> => {
    const where = { hash };
    const row = await prisma.apiKey.findUnique({ where, omit: { hash: true }, include: { organization: true } });
    if (row === null) return null;
    return { ...row, limits: row.limits as Record<string, number>, organization: row.organization.name };
  },

  /**
   * Replaces a key with a new one that has the same name, operations, limits and lifetime. The old key works until the overlap ends.
   * @throws Failure `not_found` for an unknown key, `conflict` for a key that is already revoked, expired or replaced
   */
  rotateApiKey: (input: KeyRotation): Promise<RotatedKey> =>
    prisma.$transaction((transaction) => rotate(transaction, input, origin)),

  /** Changes limits of a key; null removes one. @returns its limits now @throws Failure `not_found` for an unknown key */
  limitApiKey: (input: KeyLimits): Promise<Limits> =>
    prisma.$transaction((transaction) => limit(transaction, input, origin)),

  /** Revokes a key at once. It stays listed. Revoking it again changes nothing. @throws Failure `not_found` for an unknown key */
  revokeApiKey: (input: { readonly organizationId: string; readonly keyId: string }): Promise<void> =>
    prisma.$transaction(async (transaction) => {
      const { organizationId, keyId } = input;
      const where = { id: keyId, organizationId };
      const key = await transaction.apiKey.findFirst({ where, select: { name: true, prefix: true } });
      if (key === null) throw notFound(`There is no key ${keyId}`);
      const { count } = await transaction.apiKey.updateMany({
        where: { ...where, revokedAt: null },
        data: { revokedAt: new Date() },
      });
      if (count === 0) return;
      await writeAuditEvent(transaction, origin, { organizationId, action: 'key.revoke', target: keyId, details: key });
    }),
});
