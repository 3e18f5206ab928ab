import type { OperationGroup } from '@crm/contract';
import type { Store } from 'express-rate-limit';

/** What is counted apart; deletions and changes of the set-up are counted with the other writes. */
export type RateLimitGroup = Exclude<OperationGroup, 'delete' | 'setup'>;

/** Requests a minute by {@link RateLimitGroup}; a group left out keeps its default, 0 turns its limit off. */
export type GroupLimits = Readonly<Partial<Record<RateLimitGroup, number>>>;

/** Requests a minute: by key and operation group, and failed authentications by address. */
export type RateLimits = Readonly<Record<RateLimitGroup | 'failedAuth', number>>;

/** The limits of a gateway that is told nothing else, in requests a minute. */
export const defaultRateLimits: RateLimits = { list: 1200, search: 600, inbound: 1500, bulk: 120, failedAuth: 30 };

/** An organization may spend this many times what one of its keys may. */
export const organizationFactor = 3;

/** The window of every limit. */
export const rateLimitWindowMs = 60_000;

/** How the limits of a gateway are set and where they are counted. */
export interface RateLimitOptions {
  readonly perMinute: RateLimits;
  /**
   * Makes the store of one limiter. `name` (`key-list`, `org-list`, `failed-auth` …) is unique and meant as a prefix, so
   * that processes which share a store count together. In memory when absent or while the store fails.
   */
  readonly createStore?: ((name: string) => Store) | undefined;
}

/** The group under which an operation is counted. */
export const rateLimitGroupOf = (group: OperationGroup): RateLimitGroup =>
  group === 'delete' || group === 'setup' ? 'inbound' : group;
