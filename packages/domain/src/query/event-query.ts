import type { ErrorCollector } from '../errors.js';

/** The longest time that a request waits for events, in seconds. */
export const maxWaitSeconds = 30;

// Plain digits only, as for limits: neither `1e2` nor `+5`. Numbers with fifteen digits are exact in JavaScript.
const positionPattern = /^(?:([0-9a-zA-Z-]{1,100}):)?(0|[1-9][0-9]{0,14})$/;
const waitPattern = /^(0|[1-9][0-9]?)$/;

/** A position in the change log that a reader has stored. */
export interface LogPosition {
  readonly position: number;
  /** The log that the position belongs to; null if the reader does not say. */
  readonly logId: string | null;
}

/** The text of a position that is valid in one log only, as `cursor` and `after` take it: `66b2f6a1c3d94e5a-16384-16923-1:1042`. */
export const logPositionText = (logId: string, position: number): string => `${logId}:${position}`;

/**
 * Reads a position in the change log from a query string: `1042`, or with its log as {@link logPositionText} writes it.
 * @returns null if it is absent or invalid
 */
export const parsePosition = (name: string, input: string | undefined, errors: ErrorCollector): LogPosition | null => {
  if (input === undefined) return null;
  const [, logId, position] = positionPattern.exec(input) ?? [];
  if (position !== undefined) return { position: Number(position), logId: logId ?? null };
  errors.add(
    name,
    'must be a position: a whole number from 0, of at most 15 digits, alone or after a log_id and a colon',
  );
  return null;
};

/**
 * Reads where a page of the change log starts. Tools send `after` with each page, and `cursor` from the second page on, so `cursor` wins.
 * @returns null to start at the oldest retained event, as `after=0` asks for
 */
export const parseLogStart = (
  query: { readonly after?: string | undefined; readonly cursor?: string | undefined },
  errors: ErrorCollector,
): { readonly position: number | null; readonly logIds: readonly string[] } => {
  const after = parsePosition('after', query.after, errors);
  const cursor = parsePosition('cursor', query.cursor, errors);
  if (after !== null && cursor !== null && cursor.position < after.position) errors.add('cursor', 'is before `after`');
  const logIds = [after?.logId ?? null, cursor?.logId ?? null].filter((logId) => logId !== null);
  return { position: cursor?.position ?? (after?.position || null), logIds };
};

/**
 * Reads the `wait` of a query string.
 * @returns seconds; 0 if it is absent or invalid
 */
export const parseWait = (input: string | undefined, errors: ErrorCollector): number => {
  if (input === undefined) return 0;
  const seconds = waitPattern.test(input) ? Number(input) : Number.POSITIVE_INFINITY;
  if (seconds <= maxWaitSeconds) return seconds;
  errors.add('wait', `must be a whole number of seconds from 0 to ${maxWaitSeconds}`);
  return 0;
};
