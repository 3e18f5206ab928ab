import { ApiError, isFailure } from '@crm/domain';

/** Whether a reader of the change log asked for a position that the server has not reached. */
export const isPositionAhead = (error: unknown): boolean => isFailure(error, 'position_ahead');

/** Whether outdated data may have made a request fail: a cached setup, or a replica that does not have a new record yet. */
export const mayBeOutdated = (error: unknown): boolean =>
  isFailure(error, 'not_found') ||
  isPositionAhead(error) ||
  (error instanceof ApiError && (error.code === 'validation_failed' || error.code === 'not_found'));
