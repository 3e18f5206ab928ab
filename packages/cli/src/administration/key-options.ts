import { InvalidArgumentError } from 'commander';

/** Groups of operations that keys allow. */
export const operationGroups = ['list', 'search', 'inbound', 'bulk', 'delete'] as const;

/** What a key allows when nothing is said: all but deleting, which cannot be undone. */
export const defaultOperations: readonly string[] = ['list', 'search', 'inbound', 'bulk'];

/** Groups that have a rate limit of their own; deletions count as inbound. */
const limitGroups = ['list', 'search', 'inbound', 'bulk'];
const operationPattern =
  /^(list|search|get|create|update|delete|bulkCreate|bulkUpdate)(Opportunit(y|ies)|Accounts?|Contacts?|Notes?|Pipelines?|PipelineStages|(Opportunity|Account|Contact)?Fields)$/;

/** Reads `--allow list,search,createNote`. */
export const allowedOperations = (text: string, before: readonly string[] = []): readonly string[] => {
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    if (operationGroups.some((group) => group === name) || operationPattern.test(name)) continue;
    throw new InvalidArgumentError(`"${name}" is neither a group (${operationGroups.join(', ')}) nor an operation.`);
  }
  return [...new Set([...before, ...names])];
};

/** Reads `--limit list=5,search=5`: requests a minute. */
export const requestLimits = (
  text: string,
  before: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> => {
  const limits: Record<string, number> = { ...before };
  for (const entry of text.split(',')) {
    const [group = '', amount = ''] = entry.trim().split('=');
    if (!limitGroups.includes(group) || !/^\d{1,9}$/.test(amount)) {
      throw new InvalidArgumentError(
        `"${entry}" is not GROUP=REQUESTS_A_MINUTE; groups are ${limitGroups.join(', ')}.`,
      );
    }
    limits[group] = Number(amount);
  }
  return limits;
};

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `--expires`: `90d`, `12h`, `30m`, a day (its start in UTC) or an RFC 3339 time; it must be in the future. */
export const expiry = (text: string, nowMs = Date.now()): Date => {
  const [, amount, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const date = new Date(
    amount === undefined || unit === undefined
      ? isTime
        ? Date.parse(text)
        : Number.NaN
      : nowMs + Number(amount) * (unitMs[unit] ?? Number.NaN),
  );
  if (Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError('Must be a duration (90d, 12h, 30m), a day (2030-01-31) or an RFC 3339 time.');
  }
  if (date.getTime() <= nowMs) throw new InvalidArgumentError(`${date.toISOString()} is in the past.`);
  return date;
};
