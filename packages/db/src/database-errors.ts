import { types } from 'node:util';
import { ApiError, type ApiErrorDetails, type ErrorCode } from '@crm/domain';
import pg from 'pg';

/**
 * SQLSTATEs after which the whole transaction may simply run again, because nothing of it was committed: serialization
 * failure, deadlock, and a record that vanished (23503) or appeared (23505) after the write function had looked.
 */
const retryable = new Set(['40001', '40P01', '23503', '23505']);

/** Our own SQLSTATEs: a write function refused its call, or items of a bulk call. */
const refused = 'CRM01';
const itemsRefused = 'CRM02';

/** A bulk call in which some items were refused, by index; nothing of it was written. */
export class ItemsRefusedError extends Error {
  constructor(readonly refusals: ReadonlyMap<number, ApiError>) {
    super('Items of a bulk call were refused');
  }
}

interface ItemRefusal {
  readonly code: ErrorCode;
  readonly details: ApiErrorDetails;
}

/** The error of a refusal; the write functions' `refuse` and `write_many` put it into message and detail. */
const refusalError = (error: pg.DatabaseError): Error => {
  const details: unknown = JSON.parse(error.detail ?? '{}');
  if (error.code === refused) return new ApiError(error.message as ErrorCode, details as ApiErrorDetails);
  const refusals = Object.entries(details as Readonly<Record<string, ItemRefusal>>);
  return new ItemsRefusedError(
    new Map(refusals.map(([index, { code, details }]) => [Number(index), new ApiError(code, details)])),
  );
};

/**
 * SQLSTATEs (or their classes) of a server that does not serve us now, whatever is asked: the connection broke, it lets us
 * or this database in no more, has no connection left, or somebody intervenes.
 */
const isAwayState = (code: string): boolean => /^(08|28|3D|53300|57P)/.test(code);

/** A write met a server that only reads, as the former primary does after a failover. */
const readOnly = '25006';

/** SQLSTATEs of transactions that the server ended because they took too long or did nothing. */
const endedTransaction = /^25P0[34]$/;

/** SQLSTATEs (or their classes) that say the database cannot serve this now: it is away or full, or a lock was not had in time. */
const isUnavailable = (code: string): boolean =>
  isAwayState(code) ||
  code.startsWith('53') ||
  code === '55P03' ||
  code === readOnly ||
  endedTransaction.test(code) ||
  retryable.has(code);

/** SQLSTATEs of a statement that was ended by a limit of its own: of time, or of room for what it sorts. */
const beyondItsLimits = new Set(['57014', '53400']);

/** Where a statement was that waited for another transaction: in our lock functions, or at a row or key that the other one holds. */
const lockWait =
  /PL\/pgSQL function (?:lock_(?:names|opportunities|accounts|contacts|results|visible_fields)|claim_(?:domain|email))\(|^while (?:locking|updating|deleting|inserting|checking|rechecking)/m;

/** Whether a statement ran into its time limit because it waited for other transactions: trying again can help, sending less cannot. */
const isLockTimeout = (error: pg.DatabaseError): boolean => error.code === '57014' && lockWait.test(error.where ?? '');

/** The SQLSTATE of an error of the database, or undefined when it is of another kind. */
export const sqlStateOf = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined;

/** What Node calls errors of the system, of names and of TLS. */
const connectionCode = /^(E(?!RR_)|ERR_(TLS|SSL)_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_)/;

/** Errors of the connection rather than of the database: refused, reset, closed, not trusted, or no free one in time. */
const isConnectionError = (error: unknown): boolean =>
  types.isNativeError(error) &&
  (('code' in error && typeof error.code === 'string' && connectionCode.test(error.code)) ||
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error|not queryable|does not support SSL/.test(
      error.message,
    ));

const noConnectionText = 'timeout exceeded when trying to connect';

/** The pool's own error for a connection that did not come free in time. */
export const noConnectionInTime = (): Error => new Error(noConnectionText);

/** Whether an error says that no connection of the pool came free: the server may be away, or only busy. */
export const saysBusy = (error: unknown): boolean => {
  const cause = error instanceof ApiError ? error.cause : error;
  return cause instanceof Error && cause.message === noConnectionText;
};

/** Whether a connection is no good after an error, though the server would keep it: another one may lead to another server. */
export const endsUse = (error: unknown): boolean => sqlStateOf(error) === readOnly;

/** Whether an error says that the server is away, rather than that this statement could not be served. */
export const saysAway = (error: unknown): boolean => {
  const cause = error instanceof ApiError ? error.cause : error;
  const code = sqlStateOf(cause);
  return code === undefined ? isConnectionError(cause) : isAwayState(code);
};

/** A statement was ended by its time limit, or needed more room than it may have: whoever asked knows better how to narrow it than a retry would. */
export class StatementTimeoutError extends ApiError {
  constructor(cause: unknown) {
    super('unavailable', { message: 'The database did not answer in time', cause });
  }
}

/**
 * Runs `work` and turns what the database throws into errors with a public answer; others pass unchanged.
 * @throws ApiError `unavailable` with `Retry-After` when trying again can help; {@link StatementTimeoutError} when not.
 */
export const translateDatabaseErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const code = sqlStateOf(error);
    if (error instanceof pg.DatabaseError && (code === refused || code === itemsRefused)) throw refusalError(error);
    const isBlocked = error instanceof pg.DatabaseError && isLockTimeout(error);
    if (code !== undefined && beyondItsLimits.has(code) && !isBlocked) throw new StatementTimeoutError(error);
    if (isBlocked || (code !== undefined && isUnavailable(code)) || isConnectionError(error)) {
      throw new ApiError('unavailable', { headers: { 'Retry-After': '1' }, cause: error });
    }
    throw error;
  }
};

/**
 * Runs a whole transaction again where the database says that nothing of it happened and a repeat may succeed.
 * Never around work that is not idempotent and may have been committed: only errors that undo it are repeated.
 */
export const retryTransaction = async <T>(work: () => Promise<T>, attempts = 4): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const code = sqlStateOf(error instanceof ApiError ? error.cause : error);
      if (code === undefined || !retryable.has(code) || attempt === attempts) throw error;
    }
  }
};
