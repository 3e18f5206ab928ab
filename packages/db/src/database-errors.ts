import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';
import { ApiError, Failure } from '@crm/domain';
import { ServerError } from './connection/server-error.js';

/** The error if the server reported it, else null. */
const serverErrorOf = (error: unknown): ServerError | null => (error instanceof ServerError ? error : null);

/** The SQLSTATE of an error that the server reported, else undefined. */
export const sqlStateOf = (error: unknown): string | undefined => serverErrorOf(error)?.code;

/** The error itself, then its cause, and so on. */
const withCauses = (error: unknown): readonly unknown[] =>
  types.isNativeError(error) && error.cause !== undefined ? [error, ...withCauses(error.cause)] : [error];

/** The server error among an error and its causes, or null. */
const serverCauseOf = (error: unknown): ServerError | null => {
  for (const cause of withCauses(error)) {
    const found = serverErrorOf(cause);
    if (found !== null) return found;
  }
  return null;
};

/**
 * SQLSTATEs after which the whole transaction can be retried, because nothing of it was committed: serialization failure, deadlock, and a
 * row of the setup that was removed (23503) or a key that was stored (23505) since it was read.
 */
const retryable = new Set(['40001', '40P01', '23503', '23505']);

/** Citus moved the rows of a statement to another worker while the statement waited. The statement changed nothing. */
const isShardMoved = ({ code, message }: ServerError): boolean =>
  code === 'XX000' && message.startsWith('could not find valid entry for shard');

/**
 * SQLSTATEs (or their classes) of a server that accepts no statements: the connection broke, the server rejects our role or database, it
 * has no connection left, or it is shutting down or starting up.
 */
const isServerGone = (code: string): boolean => /^(08|28|3D|53300|57P)/.test(code);

/** A write on a read-only server, such as the former primary after a failover. */
const readOnly = '25006';

/** SQLSTATEs of transactions that the server ended because they were idle or took too long. */
const endedTransaction = /^25P0[34]$/;

/** SQLSTATEs (or their classes) of a temporary problem: the database is unreachable or out of resources, or a lock timed out. */
const isUnavailable = (code: string): boolean =>
  isServerGone(code) ||
  code.startsWith('53') ||
  code === '55P03' ||
  code === readOnly ||
  endedTransaction.test(code) ||
  retryable.has(code);

/** Whether the server lacks a table, column or function of the statement, such as a replica that has not received the newest migration. */
export const lacksSchema = (error: unknown): boolean => /^42(P01|703|883)$/.test(serverCauseOf(error)?.code ?? '');

/** SQLSTATEs of a statement that reached its own limit of time or temporary disk space. */
const beyondItsLimits = new Set(['57014', '53400']);

/** Node's codes for system, DNS and TLS errors. */
const networkCode = /^(E(?!RR_)|ERR_(TLS|SSL)_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_)/;

/** Whether the connection failed: refused, reset, closed, not trusted, or none free in time. */
const isNetworkError = (error: unknown): boolean =>
  types.isNativeError(error) &&
  (('code' in error && typeof error.code === 'string' && networkCode.test(error.code)) ||
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated|does not support SSL/.test(
      error.message,
    ));

const noConnectionText = 'timeout exceeded when trying to connect';

/** The pool's error if no connection became free in time. */
export const noConnectionInTime = (): Error => new Error(noConnectionText);

/** Whether no connection of the pool became free in time. The server may be unreachable, or all connections may be in use. */
export const isPoolTimeout = (error: unknown): boolean =>
  withCauses(error).some((cause) => types.isNativeError(cause) && cause.message === noConnectionText);

/** Whether the server of a connection is read-only. A new connection may reach another server. */
const isReadOnlyServer = ({ code }: ServerError): boolean => code === readOnly;

/**
 * Whether to close a connection after an error. The connection remains usable after a failed statement, unless the server is read-only,
 * and after an error that our own code raised.
 */
export const endsConnection = (error: unknown): boolean => {
  const found = serverCauseOf(error);
  if (found !== null) return found.severity === 'FATAL' || found.severity === 'PANIC' || isReadOnlyServer(found);
  const origin = withCauses(error).at(-1);
  return !(origin instanceof Failure || origin instanceof ApiError);
};

/** The SQLSTATE of an error or of one of its causes, else null. */
export const sqlStateIn = (error: unknown): string | null => serverCauseOf(error)?.code ?? null;

/** Whether the server refused a value, so that the same statement fails again: a character, a number, a check, or a size. */
export const isRefusedValue = (error: unknown): boolean => /^(22|23502|23514|54)/.test(sqlStateIn(error) ?? '');

/** Whether an error means that the server is unreachable, as opposed to a failed statement. */
export const isConnectionError = (error: unknown): boolean => {
  const found = serverCauseOf(error);
  return found === null ? withCauses(error).some(isNetworkError) : isServerGone(found.code);
};

/** The {@link Failure} for an error of the driver. Returns other errors unchanged. */
const failureOf = (error: unknown): unknown => {
  const found = serverErrorOf(error);
  if (found === null) return isNetworkError(error) ? new Failure({ kind: 'unavailable' }, { cause: error }) : error;
  if (beyondItsLimits.has(found.code)) return new Failure({ kind: 'timeout' }, { cause: error });
  return isUnavailable(found.code) || isShardMoved(found)
    ? new Failure({ kind: 'unavailable' }, { cause: error })
    : error;
};

/**
 * Runs `work` and converts errors of the driver to failures. Other errors pass unchanged.
 * @throws Failure `unavailable` if a retry can help, `timeout` if not
 */
export const translateDatabaseErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
};

/** The longest pause before a retry after a deadlock. It is short compared to the second that the server takes to detect a deadlock. */
const deadlockPauseMs = 50;

/**
 * Runs a transaction and retries it after errors that guarantee a rollback and that a retry can resolve. It does not retry other errors,
 * because the transaction may have been committed.
 */
export const retryTransaction = async <T>(work: () => Promise<T>, attempts = 4): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const cause = serverCauseOf(error);
      if (cause === null || attempt === attempts || !(retryable.has(cause.code) || isShardMoved(cause))) throw error;
      // Without a pause, the retry could take its first lock before the other transaction has woken up, and deadlock again.
      if (cause.code === '40P01') await sleep(deadlockPauseMs * (0.5 + Math.random() / 2));
    }
  }
};
