import type { OperationContract } from '@crm/contract';
import { ApiError, isBlank, validationError } from '@crm/domain';
import type { Request, RequestHandler, Response } from 'express';
import { callerOf, type Exchange, exchangeOf, assertPresent } from './exchange.js';
import type { GatewayActivity } from './observability/metrics/activity.js';
import type { OperationReply, OperationRequest } from './operation.js';
import { holdAnswerBytes, reservePage, enterAgain, waitingRoomError } from './limits/overload.js';
import { sentTwice } from './request/head.js';
import { sendSuccess } from './response/reply.js';
import type { Route } from './server/route-table.js';
import type { GatewayShares } from './limits/shares.js';

/** The shared resources and bounds that operations run with. */
interface RunOptions {
  readonly shares: GatewayShares;
  readonly activity: GatewayActivity;
  /** Bytes of the longest page. A page is only read once there is room for it. */
  readonly pageBytes: number;
}

type Reply = OperationReply<OperationContract>;

/** Headers whose blank value is an error: without them, a write would have no guarantee that its caller asked for. */
const guarantees: ReadonlySet<string> = new Set(['if-match', 'idempotency-key']);

/** Any other header that is blank counts as not sent. */
const readHeader = (request: Request, name: string): string | undefined => {
  const values = request.headersDistinct[name];
  if (values !== undefined && values.length > 1) throw validationError({ [name]: sentTwice });
  const value = values?.[0];
  return value === undefined || (isBlank(value) && !guarantees.has(name)) ? undefined : value;
};

const operationRequestOf = (request: Request, exchange: Exchange): OperationRequest<OperationContract> => {
  const { organizationId, id: apiKeyId, allowedOperations } = callerOf(request);
  return {
    caller: { organizationId, apiKeyId, allowedOperations },
    requestId: exchange.requestId,
    ...assertPresent(exchange.input, 'input'),
    header: (name) => readHeader(request, name),
    isGone: () => exchange.isClosed,
  };
};

/** The room that an operation reserves before it runs: that of the longest page for lists, searches and summaries. */
const reservedBytes = ({ group }: OperationContract, pageBytes: number): number =>
  group === 'list' || group === 'search' ? pageBytes : 0;

/** One request, from its input to its response. */
class OperationRun {
  readonly #exchange: Exchange;
  readonly #organizationId: string;
  readonly #input: OperationRequest<OperationContract>;
  /** When the requested wait ends. */
  #waitsUntilMs: number | undefined;

  constructor(
    readonly request: Request,
    readonly response: Response,
    readonly route: Route,
    readonly options: RunOptions,
  ) {
    this.#exchange = exchangeOf(request);
    this.#organizationId = callerOf(request).organizationId;
    this.#input = operationRequestOf(request, this.#exchange);
  }

  /** Runs the operation until it has events or the requested wait is over, then sends its response. */
  async run(): Promise<void> {
    for (;;) {
      const waiting = await this.#answer();
      if (waiting === null) return;
      if (!(await this.#wait(waiting))) return;
    }
  }

  /** Runs the operation. @returns null if its response was sent, or the response if it may wait for events first */
  async #answer(): Promise<Reply | null> {
    const { shares, activity, pageBytes } = this.options;
    const { contract } = this.route;
    const reserved = reservedBytes(contract, pageBytes);
    const giveBack =
      reserved === 0 ? () => undefined : await reservePage(shares, activity, this.#organizationId, reserved);
    try {
      // The caller may be gone after waiting for room.
      if (reserved > 0 && this.response.closed) return null;
      const reply = await this.route.run(this.#input);
      if (this.#mayWait(reply)) return reply;
      await this.#send(reply, giveBack);
      return null;
    } finally {
      giveBack();
    }
  }

  #mayWait({ wait }: Reply): boolean {
    if (wait === undefined || this.options.shares.waiting.isStopped) return false;
    this.#waitsUntilMs ??= performance.now() + wait.forMs;
    return performance.now() < this.#waitsUntilMs;
  }

  #send(reply: Reply, giveBack: () => void = () => undefined): Promise<void> {
    return sendSuccess(this.response, reply, (bytes) => {
      holdAnswerBytes(this.options.shares, this.request, bytes);
      giveBack();
    });
  }

  /** Waits without counting as a running request. @returns whether to run the operation again */
  async #wait(reply: Reply): Promise<boolean> {
    const { shares, activity } = this.options;
    const wait = assertPresent(reply.wait, 'wait');
    const leftMs = assertPresent(this.#waitsUntilMs, 'waitsUntilMs') - performance.now();
    if (!shares.waiting.hasRoom(this.#organizationId)) throw waitingRoomError(activity);
    this.#exchange.leaveInFlight?.();
    const hasNews = await shares.waiting.hold(this.#exchange, this.#organizationId, wait, leftMs);
    if (this.response.closed) return false;
    if (!hasNews) {
      await this.#send(reply);
      return false;
    }
    await enterAgain(shares, activity, this.#exchange, this.#organizationId);
    // The key may have been revoked or have expired during the wait.
    await this.#exchange.confirmKey?.();
    return true;
  }
}

/** The last step of a request: runs its operation and sends the answer. */
export const runOperation = (options: RunOptions): RequestHandler => {
  const run = async (request: Request, response: Response): Promise<void> => {
    const { match } = exchangeOf(request);
    // If the body broke off during the key lookup, the request already got 400 and must not run.
    if (response.writableEnded) return;
    if (match?.kind !== 'found') throw new ApiError('not_found');
    await new OperationRun(request, response, match.route, options).run();
  };
  return (request, response) => exchangeOf(request).work(() => run(request, response));
};
