import { ApiError, validationError } from '@crm/domain';
import type { RequestHandler } from 'express';

/** The error text for a header that was sent twice. */
export const sentTwice = 'is sent twice as a header: send it once';

/**
 * A request with more headers gets 431, because Node silently drops those after the 2,000th. Callers send a few dozen.
 */
const maxHeaders = 100;

const countHosts = (rawHeaders: readonly string[]): number => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
};

/** Headers that two servers in a row may interpret differently. @returns the header and its error text, or null */
const findDoubt = (
  rawHeaders: readonly string[],
  transferEncoding: string | undefined,
  httpVersionMinor: number,
): Readonly<Record<string, string>> | null => {
  const hosts = countHosts(rawHeaders);
  if (hosts > 1) return { host: sentTwice };
  // Checked here because Node's own response to a missing Host is not in the envelope.
  if (hosts === 0 && httpVersionMinor > 0) return { host: 'must be sent as a header' };
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    return { 'transfer-encoding': 'must be chunked, and nothing else' };
  }
  return null;
};

/**
 * Rejects requests with an ambiguous head. Closes their connections, because all later bytes on them are ambiguous too.
 */
export const checkHead: RequestHandler = ({ rawHeaders, headers, httpVersionMinor }, response, next) => {
  if (rawHeaders.length > 2 * maxHeaders) {
    response.shouldKeepAlive = false;
    throw new ApiError('headers_too_large');
  }
  const doubt = findDoubt(rawHeaders, headers['transfer-encoding'], httpVersionMinor);
  if (doubt !== null) {
    response.shouldKeepAlive = false;
    throw validationError(doubt);
  }
  next();
};
