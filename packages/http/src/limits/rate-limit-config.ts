import type { limitedGroups, OperationContract } from '@crm/contract';
import type { Store } from 'express-rate-limit';

/** A group with a counter of its own. Deletions, changes of the setup and webhooks count as other reads or writes. */
export type RateLimitGroup = (typeof limitedGroups)[number];

/** Requests a minute by {@link RateLimitGroup}; an absent group keeps its default, 0 turns its limit off. */
export type GroupLimits = Readonly<Partial<Record<RateLimitGroup, number>>>;

/** Requests a minute: by key and operation group, and failed authentications by address. */
export type RateLimits = Readonly<Record<RateLimitGroup | 'failedAuth', number>>;

/** The default limits of a gateway, in requests a minute. */
export const defaultRateLimits: RateLimits = { list: 1200, search: 600, inbound: 1500, bulk: 120, failedAuth: 30 };

/** The limit of an organization, as a multiple of the limit of one key. */
export const organizationFactor = 3;

/** The window of every limit. */
export const rateLimitWindowMs = 60_000;

/** Counts requests by key, as the stores of express-rate-limit do. */
export type CounterStore = Pick<Store, 'init' | 'increment'>;

/** How the limits of a gateway are set and where they are counted. */
export interface RateLimitOptions {
  readonly perMinute: RateLimits;
  /**
   * Creates the store of one limiter. `name` (`key-list`, `org-list`, `failed-auth` …) is unique and serves as a
   * prefix, so that processes with a shared store count together. Limiters count in memory if this is absent or the
   * store fails.
   */
  readonly createStore?: ((name: string) => CounterStore) | undefined;
}

/** The group under which an operation is counted. */
export const rateLimitGroupOf = ({ group, gateway }: Pick<OperationContract, 'group' | 'gateway'>): RateLimitGroup => {
  if (group === 'webhooks' && gateway === 'read') return 'list';
  return group === 'delete' || group === 'setup' || group === 'webhooks' ? 'inbound' : group;
};
