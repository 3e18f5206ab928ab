/** Whether gateways take a key. */
export type KeyStatus = 'revoked' | 'expired' | 'valid';

/** The state of a key from its two ends. */
export const keyStatus = (revokedAt: Date | null, expiresAt: Date | null): KeyStatus => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 'expired' : 'valid';
};
