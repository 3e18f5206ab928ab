import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database.js';

/** How often the positions are read while a caller waits. */
const intervalMs = 250;

interface Waiting {
  readonly position: number;
  /** Do not call `onReached` before this time, by `performance.now()`. */
  readonly fromMs: number;
  readonly onReached: () => void;
}

interface PositionRow {
  readonly organizationId: string;
  readonly position: string;
}

/**
 * Wakes readers of the change log when there are new events. While callers wait, one statement reads the positions of all their
 * organizations four times a second. `LISTEN` is not used because it needs a dedicated connection and does not work through poolers or on
 * replicas. `NOTIFY` makes all commits wait for one lock.
 */
export class EventPositions {
  readonly #read: (work: (database: Database) => Promise<PositionRow[]>) => Promise<PositionRow[]>;
  readonly #waiting = new Map<string, Set<Waiting>>();
  #isReading = false;

  /** @param read - runs work on the server that serves reads */
  constructor(read: (work: (database: Database) => Promise<PositionRow[]>) => Promise<PositionRow[]>) {
    this.#read = read;
  }

  /**
   * Calls `onReached` once when the organization's log has passed a position. It never calls it synchronously.
   * @param pauseMs - the minimum time to wait
   * @returns a function that cancels the subscription
   */
  whenPast(organizationId: string, position: number, pauseMs: number, onReached: () => void): () => void {
    const waiting = { position, fromMs: performance.now() + pauseMs, onReached };
    const others = this.#waiting.get(organizationId);
    if (others === undefined) this.#waiting.set(organizationId, new Set([waiting]));
    else others.add(waiting);
    if (!this.#isReading) void this.#readWhileWaiting();
    return () => this.#remove(organizationId, waiting);
  }

  #remove(organizationId: string, waiting: Waiting): void {
    const others = this.#waiting.get(organizationId);
    others?.delete(waiting);
    if (others?.size === 0) this.#waiting.delete(organizationId);
  }

  async #readWhileWaiting(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.size > 0) {
      await sleep(intervalMs, undefined, { ref: false });
      await this.#readPositions();
    }
    this.#isReading = false;
  }

  async #readPositions(): Promise<void> {
    const organizationIds = [...this.#waiting.keys()];
    if (organizationIds.length === 0) return;
    const text = `SELECT organization_id AS "organizationId", position FROM event_heads WHERE organization_id = ANY ($1::uuid[])`;
    try {
      const rows = await this.#read((database) =>
        database.queryServer<PositionRow>({ text, values: [organizationIds] }),
      );
      for (const { organizationId, position } of rows) this.#report(organizationId, Number(position));
    } catch {
      // Callers keep waiting, because the next attempt may succeed. Requests that read events report an outage.
    }
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
