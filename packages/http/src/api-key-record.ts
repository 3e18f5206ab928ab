import type { GroupLimits } from './rate-limit-config.js';

/** An API key as it is stored, without the key itself. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly organizationId: string;
  /** Operation groups (`list`, `search`, `inbound`, `bulk`, `delete`, `setup`) and single operation ids. */
  readonly allowedOperations: readonly string[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Requests a minute where this key has limits of its own; 0 turns one off. */
  readonly limits: GroupLimits;
  /** Requests a minute of the whole organization where it has limits of its own; 0 turns one off. */
  readonly organizationLimits?: GroupLimits | undefined;
}

/**
 * Finds keys by their SHA-256 in one statement, whatever their state. Returns one entry for each hash, in order; null where
 * there is no such key.
 */
export type FindApiKeys = (hashes: readonly Buffer[]) => Promise<readonly (ApiKeyRecord | null)[]>;

/** What authentication needs from outside, and its bounds. */
export interface AuthenticationOptions {
  readonly findApiKeysByHash: FindApiKeys;
  /** Told of a key that was used, at most once a minute each; a failure is logged and changes no answer. */
  readonly onKeyUsed?: ((apiKeyId: string, usedAt: Date) => Promise<void> | void) | undefined;
  /** How long a looked-up key may be believed, 2,000 ms when absent. A revocation shows within this and one look-up. */
  readonly cacheMaxAgeMs?: number | undefined;
  /** How many keys are kept, 10,000 when absent; the same number of unknown ones is kept beside them. */
  readonly cacheMaxEntries?: number | undefined;
}
