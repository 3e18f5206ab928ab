import { InvalidArgumentError } from 'commander';

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const instantPattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Parses `90d`, `12h` or `30m` into milliseconds. Returns null for any other text. */
const durationMs = (text: string): number | null => {
  const [, amount, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return amount === undefined || unit === undefined ? null : Number(amount) * (unitMs[unit] ?? Number.NaN);
};

/**
 * Parses an instant: a duration after now (`direction` 1) or before now (-1), a day (its start in UTC) or an RFC 3339
 * time.
 */
const instant = (text: string, nowMs: number, direction: 1 | -1): Date => {
  const offsetMs = durationMs(text);
  const timeMs = instantPattern.test(text) ? Date.parse(text) : Number.NaN;
  const date = new Date(offsetMs === null ? timeMs : nowMs + direction * offsetMs);
  if (!Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError('Must be a duration (90d, 12h, 30m), a day (2030-01-31) or an RFC 3339 time.');
};

/** Reads `--expires`; it must be in the future. */
export const expiry = (text: string, nowMs = Date.now()): Date => {
  const date = instant(text, nowMs, 1);
  if (date.getTime() <= nowMs) throw new InvalidArgumentError(`${date.toISOString()} is in the past.`);
  return date;
};

/** Reads `--since`. */
export const pastInstant = (text: string, nowMs = Date.now()): Date => instant(text, nowMs, -1);

/** Reads `--overlap`: a duration, or 0. @returns milliseconds */
export const overlap = (text: string): number => {
  const ms = text === '0' ? 0 : durationMs(text);
  if (ms !== null) return ms;
  throw new InvalidArgumentError('Must be a duration (24h, 7d, 30m), or 0.');
};
