import type { GroupLimits } from '../limits/rate-limit-config.js';

/** An API key as it is stored, without the key itself. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly organizationId: string;
  /** Operation groups (`list`, `search`, `inbound`, `bulk`, `delete`, `setup`, `webhooks`) and single operation ids. */
  readonly allowedOperations: readonly string[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Requests a minute, for a key with limits of its own; 0 turns a limit off. */
  readonly limits: GroupLimits;
  /** Requests a minute of the whole organization, if it has limits of its own; 0 turns a limit off. */
  readonly organizationLimits?: GroupLimits | undefined;
}

/**
 * Finds keys by their SHA-256 in one statement, including revoked and expired keys. Returns one entry per hash, in
 * order; null if there is no such key.
 */
export type FindApiKeys = (hashes: readonly Buffer[]) => Promise<readonly (ApiKeyRecord | null)[]>;

/** Dependencies and bounds of authentication. */
export interface AuthenticationOptions {
  readonly findApiKeysByHash: FindApiKeys;
  /** Called when a key is used, at most once a minute per key. A failure is logged and changes no response. */
  readonly onKeyUsed?: ((apiKeyId: string, usedAt: Date) => Promise<void> | void) | undefined;
}
