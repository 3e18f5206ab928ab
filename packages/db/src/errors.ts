import { Failure, type FailureReason } from '@crm/domain';
import type { ServerError } from './connection/server-error.js';

/** Our own SQLSTATEs: a write function refused its call, or some items of a bulk call. See the functions `refuse` and `write_many`. */
const refused = 'CRM01';
const itemsRefused = 'CRM02';

/** A bulk call in which some items were refused. The call was rolled back. */
export class ItemsRefused extends Error {
  constructor(
    /** By the index of the item. */
    readonly refusals: ReadonlyMap<number, Failure>,
    cause: unknown,
  ) {
    super('Items of a bulk call were refused', { cause });
    this.name = 'ItemsRefused';
  }
}

/** The error that `refuse` raises: a kind of {@link FailureReason} and its properties. */
interface Refusal {
  readonly kind: string;
  readonly facts: object;
}

const failureOf = ({ kind, facts }: Refusal, cause: unknown): Failure =>
  new Failure({ kind, ...facts } as FailureReason, { cause });

/** The error with which a write function refused its call; null for any other server error. */
export const refusalOf = ({ code, message, detail }: ServerError, cause: unknown): Failure | ItemsRefused | null => {
  if (code !== refused && code !== itemsRefused) return null;
  const facts = JSON.parse(detail) as object;
  if (code === refused) return failureOf({ kind: message, facts }, cause);
  const items = Object.entries(facts as Readonly<Record<string, Refusal>>);
  const refusals = items.map(([index, refusal]) => [Number(index), failureOf(refusal, cause)] as const);
  return new ItemsRefused(new Map(refusals), cause);
};

/** The requested object does not exist. @param message - for the command line and the log */
export const notFound = (message: string): Failure => new Failure({ kind: 'not_found' }, { message });

/** The object already exists, or its state does not allow the change. @param message - for the command line and the log */
export const conflict = (message: string, cause?: unknown): Failure =>
  new Failure({ kind: 'conflict' }, { message, cause });
