import { ApiError, validationError } from '@crm/domain';
import type { RequestHandler } from 'express';

/** Node drops what comes after the 2,000th header in silence; callers and the proxies between send a few dozen. */
const maxHeaders = 100;

const countHosts = (rawHeaders: readonly string[]): number => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
};

/** What two servers in a row might read in two ways. @returns the header and what is wrong with it, or null */
const findDoubt = (
  rawHeaders: readonly string[],
  transferEncoding: string | undefined,
  httpVersionMinor: number,
): Readonly<Record<string, string>> | null => {
  const hosts = countHosts(rawHeaders);
  if (hosts > 1) return { host: 'is sent twice as a header' };
  // Node's own answer to its absence would not be in the envelope.
  if (hosts === 0 && httpVersionMinor > 0) return { host: 'must be sent as a header' };
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    return { 'transfer-encoding': 'must be chunked, and nothing else' };
  }
  return null;
};

/** Refuses requests whose head leaves room for doubt, and closes their connections: what follows on them is in doubt too. */
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
