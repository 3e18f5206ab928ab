import { maxPageBytes, OrganizationShares, shareOf, TimeShares } from '@crm/domain';
import { WaitingRequests } from './waiting.js';

/** What a process takes on at once. */
export interface ShareOptions {
  /** Requests in work. */
  readonly maxInFlight: number;
  /** Bytes of answers that callers have not taken yet, and of pages that are being read. */
  readonly maxBytesInFlight: number;
  /** Bytes that a page may have, for which there has to be room before it is read. */
  readonly maxPageBytes: number;
  /** Bulk calls of one organization. */
  readonly maxBulkPerOrganization: number;
  /** Requests that wait for events. */
  readonly maxWaiting: number;
}

/** The same as far as it was set. */
export type ShareLimits = { readonly [Name in keyof ShareOptions]?: number | undefined };

/** What holds where nothing was set: 16 of the longest pages. */
export const defaultShares: ShareOptions = {
  maxInFlight: 256,
  maxBytesInFlight: 16 * maxPageBytes,
  maxPageBytes,
  maxBulkPerOrganization: 4,
  maxWaiting: 1_000,
};

/** What organizations share in one process: none may have so much of it that nothing is left for the others. */
export interface GatewayShares {
  /** Requests whose key is being looked up, by that key: their organization is not known yet. */
  readonly arrivals: OrganizationShares;
  /** Requests in work, from the check of the rate limits to the end of the answer. */
  readonly places: OrganizationShares;
  /** Bytes of answers that callers have not taken yet, and of pages that are being read. */
  readonly answerBytes: OrganizationShares;
  /** Bulk calls in work. Each takes a connection for long, and much of the event loop: beside others only half of them for long. */
  readonly bulkCalls: OrganizationShares;
  /** Requests that wait until there is something to answer. They are not in work meanwhile. */
  readonly waiting: WaitingRequests;
}

const shared = (total: number): OrganizationShares => new OrganizationShares({ share: shareOf(total), total });

/** The shares of one process. */
export const createShares = (options: ShareOptions): GatewayShares => ({
  arrivals: shared(options.maxInFlight),
  places: shared(options.maxInFlight),
  answerBytes: shared(options.maxBytesInFlight),
  bulkCalls: new TimeShares({
    share: options.maxBulkPerOrganization,
    lasting: Math.ceil(options.maxBulkPerOrganization / 2),
  }),
  waiting: new WaitingRequests(options.maxWaiting),
});
