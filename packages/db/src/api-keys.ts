import type { Database } from './database.js';
import { traceStatement } from './statement-span.js';

/** A stored API key, without the key text. */
export interface StoredApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly allowedOperations: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  /** Limits that all keys of the organization share. */
  readonly organizationLimits: Readonly<Record<string, number>>;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** Not a statement of one organization: the result says which organization the key belongs to. */
const findApiKeysSql = `
  SELECT k.id, k.organization_id AS "organizationId", k.allowed_operations AS "allowedOperations", k.limits,
         o.limits AS "organizationLimits", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", k.hash
    FROM api_keys k JOIN organizations o ON o.id = k.organization_id WHERE k.hash = ANY ($1)`;

/**
 * Finds keys by the SHA-256 of their texts in one statement, expired and revoked keys included.
 * @returns one entry for each hash, in order; null if there is no such key
 * @throws Failure `unavailable`
 */
export const findApiKeysByHash = async (
  database: Database,
  hashes: readonly Buffer[],
): Promise<readonly (StoredApiKey | null)[]> => {
  const statement = { text: findApiKeysSql, values: [hashes] };
  const rows = await traceStatement(findApiKeysSql, () =>
    database.queryServer<StoredApiKey & { readonly hash: Buffer }>(statement),
  );
  const byHash = new Map(rows.map(({ hash, ...key }) => [hash.toString('hex'), key]));
  return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? null);
};

const touchApiKeySql =
  'UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)';

/** Records the last use of a key, unless a later use is already recorded. @throws Failure `unavailable` */
export const touchApiKey = async (database: Database, apiKeyId: string, usedAt: Date): Promise<void> => {
  await database.queryServer({ text: touchApiKeySql, values: [apiKeyId, usedAt] });
};
