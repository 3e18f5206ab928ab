import { maxPageBytes } from '@crm/domain';
import { SharedLimit } from './shared-limit.js';
import { WaitingRequests } from './waiting.js';

/** The maximum of each kind of work that a process does at the same time. */
export interface ShareOptions {
  /** Running requests. */
  readonly maxInFlight: number;
  /** Bytes of responses that callers have not read yet, and of pages that are being read from the database. */
  readonly maxBytesInFlight: number;
  /** The maximum size of a page in bytes. A page is only read once there is room for it. */
  readonly maxPageBytes: number;
  /** Bulk calls of one organization. */
  readonly maxBulkPerOrganization: number;
  /** Requests that wait for events. */
  readonly maxWaiting: number;
}

/** The limits that were configured. */
export type ShareLimits = Partial<ShareOptions>;

/** The defaults. The bytes in flight have room for 32 of the longest pages. */
export const defaultShares: ShareOptions = {
  maxInFlight: 256,
  maxBytesInFlight: 32 * maxPageBytes,
  maxPageBytes,
  maxBulkPerOrganization: 4,
  maxWaiting: 1_000,
};

/** The resources that organizations share in one process. No single organization can use all of a resource. */
export interface GatewayShares {
  /** Requests whose key is being looked up, counted by key, because their organization is not known yet. */
  readonly arrivals: SharedLimit;
  /** Running requests, from the check of the rate limits to the end of the response. */
  readonly inFlight: SharedLimit;
  /** Bytes of responses that callers have not read yet, and of pages that are being read from the database. */
  readonly answerBytes: SharedLimit;
  /**
   * Running bulk calls. Each holds a connection for a long time and uses much of the event loop. While other
   * organizations send bulk calls, one may run half of its `maxBulkPerOrganization`.
   */
  readonly bulkCalls: SharedLimit;
  /** Requests that wait for events. They do not count as running. */
  readonly waiting: WaitingRequests;
}

/** The shares of one process. */
export const createShares = (options: ShareOptions): GatewayShares => ({
  arrivals: new SharedLimit({ total: options.maxInFlight }),
  inFlight: new SharedLimit({ total: options.maxInFlight }),
  answerBytes: new SharedLimit({ total: options.maxBytesInFlight }),
  bulkCalls: new SharedLimit({
    share: options.maxBulkPerOrganization,
    shareBesideOthers: Math.ceil(options.maxBulkPerOrganization / 2),
  }),
  waiting: new WaitingRequests(options.maxWaiting),
});
