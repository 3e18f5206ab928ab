import { createHash } from 'node:crypto';
import type { OperationContract } from '@crm/contract';
import type { IdempotencyRecord } from '@crm/db';
import { validationError } from '@crm/domain';
import type { OperationRequest } from '@crm/http';

/** What of a request says whether it is another one. */
export type IdempotentRequest = Pick<OperationRequest<OperationContract>, 'caller' | 'header' | 'itemErrors'> & {
  readonly query: unknown;
  readonly body: unknown;
};

const maxKeyLength = 255;

/** JSON with the keys of every object in order, so that equal requests give equal texts. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/**
 * The `Idempotency-Key` of a POST with the digest of what it asks for, or null without one.
 * @throws ApiError `validation_failed` for a key that is empty or too long
 */
export const readIdempotencyKey = (
  contract: OperationContract,
  request: IdempotentRequest,
): IdempotencyRecord | null => {
  if (contract.method !== 'post') return null;
  const key = request.header('idempotency-key');
  if (key === undefined) return null;
  if (key === '' || key.length > maxKeyLength) {
    throw validationError({ 'Idempotency-Key': `must have 1 to ${maxKeyLength} characters` });
  }
  // Parsed, a number that was refused for its digits may equal the one that replaces it.
  const itemErrors = request.itemErrors?.size ? [...request.itemErrors] : undefined;
  const text = canonicalJson({ query: request.query, body: request.body, itemErrors });
  return { operation: contract.id, keyHash: sha256(key), requestHash: sha256(text) };
};
