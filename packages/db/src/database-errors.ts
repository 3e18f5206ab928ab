import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';
import { ApiError, Failure } from '@crm/domain';
import { ServerError } from './connection/server-error.js';
import { refusalOf } from './errors.js';

/** What the server said, or null for an error of another kind. */
const serverErrorOf = (error: unknown): ServerError | null => (error instanceof ServerError ? error : null);

/** The SQLSTATE of an error of the server, or undefined for an error of another kind. */
export const sqlStateOf = (error: unknown): string | undefined => serverErrorOf(error)?.code;

/** The error itself, then its cause, and so on. */
const withCauses = (error: unknown): readonly unknown[] =>
  types.isNativeError(error) && error.cause !== undefined ? [error, ...withCauses(error.cause)] : [error];

/** The error of the server that an error stands for; null for none. */
const serverCauseOf = (error: unknown): ServerError | null => {
  for (const cause of withCauses(error)) {
    const found = serverErrorOf(cause);
    if (found !== null) return found;
  }
  return null;
};

/** Whether a write function asked for the call to run again, and no repeat helped. */
export const isSerializationFailure = (error: unknown): boolean => serverCauseOf(error)?.code === '40001';

/**
 * SQLSTATEs after which the whole transaction may simply run again, because nothing of it was committed: serialization
 * failure, deadlock, and a record that vanished (23503) or appeared (23505) after the write function had looked.
 */
const retryable = new Set(['40001', '40P01', '23503', '23505']);

/** Citus moved the rows of a statement to another worker while the statement waited. The statement changed nothing. */
const isShardMoved = ({ code, message }: ServerError): boolean =>
  code === 'XX000' && message.startsWith('could not find valid entry for shard');

/**
 * SQLSTATEs (or their classes) of a server that accepts no statements: the connection broke, the server refuses our role or database, it has
 * no connection left, or an operator intervenes.
 */
const isServerGone = (code: string): boolean => /^(08|28|3D|53300|57P)/.test(code);

/** A write met a server that only reads, as the former primary does after a failover. */
const readOnly = '25006';

/** SQLSTATEs of transactions that the server ended because they took too long or did nothing. */
const endedTransaction = /^25P0[34]$/;

/** SQLSTATEs (or their classes) that say the database cannot serve this now: it is away or full, or a lock was not had in time. */
const isUnavailable = (code: string): boolean =>
  isServerGone(code) ||
  code.startsWith('53') ||
  code === '55P03' ||
  code === readOnly ||
  endedTransaction.test(code) ||
  retryable.has(code);

/** SQLSTATEs of a statement that was ended by a limit of its own: of time, or of room for what it sorts. */
const beyondItsLimits = new Set(['57014', '53400']);

/** Where a statement was that waited for another transaction: in our lock functions, or at a row or key that the other one holds. */
const lockWait =
  /PL\/pgSQL function (?:lock_(?:names|external_ids|organization_state|opportunities|accounts|contacts)|claim_(?:domain|email|opportunity_key))\(|^while (?:locking|updating|deleting|inserting|checking|rechecking)/m;

/** Whether a statement ran into its time limit because it waited for other transactions: trying again can help, sending less cannot. */
const isLockTimeout = ({ code, where }: ServerError): boolean => code === '57014' && lockWait.test(where);

/** What Node calls errors of the system, of names and of TLS. */
const networkCode = /^(E(?!RR_)|ERR_(TLS|SSL)_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_)/;

/** Errors of the connection rather than of the database: refused, reset, closed, not trusted, or no free one in time. */
const isNetworkError = (error: unknown): boolean =>
  types.isNativeError(error) &&
  (('code' in error && typeof error.code === 'string' && networkCode.test(error.code)) ||
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated|does not support SSL/.test(
      error.message,
    ));

const noConnectionText = 'timeout exceeded when trying to connect';

/** The pool's own error for a connection that did not come free in time. */
export const noConnectionInTime = (): Error => new Error(noConnectionText);

/** Whether no connection of the pool came free in time: the server may be away, or all connections in use. */
export const isPoolTimeout = (error: unknown): boolean =>
  withCauses(error).some((cause) => types.isNativeError(cause) && cause.message === noConnectionText);

/** Whether the server of a connection only reads. Another connection may lead to another server. */
const isReadOnlyServer = ({ code }: ServerError): boolean => code === readOnly;

/**
 * Whether a connection must not be used again after an error. After a statement that failed it is as good as before, and after a
 * refusal of our own code too.
 */
export const endsConnection = (error: unknown): boolean => {
  const found = serverCauseOf(error);
  if (found !== null) return found.severity === 'FATAL' || found.severity === 'PANIC' || isReadOnlyServer(found);
  const origin = withCauses(error).at(-1);
  return !(origin instanceof Failure || origin instanceof ApiError);
};

/** Whether an error says that the server is away, rather than that it could not serve this statement. */
export const isConnectionError = (error: unknown): boolean => {
  const found = serverCauseOf(error);
  return found === null ? withCauses(error).some(isNetworkError) : isServerGone(found.code);
};

/** The failure of this package for an error of the driver; any other error unchanged. */
const failureOf = (error: unknown): unknown => {
  const found = serverErrorOf(error);
  if (found === null) return isNetworkError(error) ? new Failure({ kind: 'unavailable' }, { cause: error }) : error;
  const refusal = refusalOf(found, error);
  if (refusal !== null) return refusal;
  const isBlocked = isLockTimeout(found);
  if (beyondItsLimits.has(found.code) && !isBlocked) return new Failure({ kind: 'timeout' }, { cause: error });
  return isBlocked || isUnavailable(found.code) || isShardMoved(found)
    ? new Failure({ kind: 'unavailable' }, { cause: error })
    : error;
};

/**
 * Runs `work` and turns what the driver throws into failures; other errors pass unchanged.
 * @throws Failure `unavailable` if a retry can help, `timeout` if not, or the reason of a write function
 * @throws ItemsRefused
 */
export const translateDatabaseErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
};

/** The longest pause before a transaction that lost a deadlock runs again. The server took a second to find the deadlock. */
const deadlockPauseMs = 50;

/**
 * Runs a whole transaction again where the database says that nothing of it happened and a repeat may succeed.
 * Never around work that is not idempotent and may have been committed: only errors that undo it are repeated.
 */
export const retryTransaction = async <T>(work: () => Promise<T>, attempts = 4): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const cause = serverCauseOf(error);
      if (cause === null || attempt === attempts || !(retryable.has(cause.code) || isShardMoved(cause))) throw error;
      // Run at once, it could take its first lock before the other transaction has woken up, and close the circle again.
      if (cause.code === '40P01') await sleep(deadlockPauseMs * (0.5 + Math.random() / 2));
    }
  }
};
