import { Failure, type FailureReason } from '@crm/domain';
import type { ServerError } from './connection/server-error.js';

/** SQLSTATEs of our own: a write function refused its call, or items of a bulk call. See `refuse` and `write_many`. */
const refused = 'CRM01';
const itemsRefused = 'CRM02';

/** A bulk call in which some items were refused, by index; nothing of it was written. */
export class ItemsRefused extends Error {
  constructor(
    readonly refusals: ReadonlyMap<number, Failure>,
    cause: unknown,
  ) {
    super('Items of a bulk call were refused', { cause });
    this.name = 'ItemsRefused';
  }
}

/** What `refuse` raises: a kind of {@link FailureReason} and its facts. */
interface Refusal {
  readonly kind: string;
  readonly facts: object;
}

const failureOf = ({ kind, facts }: Refusal, cause: unknown): Failure =>
  new Failure({ kind, ...facts } as FailureReason, { cause });

/** The error that a write function refused its call with; null for any other error of the server. */
export const refusalOf = ({ code, message, detail }: ServerError, cause: unknown): Failure | ItemsRefused | null => {
  if (code !== refused && code !== itemsRefused) return null;
  const facts = JSON.parse(detail) as object;
  if (code === refused) return failureOf({ kind: message, facts }, cause);
  const items = Object.entries(facts as Readonly<Record<string, Refusal>>);
  const refusals = items.map(([index, refusal]) => [Number(index), failureOf(refusal, cause)] as const);
  return new ItemsRefused(new Map(refusals), cause);
};

/** What is asked for does not exist. @param message - for the command line and the log */
export const notFound = (message: string): Failure => new Failure({ kind: 'not_found' }, { message });

/** What is to be created exists, or cannot change in its present state. @param message - for the command line and the log */
export const conflict = (message: string, cause?: unknown): Failure =>
  new Failure({ kind: 'conflict' }, { message, cause });
