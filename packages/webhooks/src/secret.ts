import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
const signingKeyBytes = 24;

/** The length of a decoded key of `WEBHOOK_SECRET_KEY`. */
export const secretKeyBytes = 32;

/** Keys of `WEBHOOK_SECRET_KEY`. The first one encrypts, all decrypt, so that an operator can replace a key. */
export type SecretKeys = readonly [Buffer, ...Buffer[]];

/** A key of `WEBHOOK_SECRET_KEY` from its base64 text; null if it has not exactly 32 bytes. */
export const parseSecretKey = (text: string): Buffer | null => {
  const key = Buffer.from(text, 'base64');
  return key.length === secretKeyBytes ? key : null;
};

/** A new signing secret in the form of Standard Webhooks: `whsec_` and base64. */
export const newSecret = (): string => `whsec_${randomBytes(signingKeyBytes).toString('base64')}`;

/**
 * Encrypts a signing secret for the database.
 * @param endpointId - bound to the ciphertext, so that a secret copied to another row cannot be decrypted
 * @returns base64 of nonce, tag and ciphertext
 */
export const encryptSecret = ([key]: SecretKeys, endpointId: string, secret: string): string => {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(endpointId));
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64');
};

/** Decrypts a secret of {@link encryptSecret}. @returns null if no key fits */
export const decryptSecret = (keys: SecretKeys, endpointId: string, stored: string): string | null => {
  const bytes = Buffer.from(stored, 'base64');
  for (const key of keys) {
    try {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(endpointId))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      // Encrypted with another key.
    }
  }
  return null;
};
