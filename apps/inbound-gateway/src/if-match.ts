import { validationError } from '@crm/domain';

/** Proxies that recompress answers weaken their tags; the version in them is the same. */
const versionTag = /^(?:W\/)?"([1-9]\d{0,8})"$/;

/**
 * The version that `If-Match` asks for; undefined where any will do.
 * @throws ApiError `validation_failed` for what is no tag of ours: to ignore it would break a promise
 */
export const readIfMatch = (header: string | undefined): number | undefined => {
  if (header === undefined || header === '*') return undefined;
  const version = versionTag.exec(header)?.[1];
  if (version === undefined) throw validationError({ 'If-Match': 'must be the ETag of the record, as in "3"' });
  return Number(version);
};
