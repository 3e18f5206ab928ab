import type { CrmClient, Member, Webhook } from '@crm/client';

import type { CustomField, PipelineWithStages } from './lookup.js';
import type { CurrencySetting } from './session.js';

/** One step of a plan. A step without a text belongs to the one before it. */
export interface PlanStep {
  readonly text: string;
  readonly run: (client: CrmClient) => Promise<unknown>;
}

/** The pipelines, fields and members of an organization, and its webhooks if the file has some. */
export interface StoredSetup {
  readonly currency: CurrencySetting | undefined;
  readonly members: readonly Member[];
  readonly pipelines: readonly PipelineWithStages[];
  readonly fields: readonly CustomField[];
  readonly webhooks: readonly Webhook[];
}

/** The values of an entry, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Leaves out values that are undefined. */
export const withoutUndefined = <T extends Values>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;

/** The values of the file that differ from the stored ones. */
const differing = <T extends Values>(wanted: T, stored: object): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(
    Object.entries(withoutUndefined(wanted)).filter(([key, value]) => value !== Reflect.get(stored, key)),
  ) as never;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Describes values, and what they were if they changed: `label: Talks → Sent, color: red`. */
export const describeChanges = (values: Values, before: object): string =>
  Object.entries(values)
    .map(([key, value]) => {
      const was = Object.hasOwn(before, key) ? `${textOf(Reflect.get(before, key) ?? 'none')} → ` : '';
      return `${key}: ${was}${textOf(value ?? 'none')}`;
    })
    .join(', ');

/** The step that changes an entry; none if nothing differs. A changed position is always sent, and shown if it is new. */
export const changeStep = (
  title: string,
  wanted: Values,
  stored: object,
  place: { readonly now: number; readonly position: number | undefined },
  send: (client: CrmClient, body: object) => Promise<unknown>,
): readonly PlanStep[] => {
  const values = differing(wanted, stored);
  const { now, position } = place;
  if (Object.keys(values).length === 0 && position === undefined) return [];
  const moved = position === undefined || position === now ? {} : { position };
  const absent = Object.fromEntries(Object.keys(values).map((key) => [key, null]));
  const changes = describeChanges({ ...values, ...moved }, { ...absent, ...stored, position: now });
  const body = withoutUndefined({ ...values, position });
  return [{ text: changes === '' ? '' : `${title}: ${changes}`, run: (client) => send(client, body) }];
};

/**
 * The position that each entry of a list gets, from 1; undefined if the order stays. Then existing entries are in this
 * order, and new ones come last.
 */
export const positionsOf = (places: readonly number[]): ((index: number) => number | undefined) => {
  const known = places.map((place) => (place < 0 ? Number.POSITIVE_INFINITY : place));
  const isMoved = known.some((place, index) => index > 0 && place < (known[index - 1] ?? 0));
  return (index) => (isMoved ? index + 1 : undefined);
};

/** The `is_active` of an entry that the file archives, brings back, or says nothing about. */
export const activeIf = (archived: boolean | undefined): boolean | undefined =>
  archived === undefined ? undefined : !archived;

/** Finds an entry by its name, or else by its old name: its place, or -1. */
export const indexOf = <T>(all: readonly T[], key: keyof T, name: string, was: string | undefined): number => {
  const index = all.findIndex((one) => one[key] === name);
  return index >= 0 || was === undefined ? index : all.findIndex((one) => one[key] === was);
};
