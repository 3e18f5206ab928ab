import { decodeReadMark, type ReadMark, validationError } from '@crm/domain';

/**
 * The mark in `X-Read-After` that the server must have reached; null if none was sent.
 * @throws ApiError `validation_failed` for a text that no write returned
 */
export const readReadAfter = (text: string | undefined): ReadMark | null => {
  if (text === undefined) return null;
  const mark = decodeReadMark(text);
  if (mark === null) throw validationError({ 'X-Read-After': 'must be the X-Read-After of a write, unchanged' });
  return mark;
};
