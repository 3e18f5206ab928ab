import { OrganizationShares, type ShareBounds } from './organization-shares.js';

/** Bounds of {@link TimeShares}. */
export interface TimeShareBounds extends ShareBounds {
  /** What one organization may have all the time while others call. */
  readonly lasting: number;
}

/** For how long an organization may have one more than the lasting share, in milliseconds; two more for half as long. */
const creditMs = 1_000;
/** For how long after its last call an organization counts as one that calls, in milliseconds. */
const presentMs = 60_000;

interface Use {
  readonly organizationId: string;
  readonly atMs: number;
}

/**
 * Shares of something that is returned after some time, as a connection is when its statement has run. An organization may have its
 * share for a moment, or while no other organization calls. If others call, it has only the lasting share once it has had more for long.
 */
export class TimeShares extends OrganizationShares {
  readonly #lasting: number;
  readonly #now: () => number;
  /** How much longer an organization may have more than the lasting share, as of an instant; all of it when absent. */
  readonly #credits = new Map<string, { readonly leftMs: number; readonly atMs: number }>();
  #latest: Use | null = null;
  /** The latest use of another organization than that of the latest. */
  #latestOfAnother: Use | null = null;

  /** @param now - in milliseconds, from any instant */
  constructor({ lasting, ...bounds }: TimeShareBounds, now: () => number = () => performance.now()) {
    super(bounds);
    this.#lasting = lasting;
    this.#now = now;
  }

  protected override shareOf(organizationId: string): number {
    const share = super.shareOf(organizationId);
    return this.#isAlone(organizationId) || this.#creditOf(organizationId) > 0 ? share : this.#lasting;
  }

  protected override change(organizationId: string, amount: number): void {
    const leftMs = this.#creditOf(organizationId);
    const atMs = this.#now();
    super.change(organizationId, amount);
    if (leftMs === creditMs && this.takenBy(organizationId) <= this.#lasting) this.#credits.delete(organizationId);
    else this.#credits.set(organizationId, { leftMs, atMs });
    if (amount < 0) return;
    if (this.#latest?.organizationId !== organizationId) this.#latestOfAnother = this.#latest;
    this.#latest = { organizationId, atMs };
  }

  #creditOf(organizationId: string): number {
    const credit = this.#credits.get(organizationId);
    if (credit === undefined) return creditMs;
    const gained = (this.#lasting - this.takenBy(organizationId)) * (this.#now() - credit.atMs);
    return Math.min(creditMs, credit.leftMs + gained);
  }

  #isAlone(organizationId: string): boolean {
    const other = this.#latest?.organizationId === organizationId ? this.#latestOfAnother : this.#latest;
    return other === null || this.#now() - other.atMs >= presentMs;
  }
}
