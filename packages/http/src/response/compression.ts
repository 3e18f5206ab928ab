import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Smaller bodies are not compressed, because they fit into a few packets anyway. */
export const minCompressedBytes = 8 * 1024;

/** The fastest level: the next ones take longer than they save. */
const level = 1;

/** The supported codings, by their names in `Content-Encoding`. */
type ContentCoding = 'br' | 'gzip';

/**
 * The best coding that a caller accepts; null if none. Brotli wins over gzip in any order: at this level it is both
 * smaller and faster.
 */
export const contentCodingOf = (request: Request): ContentCoding | null => {
  // Shortcut: most programs send no such header, and parsing one costs as much as the rest of the head.
  if (request.headers['accept-encoding'] === undefined) return null;
  if (request.acceptsEncodings('br') === 'br') return 'br';
  return request.acceptsEncodings('gzip') === 'gzip' ? 'gzip' : null;
};

/** Compresses a body on another thread, so that the event loop stays free. */
export const compress = (coding: ContentCoding, body: Buffer): Promise<Buffer> => {
  if (coding === 'gzip') return compressGzip(body, { level });
  const params = { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return compressBrotli(body, { params });
};
