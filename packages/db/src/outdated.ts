import { ApiError, isFailure } from '@crm/domain';

/**
 * Whether a request was refused for what it refers to. What was read for it may be older than what it refers to: a cached catalog, or
 * a replica.
 */
export const mayBeOutdated = (error: unknown): boolean =>
  isFailure(error, 'not_found') ||
  (error instanceof ApiError && (error.code === 'validation_failed' || error.code === 'not_found'));
