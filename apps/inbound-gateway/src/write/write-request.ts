import type { OperationContract } from '@crm/contract';
import type { UpdateTarget, WriteOrigin } from '@crm/db';
import { validationError } from '@crm/domain';
import type { OperationRequest } from '@crm/http';

/** The parts of a request that identify its origin in the change log. */
export type OriginRequest = Pick<OperationRequest<OperationContract>, 'caller' | 'requestId'>;

/** The request and the API key that the change log stores with the events of a write. */
export const writeOrigin = ({ caller: { apiKeyId }, requestId }: OriginRequest): WriteOrigin => ({
  requestId,
  apiKeyId,
});

/**
 * Also accepts the tags of proxies that compress responses. They weaken a tag or add the coding to it, but keep the version:
 * `W/"3"` (nginx), `"3-gzip"` (Apache, Caddy), `"3--gzip"` (Jetty), `"3;gz"` (LiteSpeed).
 */
const versionTag = /^(?:W\/)?"([1-9]\d{0,8})(?:(?:--?|;)(?:gzip|gz|br|zstd|deflate))?"$/;

/**
 * The version in `If-Match`; undefined if any version is accepted.
 * @throws ApiError `validation_failed` for an invalid tag: ignoring it would make the write unconditional
 */
const readIfMatch = (header: string | undefined): number | undefined => {
  if (header === undefined || header === '*') return undefined;
  const version = versionTag.exec(header)?.[1];
  if (version === undefined) throw validationError({ 'If-Match': 'must be the ETag of the record, as in "3"' });
  return Number(version);
};

/** A request for the record in its path. */
export type RecordRequest = OriginRequest &
  Pick<OperationRequest<OperationContract>, 'header'> & { readonly params: { readonly id: string } };

/** The record in the path, and its version in `If-Match`. */
export const targetOf = ({ params, header }: RecordRequest): UpdateTarget => ({
  id: params.id.toLowerCase(),
  version: readIfMatch(header('if-match')),
});

/** The header in the response to every write. A read that sends it back sees the write, even on a replica. */
export const readAfterHeader = (readMark: string): Readonly<Record<string, string>> => ({ 'X-Read-After': readMark });
