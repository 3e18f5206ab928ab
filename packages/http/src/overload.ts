import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { ApiError } from '@crm/domain';
import type { RequestHandler } from 'express';
import type { GatewayActivity } from './metrics/activity.js';

/** When a process sheds load. */
export interface OverloadOptions {
  /** Requests in work at once. */
  readonly maxInFlight: number;
  /** Mean delay of the event loop over the last half second. */
  readonly maxEventLoopDelayMs: number;
}

const sampleEveryMs = 500;
const resolutionMs = 20;
const nanosecondsPerMs = 1e6;

/** Samples how late the event loop runs; without keeping the process alive. */
const watchEventLoop = (): (() => number) => {
  const histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let delayMs = 0;
  let isStarting = true;
  setInterval(() => {
    // Loading and compiling hold the loop up once, before there is any load to shed.
    const hasSample = !isStarting && histogram.count > 0;
    isStarting = false;
    delayMs = !hasSample ? 0 : Math.max(0, histogram.mean / nanosecondsPerMs - resolutionMs);
    histogram.reset();
  }, sampleEveryMs).unref();
  return () => delayMs;
};

/**
 * Answers 503 at once to what a process could only answer late. Requests whose bodies are slow to arrive go first. A refused request costs next to nothing, so those accepted
 * keep their latency and the process recovers as soon as the flood ends. Stands before authentication: a statement for each
 * refused request would carry the overload on to the database.
 */
export const shedLoad = (options: OverloadOptions, activity: GatewayActivity): RequestHandler => {
  const eventLoopDelayMs = watchEventLoop();
  activity.eventLoopDelayMs = eventLoopDelayMs;
  return (_request, response, next) => {
    const isFull = activity.inFlight >= options.maxInFlight && !activity.bodies.giveUpSlowest();
    if (isFull || eventLoopDelayMs() > options.maxEventLoopDelayMs) {
      activity.shed++;
      next(new ApiError('unavailable', { headers: { 'Retry-After': '1' } }));
      return;
    }
    activity.inFlight++;
    response.once('close', () => {
      activity.inFlight--;
    });
    next();
  };
};
