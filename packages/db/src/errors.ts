import { Failure, type FailureReason } from '@crm/domain';

/** A bulk call in which some items were refused. The call was rolled back. */
export class ItemsRefused extends Error {
  constructor(
    /** By the index of the item. */
    readonly refusals: ReadonlyMap<number, Failure>,
  ) {
    super('Items of a bulk call were refused');
    this.name = 'ItemsRefused';
  }
}

/** What a function of the database returns instead of a result: a kind of {@link FailureReason} and its properties. */
export interface Refusal {
  readonly kind: string;
  readonly facts: object;
}

/** The reason of a refusal, as an error. */
export const failureOf = ({ kind, facts }: Refusal): Failure => new Failure({ kind, ...facts } as FailureReason);

/**
 * Throws the refusal of a call, if there is one.
 * @throws Failure the reason
 * @throws ItemsRefused from `write_many`
 */
export const throwIfRefused = (refusal: Refusal | null): void => {
  if (refusal === null) return;
  if (refusal.kind !== 'items_refused') throw failureOf(refusal);
  const items = Object.entries(refusal.facts as Readonly<Record<string, Refusal>>);
  throw new ItemsRefused(new Map(items.map(([index, item]) => [Number(index), failureOf(item)])));
};

/** The requested object does not exist. @param message - for the command line and the log */
export const notFound = (message: string): Failure => new Failure({ kind: 'not_found' }, { message });

/** The object already exists, or its state does not allow the change. @param message - for the command line and the log */
export const conflict = (message: string, cause?: unknown): Failure =>
  new Failure({ kind: 'conflict' }, { message, cause });
