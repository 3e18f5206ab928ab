import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Response } from 'express';
import { sendBody, type Headers } from './reply.js';

/** Writes one page to whoever asked. */
export type PublicPage = (response: Response) => Promise<void> | void;

interface Asset {
  /** Relative, so that it also holds behind a proxy that serves the page below another path. */
  readonly url: string;
  readonly contentType: string;
  readonly content: Buffer;
}

const compress = promisify(gzip);
const script = 'text/javascript; charset=utf-8';
const stylesheet = 'text/css; charset=utf-8';

/**
 * Everything comes from the gateway and requests go to nobody else. The library's icons are data URLs. It sets styles from
 * its script, which needs no 'unsafe-inline'.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders: Headers = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
};

/** The address of an asset has its hash, so it can be kept for good. */
const assetHeaders: Headers = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' };

/** The key that is entered is forgotten with the page: whoever uses the browser next must not find it. */
const startScript = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/**
 * The API has no links between operations. On a telephone the library's tables would leave a letter or two a line; there their
 * cells stand below each other.
 */
const ownStyle = `
.swagger-ui .opblock-body .response-col_links { display: none; }
.swagger-ui .opblock-body .response > td { padding-bottom: 20px; }
.swagger-ui .opblock-body .headers :is(.markdown, p) { margin: 0; padding: 0; }
@media (min-width: 641px) {
  .swagger-ui table.parameters tbody tr td.parameters-col_name:first-of-type { min-width: 9em; }
}
@media (max-width: 640px) {
  .swagger-ui .opblock-body :is(table, tbody, tr, td):not(.response-col_links) { display: block; max-width: 100%; width: auto; }
  .swagger-ui .opblock-body :is(thead, td:empty, .download-contents) { display: none; }
  .swagger-ui .opblock-body :is(.col_header, .response-col_status, .parameters-col_name) { padding-bottom: 0; }
  .swagger-ui .opblock-body .response-col_status { font-weight: bold; }
  .swagger-ui .opblock-body .headers td { padding: 0; }
  .swagger-ui .opblock-body .headers tr { margin-bottom: 10px; }
  .swagger-ui :is(.table-container, .responses-inner, .opblock-section-header) { padding-left: 10px; padding-right: 10px; }
  .swagger-ui .opblock-body :is(input[type='text'], textarea) { max-width: 100%; width: 100%; }
}
`;

const asset = (name: string, contentType: string, content: Buffer): Asset => {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { url: `docs/${hash}/${name}`, contentType, content };
};

const libraryFolder = (): string => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const loadAssets = () => {
  const folder = libraryFolder();
  const library = (name: string, contentType: string): Asset =>
    asset(name, contentType, readFileSync(join(folder, name)));
  return {
    icon: library('favicon-32x32.png', 'image/png'),
    libraryStyle: library('swagger-ui.css', stylesheet),
    ownStyle: asset('own.css', stylesheet, Buffer.from(ownStyle)),
    library: library('swagger-ui-bundle.js', script),
    start: asset('start.js', script, Buffer.from(startScript)),
  };
};

const toHtml = (assets: ReturnType<typeof loadAssets>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>CRM public API</title>
<link rel="icon" href="${assets.icon.url}">
<link rel="stylesheet" href="${assets.libraryStyle.url}">
<link rel="stylesheet" href="${assets.ownStyle.url}">
<script defer src="${assets.library.url}"></script>
<script defer src="${assets.start.url}"></script>
</head>
<body>
<div id="docs"></div>
<noscript>This page needs JavaScript. The same document is at <a href="openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`;

const serveAsset = ({ contentType, content }: Asset): PublicPage => {
  let compressed: Promise<Buffer> | undefined;
  return async (response) => {
    if (response.req.acceptsEncodings('gzip') === false) {
      sendBody(response, 200, contentType, content, assetHeaders);
      return;
    }
    compressed ??= compress(content);
    sendBody(response, 200, contentType, await compressed, { ...assetHeaders, 'Content-Encoding': 'gzip' });
  };
};

/**
 * The pages of the interactive reference, by path: `/docs`, which shows `/openapi.json`, and its assets from
 * `swagger-ui-dist`. They are kept in memory and need no other host.
 * @throws Error when `swagger-ui-dist` is not installed.
 */
export const buildDocsPages = (): ReadonlyMap<string, PublicPage> => {
  const assets = loadAssets();
  const html = toHtml(assets);
  return new Map<string, PublicPage>([
    ['/docs', (response) => sendBody(response, 200, 'text/html; charset=utf-8', html, pageHeaders)],
    ...Object.values(assets).map((each) => [`/${each.url}`, serveAsset(each)] as const),
  ]);
};
