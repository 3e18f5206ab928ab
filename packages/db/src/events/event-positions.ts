import type { Database } from '../database.js';

/** How often the positions are read while a caller waits. */
const intervalMs = 250;

interface Waiting {
  readonly position: number;
  /** Not before this instant, by `performance.now()`. */
  readonly fromMs: number;
  readonly onReached: () => void;
}

interface PositionRow {
  readonly organizationId: string;
  readonly position: string;
}

/**
 * Wakes readers of the change log when there are new events. While callers wait, one statement asks for the positions of all their
 * organizations, four times a second. `LISTEN` would need a connection of its own, does not work through poolers and on replicas,
 * and `NOTIFY` makes all commits wait for one lock.
 */
export class EventPositions {
  readonly #read: (work: (database: Database) => Promise<PositionRow[]>) => Promise<PositionRow[]>;
  readonly #waiting = new Map<string, Set<Waiting>>();
  #timer: NodeJS.Timeout | undefined;

  /** @param read - runs work on the server that reads go to */
  constructor(read: (work: (database: Database) => Promise<PositionRow[]>) => Promise<PositionRow[]>) {
    this.#read = read;
  }

  /**
   * Calls `onReached` once when the organization's log has gone past a position; never at once.
   * @param pauseMs - how long to wait at least
   * @returns what to call to end the subscription
   */
  whenPast(organizationId: string, position: number, pauseMs: number, onReached: () => void): () => void {
    const waiting = { position, fromMs: performance.now() + pauseMs, onReached };
    const others = this.#waiting.get(organizationId);
    if (others === undefined) this.#waiting.set(organizationId, new Set([waiting]));
    else others.add(waiting);
    this.#askLater();
    return () => this.#remove(organizationId, waiting);
  }

  #remove(organizationId: string, waiting: Waiting): void {
    const others = this.#waiting.get(organizationId);
    others?.delete(waiting);
    if (others?.size === 0) this.#waiting.delete(organizationId);
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #askLater(): void {
    this.#timer ??= setTimeout(() => void this.#ask(), intervalMs);
  }

  async #ask(): Promise<void> {
    const timer = this.#timer;
    const organizationIds = [...this.#waiting.keys()];
    const text = `SELECT organization_id AS "organizationId", position FROM event_heads WHERE organization_id = ANY ($1::uuid[])`;
    try {
      const rows = await this.#read((database) =>
        database.queryServer<PositionRow>({ text, values: [organizationIds] }),
      );
      for (const { organizationId, position } of rows) this.#report(organizationId, Number(position));
    } catch {
      // Requests that wait keep waiting: the next one may succeed, and an outage is reported by those that read.
    }
    // If all callers left meanwhile and others came, these have a timer of their own.
    if (this.#timer !== timer) return;
    this.#timer = undefined;
    if (this.#waiting.size > 0) this.#askLater();
  }

  #report(organizationId: string, position: number): void {
    const nowMs = performance.now();
    for (const waiting of [...(this.#waiting.get(organizationId) ?? [])]) {
      if (position <= waiting.position || nowMs < waiting.fromMs) continue;
      this.#remove(organizationId, waiting);
      waiting.onReached();
    }
  }
}
