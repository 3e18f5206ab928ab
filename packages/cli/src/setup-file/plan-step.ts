import type { SetupChange } from '@crm/db';

/** One step of a plan: its text and its changes. */
export interface PlanStep {
  readonly text: string;
  readonly changes: readonly SetupChange[];
}

type Values = Readonly<Record<string, unknown>>;

/** The values in the file that differ from the stored ones. */
export const differing = <T extends Values>(wanted: T, stored: Values): Partial<T> =>
  Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => value !== undefined && value !== stored[key]),
  ) as Partial<T>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Describes changed values: `label: Talks → Sent, color: gray → red`. */
export const describeChange = (values: Values, stored: Values): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}: ${textOf(stored[key] ?? 'none')} → ${textOf(value)}`)
    .join(', ');

/**
 * Whether a list needs new positions: existing entries are in another order, or a new entry precedes an existing one.
 */
export const isOutOfOrder = (positions: readonly (number | undefined)[]): boolean => {
  const places = positions.map((position) => position ?? Number.POSITIVE_INFINITY);
  return places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0));
};
