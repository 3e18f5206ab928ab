import type { OperationContract } from '@crm/contract';
import { type Database, findVersion, type UpdateTarget, type WriteOrigin } from '@crm/db';
import { ApiError, type ObjectType, validationError } from '@crm/domain';
import type { OperationRequest } from '@crm/http';

/** The parts of a request that identify its origin in the change log. */
export type OriginRequest = Pick<OperationRequest<OperationContract>, 'caller' | 'requestId'>;

/** The request and the API key that the change log stores with the events of a write. */
export const writeOrigin = ({ caller: { apiKeyId }, requestId }: OriginRequest): WriteOrigin => ({
  requestId,
  apiKeyId,
});

/**
 * The tag of a read or write: the version, and a digest of the response, which has parts of other records. Also accepts the version
 * alone, and the tags of proxies that compress responses. They weaken a tag or add the coding to it, but keep the version:
 * `W/"3"` (nginx), `"3-gzip"` (Apache, Caddy), `"3--gzip"` (Jetty), `"3;gz"` (LiteSpeed).
 */
const versionTag = /^(?:W\/)?"([1-9]\d{0,8})(?:\.[0-9a-f]+)?(?:(?:--?|;)(?:gzip|gz|br|zstd|deflate))?"$/;

/** @throws ApiError `validation_failed` for an invalid tag: ignoring it would make the write unconditional */
const readTag = (header: 'If-Match' | 'If-None-Match', tag: string): number => {
  const version = versionTag.exec(tag)?.[1];
  if (version === undefined) throw validationError({ [header]: 'must be the ETag of the record, as in "3"' });
  return Number(version);
};

const readTags = (header: 'If-Match' | 'If-None-Match', sent: string): readonly number[] =>
  sent.split(',').map((tag) => readTag(header, tag.trim()));

/** The version that the record must have; undefined if any is accepted. Of several tags, that of the record as it is now. */
const readIfMatch = async (
  database: Database,
  kind: ObjectType | 'note',
  { caller, params, header }: RecordRequest,
): Promise<number | undefined> => {
  const sent = header('if-match');
  if (sent === undefined || sent === '*') return undefined;
  const [first, ...others] = readTags('If-Match', sent);
  if (others.length === 0) return first;
  const current = await findVersion(database, caller.organizationId, kind, params.id.toLowerCase());
  return others.find((version) => version === current) ?? first;
};

/**
 * Checks `If-None-Match`, by which a caller asks for a write only if the record does not exist (`*`), or has none of some versions. A record
 * that does not exist is left to the write, which is 404.
 * @throws ApiError `precondition_failed` if it has one of them
 */
const checkIfNoneMatch = async (
  database: Database,
  kind: ObjectType | 'note',
  { caller, params, header }: RecordRequest,
): Promise<void> => {
  const sent = header('if-none-match')?.trim();
  if (sent === undefined) return;
  const refused = sent === '*' ? null : readTags('If-None-Match', sent);
  const version = await findVersion(database, caller.organizationId, kind, params.id.toLowerCase());
  if (version === null || refused?.includes(version) === false) return;
  throw new ApiError('precondition_failed', {
    message: `The record has the version ${version}, which If-None-Match refuses`,
  });
};

/** A request for the record in its path. */
export type RecordRequest = OriginRequest &
  Pick<OperationRequest<OperationContract>, 'header'> & { readonly params: { readonly id: string } };

/** The record in the path, and its version in `If-Match`, after the check of `If-None-Match`. */
export const targetOf = async (
  database: Database,
  kind: ObjectType | 'note',
  request: RecordRequest,
): Promise<UpdateTarget> => {
  const version = await readIfMatch(database, kind, request);
  await checkIfNoneMatch(database, kind, request);
  return { id: request.params.id.toLowerCase(), version };
};

/** The header in the response to every write. A read that sends it back sees the write, even on a replica. */
export const readAfterHeader = (readMark: string): Readonly<Record<string, string>> => ({ 'X-Read-After': readMark });
