import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Below it a body fits into a few packets anyway. */
export const minCompressedBytes = 8 * 1024;

/** The fastest level: the next ones take longer than they save. */
const level = 1;

/** Codings that bodies are sent in, by what `Content-Encoding` calls them. */
export type ContentCoding = 'br' | 'gzip';

/**
 * The best coding that a caller takes; null where they take none. Brotli goes before gzip whatever the caller's order: at
 * this level it is both smaller and quicker.
 */
export const contentCodingOf = (request: Request): ContentCoding | null => {
  // Most programs send no such header, and reading one costs as much as the rest of a head.
  if (request.headers['accept-encoding'] === undefined) return null;
  if (request.acceptsEncodings('br') === 'br') return 'br';
  return request.acceptsEncodings('gzip') === 'gzip' ? 'gzip' : null;
};

/** Compresses a body on another thread: the event loop goes on with other requests. */
export const compress = (coding: ContentCoding, body: Buffer): Promise<Buffer> => {
  if (coding === 'gzip') return compressGzip(body, { level });
  const params = { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return compressBrotli(body, { params });
};
