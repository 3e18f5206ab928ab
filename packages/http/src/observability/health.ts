import { ApiError } from '@crm/domain';
import type { OpenApiDocument } from '@crm/reference';
import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { buildDocsPages, documentHeaders, type PublicPage, serveCompressed } from '../docs-page.js';
import { exchangeOf } from '../exchange.js';
import type { OutageLog } from './outage-log.js';
import { within } from '../within.js';
import { jsonType, leavingSetting, sendJson, successBody } from '../response/reply.js';
import { NotReadyError } from '../server/start-up.js';

const readinessTimeoutMs = 2_000;
/** Anybody may call /readyz often, so a successful check of the database is reused for this long. */
const readinessMaxAgeMs = 1_000;

const notReady = (message: string): ApiError => new ApiError('unavailable', { message });

/**
 * Shares checks between requests. After a successful check, none runs for a second. After a failure, the next request
 * checks again. Each new reason of a {@link NotReadyError} is logged once; other failures are outages.
 */
const shareChecks = ({ readiness, logger }: PublicPages, outage: OutageLog): (() => Promise<void>) => {
  let running: Promise<void> | undefined;
  let readyAtMs = Number.NEGATIVE_INFINITY;
  let reason: string | undefined;
  const reasonOf = (error: unknown): string => {
    if (!(error instanceof NotReadyError)) {
      outage.noteFailure(error);
      return 'Not ready';
    }
    if (error.message !== reason) logger.warn({ reason: error.message }, 'not ready');
    reason = error.message;
    return reason;
  };
  return async () => {
    if (performance.now() - readyAtMs < readinessMaxAgeMs) return;
    running ??= within(readiness(), readinessTimeoutMs)
      .then(
        () => {
          readyAtMs = performance.now();
          if (reason !== undefined) logger.info('ready again');
          reason = undefined;
          outage.noteSuccess();
        },
        (error: unknown) => {
          throw notReady(reasonOf(error));
        },
      )
      .finally(() => {
        running = undefined;
      });
    await running;
  };
};

const answer = (response: Response, message: string): void =>
  sendJson(response, 200, successBody({ message, data: {} }));

/** The responses of a gateway to callers without a key. */
interface PublicPages {
  readonly readiness: () => Promise<void>;
  readonly logger: Logger;
  readonly startUp?: { readonly problem: string | null } | undefined;
  readonly gateway: 'read' | 'inbound';
  readonly openApiDocument?: object | undefined;
  readonly otherGatewayUrl?: string | undefined;
}

/**
 * Answers `/livez`, `/readyz`, `/openapi.json` and `/docs`, and 404 to everything else outside `/v1`. `/livez` checks
 * nothing, because restarting a gateway does not bring its database back. `/readyz` is 503 while the gateway cannot
 * serve or shuts down.
 */
export const answerPublicPages = (pages: PublicPages, outage: OutageLog): RequestHandler => {
  const check = shareChecks(pages, outage);
  const byPath = new Map<string, PublicPage>();
  byPath.set('/livez', (response) => answer(response, 'Alive'));
  byPath.set('/readyz', async (response) => {
    if (response.app.enabled(leavingSetting)) throw notReady('Shutting down');
    const problem = pages.startUp?.problem ?? null;
    if (problem !== null) throw notReady(problem);
    await check();
    answer(response, 'Ready');
  });
  const { gateway, openApiDocument, otherGatewayUrl } = pages;
  if (openApiDocument !== undefined) {
    const json = Buffer.from(JSON.stringify(openApiDocument));
    byPath.set('/openapi.json', serveCompressed(jsonType, json, documentHeaders));
    const document = openApiDocument as OpenApiDocument;
    for (const [path, page] of buildDocsPages({ document, gateway, otherGatewayUrl })) byPath.set(path, page);
  }
  return async (request, response, next) => {
    const { path } = exchangeOf(request);
    if (path === '/v1' || path.startsWith('/v1/')) {
      next();
      return;
    }
    const page = byPath.get(path);
    if (page === undefined) throw new ApiError('not_found');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
    }
    await page(response);
  };
};
