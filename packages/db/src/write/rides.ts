import { type Change, isFailure } from '@crm/domain';
import type { Database } from '../database.js';
import { isRefusedValue } from '../database-errors.js';
import { failureOf, type Refusal } from '../errors.js';
import {
  type IdempotencyRecord,
  itemText,
  runWrite,
  runWriteText,
  type Write,
  type WriteOrigin,
  type Written,
} from './write.js';

type Create<Result> = readonly [write: Write<Result>, idempotency: IdempotencyRecord | null, origin: WriteOrigin];

/** Runs a create; see {@link createRides}. */
export type RunCreate = <Result>(organizationId: string, ...create: Create<Result>) => Promise<Written<Result>>;

/** A create, and who waits for it. */
interface Rider {
  readonly create: Create<unknown>;
  /** The item of the call as JSON; empty if it has a call of its own. */
  readonly item: string;
  readonly resolve: (written: Written<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/** What the database returns for a rider. */
interface Outcome {
  readonly result: unknown;
  readonly replayed: boolean;
  readonly refusal?: Refusal | null;
}

/** A create waits at most this long for a call in progress, which may wait for a lock. */
const longestWaitMs = 50;

/** The most characters of the items of a call, so that no call nears the limit of time of a statement. */
const maxCallLength = 262_144;

/** Whether a create needs the lock of its organization alone: it sends an external id, the id of a note, or a deal with other records. */
const needsOwnCall = ({ input }: Write<unknown>): boolean => {
  type Input = Partial<Record<'id' | 'primary_contact' | 'note', unknown>> & { change?: Partial<Change> };
  const { id, change, primary_contact: contact, note } = input as Input;
  return [id ?? undefined, change?.set?.['external_id'], contact, note].some((part) => part !== undefined);
};

/** Whether nothing was stored because of one rider: a field that is gone, or a value that the server refuses. */
const isFaultOfOne = (error: unknown): boolean => isRefusedValue(error) || isFailure(error, 'setup_changed');

/** The creates of one function in one organization. */
class Line {
  #running = 0;
  #waiting: Rider[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param onIdle - called when nothing runs or waits any more */
  constructor(
    readonly call: (riders: readonly Rider[]) => Promise<void>,
    readonly maxPerCall: number,
    readonly onIdle: () => void,
  ) {}

  /** Whether no call runs, so that the next create starts at once. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  add(rider: Rider): void {
    this.#waiting.push(rider);
    if (this.isIdle) this.#depart();
    else this.#departLater();
  }

  /** Takes the riders of the next call. */
  #next(): readonly Rider[] {
    let length = 0;
    const end = this.#waiting.findIndex(({ item }, index) => (length += item.length) > maxCallLength && index > 0);
    return this.#waiting.splice(0, Math.min(this.maxPerCall, end === -1 ? this.maxPerCall : end));
  }

  #depart(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running += 1;
    void this.call(this.#next()).finally(() => {
      this.#running -= 1;
      if (this.#waiting.length > 0) this.#depart();
      else if (this.isIdle) this.onIdle();
    });
    if (this.#waiting.length > 0) this.#departLater();
  }

  #departLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting.length > 0) this.#depart();
    }, longestWaitMs);
  }
}

const runAlone = (database: Database, organizationId: string, { create, resolve, reject }: Rider): Promise<void> =>
  runWrite(database, organizationId, ...create).then(resolve, reject);

const runTogether = async (database: Database, organizationId: string, riders: readonly Rider[]): Promise<void> => {
  const [first] = riders;
  if (first === undefined) return;
  if (riders.length === 1) return runAlone(database, organizationId, first);
  const input = `{"function":"${first.create[0].function}","items":[${riders.map(({ item }) => item).join()}]}`;
  try {
    const call = { function: 'create_together', input } as const;
    const { result, readMark } = await runWriteText<readonly Outcome[]>(database, organizationId, call, null, null);
    for (const [index, { resolve, reject }] of riders.entries()) {
      const { result: own, replayed, refusal = null } = result[index] as Outcome;
      if (refusal === null) resolve({ result: own, replayed, readMark });
      else reject(failureOf(refusal));
    }
  } catch (error) {
    if (isFaultOfOne(error)) await Promise.all(riders.map((rider) => runAlone(database, organizationId, rider)));
    else for (const { reject } of riders) reject(error);
  }
};

/**
 * Lets the creates of an organization that arrive at the same time share a call of the database: those that arrive while a call runs go
 * together in the next one. If no call runs, a create starts at once. Each has its own answer, error, events and `Idempotency-Key`.
 * @param maxPerCall - the most creates in a call; with 1, each has a call of its own
 */
export const createRides = (database: Database, maxPerCall: number): RunCreate => {
  const lines = new Map<string, Line>();
  /** The keys of riders that wait or run. A second request with such a key is refused by the database, in a call of its own. */
  const keys = new Set<string>();
  return <Result>(
    organizationId: string,
    ...[write, idempotency, origin]: Create<Result>
  ): Promise<Written<Result>> => {
    const key = idempotency === null ? '' : `${organizationId} ${idempotency.operation} ${idempotency.keyHash}`;
    if (maxPerCall === 1 || needsOwnCall(write) || keys.has(key))
      return runWrite(database, organizationId, write, idempotency, origin);
    if (key !== '') keys.add(key);
    const name = `${organizationId} ${write.function}`;
    const call = (riders: readonly Rider[]) => runTogether(database, organizationId, riders);
    const line = lines.get(name) ?? new Line(call, maxPerCall, () => lines.delete(name));
    lines.set(name, line);
    const item = line.isIdle ? '' : itemText(write, idempotency, origin);
    const written = new Promise<Written<unknown>>((resolve, reject) => {
      line.add({ create: [write, idempotency, origin], item, resolve, reject });
    });
    return written.finally(() => keys.delete(key)) as Promise<Written<Result>>;
  };
};
