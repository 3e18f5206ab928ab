import { invalid } from './tool-error.js';

const dayMs = 86_400_000;

/** An instant as a text: `2026-12-31` for midnight in UTC, otherwise RFC 3339. */
export const instantText = (ms: number): string => {
  const text = new Date(ms).toISOString();
  return ms % dayMs === 0 ? text.slice(0, 10) : text;
};

const pattern = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/i;

/** Reads a date, or an RFC 3339 instant, as Unix milliseconds. @param path - the argument @throws ToolError */
export const readInstant = (text: string, path: string): number => {
  const [, day = ''] = pattern.exec(text.trim()) ?? [];
  const ms = Date.parse(text.trim());
  // JavaScript reads 2026-02-30 as a day in March.
  const isDay = day !== '' && new Date(`${day}T00:00:00Z`).toString() !== 'Invalid Date';
  if (isDay && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) && !Number.isNaN(ms)) return ms;
  throw invalid({ [path]: 'must be a date such as 2026-12-31, or an instant such as 2026-12-31T17:00:00Z' });
};
