import type { AvailabilityListener, ReadRouterOptions } from '@crm/db';
import type { Logger } from 'pino';

/** Logs one line when a server becomes unavailable and one when it is back. */
export const logAvailability = (
  logger: Logger,
): Required<Pick<ReadRouterOptions, 'onPrimaryChange' | 'onReplicaChange'>> => {
  const listener =
    (server: string, other: string): AvailabilityListener =>
    ({ isAway, error }) => {
      if (isAway) logger.warn({ err: error }, `the ${server} is unavailable: ${other} answers the reads that it can`);
      else logger.info(`the ${server} is back`);
    };
  return { onPrimaryChange: listener('primary', 'the replica'), onReplicaChange: listener('replica', 'the primary') };
};
