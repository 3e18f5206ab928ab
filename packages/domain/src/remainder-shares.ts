import { OrganizationShares } from './organization-shares.js';

/**
 * Shares of a resource that is held for a long time, such as a place among the requests that wait for events. One
 * organization may hold half of what the others leave free, so that there is always room for another one: of 100, the
 * first may hold 50, then the second 25.
 */
export class RemainderShares extends OrganizationShares {
  readonly #total: number;

  constructor(total: number) {
    super({ share: total, total });
    this.#total = total;
  }

  protected override shareOf(organizationId: string): number {
    const others = this.total - this.takenBy(organizationId);
    return Math.max(1, Math.floor((this.#total - others) / 2));
  }
}
