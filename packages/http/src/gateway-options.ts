import type { Gateway, OperationContract } from '@crm/contract';
import type { Logger } from 'pino';
import type { AuthenticationOptions } from './api-key-record.js';
import type { GatewayActivity } from './metrics/activity.js';
import type { OperationValidators } from './operation-validators.js';
import type { Operation, OperationRequest } from './operation.js';
import type { RateLimitOptions } from './rate-limit-config.js';
import type { ShareLimits } from './shares.js';

/** Whose `X-Forwarded-For` is believed: a number of hops, a list of addresses and CIDRs, or nobody's. */
export type TrustProxy = number | readonly string[] | false;

/** Chooses the context of one request and runs its operation with it. */
export type WithContext<Context> = <Reply>(
  request: OperationRequest<OperationContract>,
  run: (context: Context) => Promise<Reply>,
) => Promise<Reply>;

/** Everything a gateway's app is built from. */
export interface GatewayAppOptions<Context> extends ShareLimits {
  readonly gateway: Gateway;
  /** Runs an operation with the context that its request asks for; more than once where the first did not do. */
  readonly withContext: WithContext<Context>;
  readonly operations: readonly Operation<Context>[];
  /** Compiles the validators of one operation; called once each, when the app is built. */
  readonly validators: (contract: OperationContract) => OperationValidators;
  readonly authentication: AuthenticationOptions;
  readonly limits: RateLimitOptions;
  /** Rejects when the gateway cannot serve now, as while its database is away. */
  readonly readiness: () => Promise<void>;
  /** Whether an error means that the database is away; an outage is then told once. Nothing does when absent. */
  readonly isOutage?: ((error: unknown) => boolean) | undefined;
  readonly logger: Logger;
  /** Served at `/openapi.json` and shown at `/docs`; neither is there without it. */
  readonly openApiDocument?: object | undefined;
  /** Where browsers reach the other gateway; `/docs` links to its page. No link when absent. */
  readonly otherGatewayUrl?: string | undefined;
  /** Nobody's when absent. */
  readonly trustProxy?: TrustProxy | undefined;
  /** Load is shed while the event loop runs later than this, 500 ms when absent. */
  readonly maxEventLoopDelayMs?: number | undefined;
  /** Where the gateway counts what it does, for whoever shows it. */
  readonly activity?: GatewayActivity | undefined;
  /** Whether requests become spans; `startTracing` says where those go. False when absent. */
  readonly isTraced?: boolean | undefined;
}
