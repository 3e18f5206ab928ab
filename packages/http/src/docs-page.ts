import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { buildOpenApiDocument, inboundOperations, readOperations } from '@crm/contract';
import { buildReference, type OpenApiDocument, type ReferenceOptions } from '@crm/reference';
import type { Response } from 'express';
import { digestOf } from './response/entity-tag.js';
import { sendTagged, type Headers } from './response/reply.js';

/** Writes one page as the response. */
export type PublicPage = (response: Response) => Promise<void> | void;

const compress = promisify(gzip);
const htmlType = 'text/html; charset=utf-8';

/** Allows the pages to load files from this gateway only, and to send requests to it only. */
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

/** The description of the API, which changes only with a release. */
export const documentHeaders: Headers = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };

/** The address of a file contains its hash, so clients may cache it forever. */
const fileHeaders: Headers = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' };

/** Compresses the content once, for the first caller that accepts it. Callers that know its tag get 304. */
export const serveCompressed = (contentType: string, content: Buffer, headers: Headers): PublicPage => {
  let compressed: Promise<Buffer> | undefined;
  const tag = `"${digestOf([content])}"`;
  return async (response) => {
    if (response.req.acceptsEncodings('gzip') === false) {
      sendTagged(response, contentType, content, tag, headers);
      return;
    }
    compressed ??= compress(content);
    sendTagged(response, contentType, await compressed, tag, { ...headers, 'Content-Encoding': 'gzip' });
  };
};

/**
 * The pages of the reference, by path: `/docs`, `/docs/contract` and the files that they load. They are rendered once
 * and kept in memory.
 * @throws Error when a file of the reference is missing
 */
export const buildDocsPages = (options: Omit<ReferenceOptions, 'otherDocument'>): ReadonlyMap<string, PublicPage> => {
  const otherDocument = (options.gateway === 'read'
    ? buildOpenApiDocument('inbound', inboundOperations)
    : buildOpenApiDocument('read', readOperations)) as object as OpenApiDocument;
  const { html, contractHtml, files } = buildReference({ ...options, otherDocument });
  return new Map<string, PublicPage>([
    ['/docs', serveCompressed(htmlType, Buffer.from(html), pageHeaders)],
    ['/docs/contract', serveCompressed(htmlType, Buffer.from(contractHtml), pageHeaders)],
    ...files.map(
      ({ url, contentType, content }) => [`/${url}`, serveCompressed(contentType, content, fileHeaders)] as const,
    ),
  ]);
};
