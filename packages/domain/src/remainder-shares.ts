import { OrganizationShares } from './organization-shares.js';

/**
 * Shares of something that is held for long, as a place to wait in. One organization may have half of what the others leave, so
 * that each further one finds room: of 100, the first may have 50, the second 25 beside it.
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
