import { ApiError, errorCatalogue, type ErrorCode, Failure, type FieldErrors } from '@crm/domain';
import type { ErrorRequestHandler } from 'express';
import { exchangeOf } from '../exchange.js';
import { apiErrorOf } from './failure-answers.js';
import { sendJson } from './reply.js';

/** The error envelope as text. */
export const errorBody = (
  code: ErrorCode,
  message: string = errorCatalogue[code].message,
  errors?: FieldErrors,
  extra?: Readonly<Record<string, unknown>>,
): string =>
  JSON.stringify({ success: false, message, statusCode: errorCatalogue[code].status, code, errors, ...extra });

const codeOfStatus = new Map<number, ErrorCode>(
  (Object.keys(errorCatalogue) as ErrorCode[]).map((code) => [errorCatalogue[code].status, code]),
);

/** The status of an error of Express or its middleware, if the client caused it. */
const clientStatusOf = (error: unknown): number | undefined => {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  const { status } = error;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
};

/**
 * The one place that turns a thrown value into a public error. An unknown error becomes `internal`: its text may
 * contain SQL, addresses or secrets and only goes to the log.
 */
export const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  if (error instanceof Failure) return apiErrorOf(error);
  const status = clientStatusOf(error);
  if (status === undefined) return new ApiError('internal', { cause: error });
  return new ApiError(codeOfStatus.get(status) ?? 'validation_failed', { cause: error });
};

/**
 * The last middleware of a gateway: answers every error in the envelope. The cause of a 5xx only goes to the log line.
 */
export const handleError: ErrorRequestHandler = (thrown: unknown, request, response, _next) => {
  const error = toApiError(thrown);
  if (error.status >= 500) exchangeOf(request).failure = error.code === 'internal' ? error.cause : thrown;
  // A response that has begun can no longer become an error, so its connection is cut.
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = errorBody(error.code, error.message, error.errors, error.extra);
  sendJson(response, error.status, body, error.headers);
};
