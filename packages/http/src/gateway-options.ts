import type { Gateway, OperationContract, OperationValidators } from '@crm/contract';
import type { Logger } from 'pino';
import type { AuthenticationOptions } from './keys/api-key-record.js';
import type { GatewayActivity } from './observability/metrics/activity.js';
import type { Operation, OperationRequest } from './operation.js';
import type { RateLimitOptions } from './limits/rate-limit-config.js';
import type { SharedCounters } from './limits/redis-counters.js';
import type { ShareLimits } from './limits/shares.js';

/** The proxies whose `X-Forwarded-For` is trusted: a number of hops, a list of addresses and CIDRs, or none. */
export type TrustProxy = number | readonly string[] | false;

/** Chooses the context of one request and runs its operation with it. */
export type WithContext<Context> = <Reply>(
  request: OperationRequest<OperationContract>,
  run: (context: Context) => Promise<Reply>,
) => Promise<Reply>;

/** Optional parts of an app that a process adds. */
export interface AppParts {
  /** The gateway's counters, read by its metrics. */
  readonly activity?: GatewayActivity | undefined;
  /** Where rate limits are counted; by default in this process. */
  readonly counters?: SharedCounters | undefined;
  /** The checks before serving; `problem` is null once they have passed. If absent, they count as passed. */
  readonly startUp?: { readonly problem: string | null } | undefined;
}

/** Everything that a gateway's app needs. */
export interface GatewayAppOptions<Context> extends ShareLimits, Pick<AppParts, 'activity' | 'startUp'> {
  readonly gateway: Gateway;
  /**
   * Runs an operation with the right context for its request, such as that of the replica. If the first context cannot
   * answer, runs it again with another one.
   */
  readonly withContext: WithContext<Context>;
  readonly operations: readonly Operation<Context>[];
  /** Compiles the validators of one operation; called once per operation when the app is built. */
  readonly validators: (contract: OperationContract) => OperationValidators;
  readonly authentication: AuthenticationOptions;
  readonly limits: RateLimitOptions;
  /** Rejects if the gateway cannot serve now, for example while its database is away. */
  readonly readiness: () => Promise<void>;
  /**
   * Whether an error means that the database is unavailable, which is then logged once per outage. By default, no error
   * does.
   */
  readonly isOutage?: ((error: unknown) => boolean) | undefined;
  readonly logger: Logger;
  /** Served at `/openapi.json` and shown at `/docs`. Without it both are 404. */
  readonly openApiDocument?: object | undefined;
  /** The other gateway's address for browsers; `/docs` links to its page. No link if absent. */
  readonly otherGatewayUrl?: string | undefined;
  /** By default none is trusted. */
  readonly trustProxy?: TrustProxy | undefined;
  /** Requests are shed while the event loop is delayed by more than this. */
  readonly maxEventLoopDelayMs: number;
  /** Whether requests become spans; `startTracing` configures where they are sent. By default false. */
  readonly isTraced?: boolean | undefined;
}
