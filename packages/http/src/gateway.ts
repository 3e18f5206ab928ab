import { ApiError } from '@crm/domain';
import express, { type Express, type RequestHandler } from 'express';
import type { AuthenticationOptions } from './keys/api-key-record.js';
import { authenticate } from './keys/authentication.js';
import { handleError } from './response/errors.js';
import { exchangeOf } from './exchange.js';
import { SharedStoreHealth } from './limits/fallback-store.js';
import type { GatewayAppOptions } from './gateway-options.js';
import { createTrust } from './request/client-address.js';
import { checkHead } from './request/head.js';
import { answerPublicPages } from './observability/health.js';
import { readOperationInput } from './request/input.js';
import { GatewayActivity } from './observability/metrics/activity.js';
import { OutageLog } from './observability/outage-log.js';
import { limitArrivals, limitBulkCalls, shedLoad } from './limits/overload.js';
import { limitFailedAuthentication, limitRequests } from './limits/rate-limit.js';
import { drainingSetting } from './response/reply.js';
import { beginExchange } from './observability/request-log.js';
import { RouteTable, type Route } from './server/route-table.js';
import { runOperation } from './run-operation.js';
import { createShares, defaultShares, type GatewayShares, type ShareLimits } from './limits/shares.js';
import { traceRequests } from './observability/tracing/trace-requests.js';

const toRoutes = <Context>(options: GatewayAppOptions<Context>): Route[] =>
  options.operations.map((operation) => {
    const { contract } = operation;
    if (contract.gateway !== options.gateway) {
      throw new Error(`${contract.id} belongs to the ${contract.gateway} gateway`);
    }
    return {
      contract,
      validators: options.validators(contract),
      run: (request) => options.withContext(request, (context) => operation.handle(context, request)),
    };
  });

/** No request is authenticated before the start-up checks have passed. `/readyz` says what they wait for. */
const afterStartUp = <Context>({ authentication, startUp }: GatewayAppOptions<Context>): AuthenticationOptions => ({
  ...authentication,
  findApiKeysByHash: async (hashes) => {
    if (startUp !== undefined && startUp.problem !== null) throw new ApiError('unavailable');
    return authentication.findApiKeysByHash(hashes);
  },
});

const matchRoute =
  (table: RouteTable): RequestHandler =>
  (request, _response, next) => {
    const exchange = exchangeOf(request);
    exchange.match = table.match(request.method, exchange.path);
    next();
  };

/** Creates the shares of the process, and lets `activity` report how much of them is in use. */
const sharesOf = (options: ShareLimits, activity: GatewayActivity): GatewayShares => {
  const shares = createShares({ ...defaultShares, ...options });
  activity.inFlight = () => shares.inFlight.total;
  activity.answerBytes = () => shares.answerBytes.total;
  activity.waiting = () => shares.waiting.total;
  return shares;
};

/**
 * Builds the Express app of a gateway without a listener; pass it to `startServer`. Every request passes the middleware
 * in the order below. The operation is looked up before the key, because the key's permissions depend on it. An unknown
 * path gets its 404 after authentication and the limits, so that callers without a key cannot find out which paths
 * exist.
 * @throws Error when an operation belongs to the other gateway, or two share method and path.
 */
export const createGatewayApp = <Context>(options: GatewayAppOptions<Context>): Express => {
  const { logger } = options;
  const activity = options.activity ?? new GatewayActivity();
  const isOutage = options.isOutage ?? (() => false);
  const outage = new OutageLog(logger, isOutage);
  const limiterParts = { options: options.limits, activity, health: new SharedStoreHealth(logger) };
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  const { trustProxy = false } = options;
  app.set('trust proxy', typeof trustProxy === 'object' ? createTrust(trustProxy) : trustProxy);

  app.use(beginExchange(logger, activity, outage));
  app.use(checkHead);
  app.use(answerPublicPages(options, outage));
  const shares = sharesOf(options, activity);
  // The server emits this when it begins to shut down.
  app.once(drainingSetting, () => shares.waiting.stop());
  app.use(limitArrivals(shares, activity));
  app.use(matchRoute(new RouteTable(toRoutes(options))));
  if (options.isTraced === true) app.use(traceRequests);
  const failures = limitFailedAuthentication(limiterParts);
  app.use(authenticate(afterStartUp(options), failures, activity, logger, isOutage));
  app.use(limitRequests(options.gateway, limiterParts));
  app.use(shedLoad(options.maxEventLoopDelayMs, shares, activity));
  app.use(limitBulkCalls(shares, activity));
  app.use(readOperationInput(options.gateway, activity.bodies));
  app.use(runOperation({ shares, activity, pageBytes: options.maxPageBytes ?? defaultShares.maxPageBytes }));
  app.use(handleError);
  return app;
};
