import type { CrmClient, Member, Webhook } from '@crm/client';
import type { WebhookSettings } from '@crm/webhooks';

import type { CustomField, PipelineWithStages } from '../lookup.js';
import type { CurrencySetting } from '../session.js';

/** What the API answers to a change. */
export interface Answer {
  /** A read with this value sees the change. */
  readonly readAfter: string | null;
}

/** One change of a plan: one call of the API. */
export interface PlanStep {
  readonly text: string;
  /** It runs after all others, because it takes something out of use. */
  readonly isLast?: boolean;
  readonly run: (client: CrmClient) => Promise<Answer | undefined>;
}

/** The pipelines, fields and members of an organization, and its webhooks if the file has some. */
export interface StoredSetup {
  readonly currency: (Pick<CurrencySetting, 'set'> & { readonly current: string | null }) | undefined;
  readonly members: readonly Member[];
  readonly pipelines: readonly PipelineWithStages[];
  readonly fields: readonly CustomField[];
  readonly webhooks: readonly Webhook[];
  /**
   * Ids of what has records, as far as the file makes it matter: fields with values whose currency it changes, and archived
   * stages whose opportunities are not all moved.
   */
  readonly inUse: ReadonlySet<string>;
  /** Undefined if only the gateway has them. */
  readonly webhookSettings?: WebhookSettings | undefined;
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

/** The step that changes an entry; none if nothing differs. @param title - such as `the stage Won of Sales` */
export const changeStep = (
  title: string,
  wanted: Values,
  stored: object,
  send: (client: CrmClient, body: Values) => Promise<Answer>,
): readonly PlanStep[] => {
  const values = differing(wanted, stored);
  if (Object.keys(values).length === 0) return [];
  const absent = Object.fromEntries(Object.keys(values).map((key) => [key, null]));
  const text = `change ${title}: ${describeChanges(values, { ...absent, ...stored })}`;
  return [{ text, run: (client) => send(client, values) }];
};

/** `archived: false` of a file restores an archived entry. */
export const restoredIf = (archived: boolean | undefined): true | undefined => (archived === false ? true : undefined);
