import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { ApiError, type ApiErrorDetails } from '@crm/domain';
import type { Request, RequestHandler } from 'express';
import { callerOf, type Exchange, exchangeOf } from '../exchange.js';
import type { GatewayActivity } from '../observability/metrics/activity.js';
import type { GatewayShares } from './shares.js';

const sampleEveryMs = 500;
const resolutionMs = 20;
const nanosecondsPerMs = 1e6;
/** How long a bulk call waits for its turn: as long as a statement waits for a connection by default. */
const turnWaitMs = 2_000;
/**
 * How long a page waits for room. This is longer than it takes to notice that a replica has failed: until then, pages
 * that read from that replica keep their room.
 */
const roomWaitMs = 5_000;

/** Samples the delay of the event loop, without keeping the process alive. */
const watchEventLoop = (): (() => number) => {
  const histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let delayMs = 0;
  let isStarting = true;
  setInterval(() => {
    // Loading and compiling delay the loop once, before there is any load to shed.
    const hasSample = !isStarting && histogram.count > 0;
    isStarting = false;
    delayMs = !hasSample ? 0 : Math.max(0, histogram.mean / nanosecondsPerMs - resolutionMs);
    histogram.reset();
  }, sampleEveryMs).unref();
  return () => delayMs;
};

const overloadError = (activity: GatewayActivity, details: ApiErrorDetails = {}): ApiError => {
  activity.shed++;
  return new ApiError('unavailable', details);
};

/**
 * Limits how many requests wait for the lookup of their key. Each key has a share, so that one key's burst leaves room
 * for the others. A request counts until it is one of the running requests, or is over.
 */
export const limitArrivals =
  ({ arrivals }: GatewayShares, activity: GatewayActivity): RequestHandler =>
  (request, _response, next) => {
    const key = String(request.headers['x-api-key'] ?? '');
    if (!arrivals.hasRoom(key)) {
      next(overloadError(activity));
      return;
    }
    const leave = arrivals.take(key);
    const exchange = exchangeOf(request);
    exchange.leaveArrivals = leave;
    exchange.whenOver(leave);
    next();
  };

/**
 * Makes room: drops the request whose body has been arriving for the longest time, if it is slow. If the process is
 * full, this may be a request of any organization, otherwise only of this one.
 * @returns whether a request was dropped
 */
const giveUpSlowBody = ({ inFlight }: GatewayShares, activity: GatewayActivity, organizationId: string): boolean =>
  activity.bodies.giveUpSlowest(inFlight.isExhausted ? undefined : organizationId);

/** Records that a request is in flight. */
const enter = (exchange: Exchange, leave: () => void): void => {
  exchange.leaveInFlight = leave;
  exchange.whenOver(leave);
};

/**
 * Puts a request in flight again after it waited for events, as soon as there is room.
 * @throws ApiError `unavailable` if there was none for five seconds
 */
export const enterAgain = async (
  { inFlight }: GatewayShares,
  activity: GatewayActivity,
  exchange: Exchange,
  organizationId: string,
): Promise<void> => {
  const leave = await inFlight.takeWithin(organizationId, roomWaitMs);
  if (leave === null) throw overloadError(activity);
  enter(exchange, leave);
};

/** The response to a request that may not wait because too many do. */
export const waitingRoomError = (activity: GatewayActivity): ApiError =>
  overloadError(activity, { message: 'Too many requests wait for events: retry, or ask without wait' });

/**
 * Returns 503 at once if the event loop is delayed, too many requests are in flight, or the organization has used its share. In
 * the last two cases, it first tries to drop a request whose body is slow to arrive. This middleware comes after the
 * rate limits, so that retries of refused requests count against their key.
 */
export const shedLoad = (
  maxEventLoopDelayMs: number,
  shares: GatewayShares,
  activity: GatewayActivity,
): RequestHandler => {
  const eventLoopDelayMs = watchEventLoop();
  activity.eventLoopDelayMs = eventLoopDelayMs;
  return (request, _response, next) => {
    const { organizationId } = callerOf(request);
    const exchange = exchangeOf(request);
    const isLate = eventLoopDelayMs() > maxEventLoopDelayMs;
    const hasRoom = (): boolean =>
      shares.inFlight.hasRoom(organizationId) || giveUpSlowBody(shares, activity, organizationId);
    if (isLate || !hasRoom()) {
      next(overloadError(activity));
      return;
    }
    enter(exchange, shares.inFlight.take(organizationId));
    exchange.leaveArrivals?.();
    next();
  };
};

/** Makes a bulk call beyond the share of its organization wait before its body is read; 503 after two seconds. */
export const limitBulkCalls =
  ({ bulkCalls }: GatewayShares, activity: GatewayActivity): RequestHandler =>
  async (request, _response, next) => {
    const exchange = exchangeOf(request);
    const { match } = exchange;
    if (match?.kind !== 'found' || match.route.contract.group !== 'bulk') {
      next();
      return;
    }
    const finish = await bulkCalls.takeWithin(callerOf(request).organizationId, turnWaitMs);
    if (finish === null) throw overloadError(activity);
    exchange.whenOver(finish);
    next();
  };

/**
 * Waits until there is room for the longest page, because the size of a page is only known after it is read.
 * @returns a function that gives the room back; calling it again does nothing
 * @throws ApiError `unavailable` if there was no room for five seconds: the organization's callers, or all callers,
 * read their responses too slowly
 */
export const reservePage = async (
  { answerBytes }: GatewayShares,
  activity: GatewayActivity,
  organizationId: string,
  bytes: number,
): Promise<() => void> => {
  const giveBack = await answerBytes.takeWithin(organizationId, roomWaitMs, bytes);
  if (giveBack === null) throw overloadError(activity);
  return giveBack;
};

/** Counts the bytes of a response until the caller has read them. */
export const holdAnswerBytes = ({ answerBytes }: GatewayShares, request: Request, bytes: number): void => {
  exchangeOf(request).whenOver(answerBytes.take(callerOf(request).organizationId, bytes));
};
