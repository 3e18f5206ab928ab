import { OrganizationShares, type ShareBounds } from './organization-shares.js';

/** Bounds of {@link TimeShares}. */
export interface TimeShareBounds extends ShareBounds {
  /** How much one organization may hold for any time while others call. */
  readonly lasting: number;
}

/** How long an organization may hold one more than its lasting share, in milliseconds. For two more, half of that. */
const creditMs = 1_000;
/** How long an organization counts as active after its last call, in milliseconds. */
const presentMs = 60_000;

interface Use {
  readonly organizationId: string;
  readonly atMs: number;
}

/**
 * Shares of a resource that is held briefly, such as a connection during a statement. An organization may hold more
 * than its lasting share for a short time, or while no other organization calls. If others call, it falls back to the
 * lasting share after that time.
 */
export class TimeShares extends OrganizationShares {
  readonly #lasting: number;
  readonly #now: () => number;
  /**
   * How much longer each organization may exceed its lasting share: `leftMs`, as computed at the time `atMs`. Without
   * an entry, an organization has the full {@link creditMs}.
   */
  readonly #credits = new Map<string, { readonly leftMs: number; readonly atMs: number }>();
  #latest: Use | null = null;
  /** The latest use by an organization other than that of `#latest`. */
  #latestOfAnother: Use | null = null;

  /** @param now - a clock in milliseconds, from any origin */
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
