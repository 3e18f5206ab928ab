import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

import { validationError } from '../errors.js';
import { isBlank } from '../text.js';
import { fieldKey } from './field-ref.js';
import { canonicalFilter, type FilterNode } from './filter/tree.js';
import type { SortKey } from './sort.js';

/**
 * Everything that a request must repeat for its cursor to be valid. It is part of the signature, not of the cursor.
 * Absent keys count as null or empty.
 */
export interface CursorBinding {
  readonly organizationId: string;
  readonly operation: string;
  /** The effective page size. */
  readonly limit: number;
  /** From `parseSearchQuery`. */
  readonly words?: readonly string[];
  readonly filters?: FilterNode | null;
  readonly sort?: readonly SortKey[];
  readonly pipelineId?: string | null;
  readonly stageId?: string | null;
  readonly accountId?: string | null;
  readonly contactId?: string | null;
  readonly opportunityId?: string | null;
  /** The record of a history. */
  readonly recordId?: string | null;
}

/**
 * The position of a caller that pages through a list: the sort keys of the last record shown, as text at the database's
 * full precision, then its id. The database layer decides what the entries mean. A cursor is only valid for the
 * operation and sort that it was made for.
 */
export type CursorPosition = readonly (string | null)[];

/** Makes cursors and reads them back. */
export interface CursorCodec {
  /** The cursor of `position` in the list that `binding` describes: base64url text without padding. */
  encode(binding: CursorBinding, position: CursorPosition): string;
  /**
   * The position in a cursor that `encode` made with an equal binding and one of the secrets. Null if `text` is absent
   * or blank.
   * @throws ApiError `validation_failed` on `cursor` for every other text
   */
  decode(text: string | null | undefined, binding: CursorBinding): CursorPosition | null;
}

/** The maximum length of a cursor, enough for three text keys of 200 code points of any script. */
export const maxCursorLength = 8_192;

/** The minimum length of a signing secret, in characters. */
export const minCursorSecretLength = 16;

// The layout: one byte of version, the signature, the position as JSON.
const version = 1;
const signatureBytes = 16;
const headerBytes = 1 + signatureBytes;

/**
 * Makes the codec of cursors: HMAC-SHA-256, cut to 128 bits, over version, binding and position. Cursors do not expire.
 * @param secrets the first signs, all verify, so that a secret can be replaced without breaking cursors in use
 * @throws RangeError when a secret has fewer than {@link minCursorSecretLength} characters
 */
export const createCursorCodec = (secrets: readonly [string, ...string[]]): CursorCodec => {
  // With a text instead of a key object, every call would build the key again.
  const keys = secrets.map(toKey);
  const signingKey = toKey(secrets[0]);
  return {
    encode: (binding, position) => {
      const payload = Buffer.from(JSON.stringify(position), 'utf8');
      const signature = sign(signingKey, canonicalBinding(binding), payload);
      const text = Buffer.concat([Buffer.of(version), signature, payload]).toString('base64url');
      // `decode` would reject a longer cursor. A longer one means that the sort keys were not cut correctly.
      if (text.length > maxCursorLength) throw new RangeError(`A cursor of ${text.length} characters is too long`);
      return text;
    },
    decode: (text, binding) => {
      if (text === undefined || text === null || isBlank(text)) return null;
      const position = verify(keys, text, binding);
      if (position === null) throw refusal();
      return position;
    },
  };
};

const toKey = (secret: string): KeyObject => {
  if (secret.length < minCursorSecretLength) {
    throw new RangeError(`A cursor secret needs at least ${minCursorSecretLength} characters`);
  }
  return createSecretKey(Buffer.from(secret, 'utf8'));
};

/** One text for every cause: details would only help to forge a cursor. */
const refusal = (): Error =>
  validationError({
    cursor:
      'is not a cursor of this request: repeat the query, filters, sort, limit and ids of the request that returned it, ' +
      'or start again without a cursor',
  });

const verify = (keys: readonly KeyObject[], text: string, binding: CursorBinding): CursorPosition | null => {
  if (text.length > maxCursorLength) return null;
  const bytes = Buffer.from(text, 'base64url');
  // Node's decoder ignores characters outside the alphabet and spare bits, so only the canonical spelling is accepted.
  if (bytes.length <= headerBytes || bytes.toString('base64url') !== text) return null;
  if (bytes[0] !== version) return null;
  const signature = bytes.subarray(1, headerBytes);
  const payload = bytes.subarray(headerBytes);
  const bound = canonicalBinding(binding);
  if (!keys.some((key) => timingSafeEqual(sign(key, bound, payload), signature))) return null;
  return readPosition(payload.toString('utf8'));
};

const sign = (key: KeyObject, binding: string, payload: Buffer): Buffer =>
  createHmac('sha256', key).update(binding).update(payload).digest().subarray(0, signatureBytes);

/** The signed text of a binding. JSON has no raw line break, so the one at the end separates binding and position. */
const canonicalBinding = (binding: CursorBinding): string =>
  `${JSON.stringify([
    version,
    binding.organizationId,
    binding.operation,
    binding.limit,
    binding.words ?? [],
    canonicalFilter(binding.filters ?? null),
    (binding.sort ?? []).map((key) => [fieldKey(key.field), key.direction]),
    binding.pipelineId ?? null,
    binding.stageId ?? null,
    binding.accountId ?? null,
    binding.contactId ?? null,
    binding.opportunityId ?? null,
    binding.recordId ?? null,
  ])}\n`;

/**
 * Reads a position whose signature is valid. It still checks the form, because the secret may also sign other texts.
 */
const readPosition = (json: string): CursorPosition | null => {
  try {
    const position: unknown = JSON.parse(json);
    if (!Array.isArray(position) || !position.every(isPositionKey)) return null;
    return JSON.stringify(position) === json ? position : null;
  } catch {
    return null;
  }
};

const isPositionKey = (value: unknown): value is string | null => value === null || typeof value === 'string';
