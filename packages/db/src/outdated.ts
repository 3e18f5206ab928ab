import { ApiError, isFailure } from '@crm/domain';

/** Whether a reader of the change log is ahead of the server that was asked. */
export const isPositionAhead = (error: unknown): boolean => isFailure(error, 'position_ahead');

/**
 * Whether a request was refused for what it refers to. What was read for it may be older than what it refers to: a cached setup, or
 * a replica.
 */
export const mayBeOutdated = (error: unknown): boolean =>
  isFailure(error, 'not_found') ||
  isPositionAhead(error) ||
  (error instanceof ApiError && (error.code === 'validation_failed' || error.code === 'not_found'));
