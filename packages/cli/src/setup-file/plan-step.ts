import type { SetupChange } from '@crm/db';

/** One step of a plan: what it says, and what it does. */
export interface PlanStep {
  readonly text: string;
  readonly changes: readonly SetupChange[];
}

type Values = Readonly<Record<string, unknown>>;

/** The values that the file gives and that differ from those that are stored. */
export const differing = <T extends Values>(wanted: T, stored: Values): Partial<T> =>
  Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => value !== undefined && value !== stored[key]),
  ) as Partial<T>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** `label: Talks → Sent, color: red`. */
export const describeChange = (values: Values, stored: Values): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}: ${textOf(stored[key] ?? 'none')} → ${textOf(value)}`)
    .join(', ');

/** Whether entries of a list have to get new places: the existing ones are not in the list's order, or a new one is before one. */
export const isOutOfOrder = (positions: readonly (number | undefined)[]): boolean => {
  const places = positions.map((position) => position ?? Number.POSITIVE_INFINITY);
  return places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0));
};
