/** Whether the gateways accept a key. */
export type KeyStatus = 'revoked' | 'expired' | 'valid';

/** The status of a key, from the times when it was revoked and when it expires. */
export const keyStatus = (revokedAt: Date | null, expiresAt: Date | null): KeyStatus => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 'expired' : 'valid';
};
