import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { buildReference, type ReferenceOptions } from '@crm/reference';
import type { Response } from 'express';
import { sendBody, type Headers } from './reply.js';

/** Writes one page to whoever asked. */
export type PublicPage = (response: Response) => Promise<void> | void;

const compress = promisify(gzip);
const htmlType = 'text/html; charset=utf-8';

/** Everything comes from the gateway, and requests go to no other host. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders: Headers = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept-Encoding',
};

/** The address of a file has its hash, so it can be kept for good. */
const fileHeaders: Headers = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' };

/** Compresses the content once, when the first caller accepts that. */
const serveCompressed = (contentType: string, content: Buffer, headers: Headers): PublicPage => {
  let compressed: Promise<Buffer> | undefined;
  return async (response) => {
    if (response.req.acceptsEncodings('gzip') === false) {
      sendBody(response, 200, contentType, content, headers);
      return;
    }
    compressed ??= compress(content);
    sendBody(response, 200, contentType, await compressed, { ...headers, 'Content-Encoding': 'gzip' });
  };
};

/**
 * The pages of the reference, by path: `/docs`, `/docs/contract` and the files that they load. They are rendered once, kept
 * in memory, and need no other host.
 * @throws Error when a file of the reference is missing
 */
export const buildDocsPages = (options: ReferenceOptions): ReadonlyMap<string, PublicPage> => {
  const { html, contractHtml, files } = buildReference(options);
  return new Map<string, PublicPage>([
    ['/docs', serveCompressed(htmlType, Buffer.from(html), pageHeaders)],
    ['/docs/contract', serveCompressed(htmlType, Buffer.from(contractHtml), pageHeaders)],
    ...files.map(
      ({ url, contentType, content }) => [`/${url}`, serveCompressed(contentType, content, fileHeaders)] as const,
    ),
  ]);
};
