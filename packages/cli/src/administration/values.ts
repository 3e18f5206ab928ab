import { inboundOperations, limitedGroups, operationGroups, readOperations } from '@crm/contract';
import { normalizeName, parseCurrencyCode, type Result } from '@crm/domain';
import { InvalidArgumentError } from 'commander';

import { usageError } from '../errors.js';
import { uuidPattern } from './session.js';

const valid = <T>(option: string, result: Result<T>): T => {
  if (result.ok) return result.value;
  throw usageError(`${option}: ${result.message}.`);
};

/** Reads a name from the command line. @throws CliError (2) that names the option */
export const readName = (option: string, text: string): string => valid(option, normalizeName(text));
/** See {@link readName}. */
export const readCurrency = (option: string, text: string): string => valid(option, parseCurrencyCode(text));

/** Reads the id of a key. Any other text may be a part of a key, so it is not printed. */
export const keyId = (text: string): string => {
  if (uuidPattern.test(text)) return text.toLowerCase();
  throw usageError('This is not the id of a key, or it is the key itself. See: crm key list');
};

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

/** Reads `--expires` where absence does not mean `never`. */
export const expiryOrNever = (text: string): Date | 'never' => (text === 'never' ? text : expiry(text));

/** Reads `--since`. */
export const pastInstant = (text: string, nowMs = Date.now()): Date => instant(text, nowMs, -1);

/** Reads `--overlap`: a duration, or 0. @returns milliseconds */
export const overlap = (text: string): number => {
  const ms = text === '0' ? 0 : durationMs(text);
  if (ms !== null) return ms;
  throw new InvalidArgumentError('Must be a duration (24h, 7d, 30m), or 0.');
};

/** The groups of a key without `--allow`: all except `delete`, `setup` and `webhooks`. */
export const defaultOperations: readonly string[] = ['list', 'search', 'inbound', 'bulk'];

const limitGroups: readonly string[] = limitedGroups;
const allowed = new Set<string>([...operationGroups, ...[...readOperations, ...inboundOperations].map(({ id }) => id)]);

/** Reads `--allow list,search,createNote`. */
export const allowedOperations = (text: string, before: readonly string[] = []): readonly string[] => {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !allowed.has(name));
  if (unknown === undefined) return [...new Set([...before, ...names])];
  throw new InvalidArgumentError(`"${unknown}" is neither a group (${operationGroups.join(', ')}) nor an operation.`);
};

const readLimits = (text: string, word?: string): Readonly<Record<string, number | null>> => {
  const entries = text.split(',').map((entry): [string, number | null] => {
    const [group = '', amount = ''] = entry.trim().split('=');
    const isWord = word !== undefined && amount === word;
    if (limitGroups.includes(group) && (isWord || /^\d{1,9}$/.test(amount)))
      return [group, isWord ? null : Number(amount)];
    throw new InvalidArgumentError(`"${entry}" is not GROUP=REQUESTS_A_MINUTE; groups are ${limitGroups.join(', ')}.`);
  });
  return Object.fromEntries(entries);
};

/** Reads `--limit list=5,search=5`: requests a minute. */
export const requestLimits = (
  text: string,
  before: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> => ({ ...before, ...(readLimits(text) as Record<string, number>) });

/**
 * Reads `list=5,search=default`: requests a minute of an organization. `default` gives null, which removes the
 * organization's own limit for the group.
 */
export const organizationLimits = (text: string): Readonly<Record<string, number | null>> =>
  readLimits(text, 'default');

/** Shows the limits of a key or an organization. */
export const limitsText = (limits: Readonly<Record<string, number>>): string => {
  const shown = Object.entries(limits).map(([group, amount]) => `${group}=${amount}`);
  return `Its own limits, in requests a minute: ${shown.join(', ') || 'none'}`;
};
