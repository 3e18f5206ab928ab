import { validationError } from '@crm/domain';

/** Also accepts weak tags: proxies that recompress responses weaken the tags but keep the version. */
const versionTag = /^(?:W\/)?"([1-9]\d{0,8})"$/;

/**
 * The version in `If-Match`; undefined if any version is accepted.
 * @throws ApiError `validation_failed` for an invalid tag: ignoring it would make the write unconditional
 */
export const readIfMatch = (header: string | undefined): number | undefined => {
  if (header === undefined || header === '*') return undefined;
  const version = versionTag.exec(header)?.[1];
  if (version === undefined) throw validationError({ 'If-Match': 'must be the ETag of the record, as in "3"' });
  return Number(version);
};
