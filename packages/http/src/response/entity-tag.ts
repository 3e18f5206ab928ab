import { createHash } from 'node:crypto';
import type { Request } from 'express';
import type { JsonPart } from '../operation.js';

/** Hexadecimal digits of a digest. With 80 bits, two states of one record do not get the same digest by chance. */
const digestLength = 20;

/** A digest of a response, for its tag. */
export const digestOf = (parts: readonly JsonPart[]): string => {
  const hash = createHash('sha256');
  for (const part of parts.flat()) hash.update(part);
  return hash.digest('hex').slice(0, digestLength);
};

/**
 * The entity tag of a record: its version, and a digest of all the data in the response, which also has names of related records and
 * definitions of fields. These change without the version.
 *
 * `"3.9f86d081884c7d659a2f"`
 */
export const recordTag = (version: number, data: readonly JsonPart[]): string => `"${version}.${digestOf(data)}"`;

/** A tag as a proxy may have changed it while it compressed the response. */
const sentTag = /(?:W\/)?"([^"]*?)(?:(?:--?|;)(?:gzip|gz|br|zstd|deflate))?"/g;

/**
 * Whether `If-None-Match` of a read names the tag of its response, so that 304 says all. Tags are compared weakly, as RFC 9110 asks for.
 * @param tag - in quotation marks, without `W/`
 */
export const isNotModified = ({ method, headers }: Request, tag: string): boolean => {
  const known = headers['if-none-match'];
  if (known === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  return known.trim() === '*' || [...known.matchAll(sentTag)].some(([, opaque]) => `"${opaque}"` === tag);
};
