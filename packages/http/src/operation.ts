import type { BodyOf, DataOf, OperationContract, ParamsOf, QueryOf } from '@crm/contract';
import type { FieldErrors } from '@crm/domain';

/** Who calls: one API key of one organization. */
export interface Caller {
  readonly organizationId: string;
  readonly apiKeyId: string;
}

/** What a handler is given: validated input and the caller; never `req` or `res`. */
export interface OperationRequest<C extends OperationContract> {
  readonly caller: Caller;
  readonly requestId: string;
  readonly params: ParamsOf<C>;
  readonly query: QueryOf<C>;
  readonly body: BodyOf<C>;
  /** Of a bulk body: what its JSON text says that an item must not, by the item's index. Such an item must not be applied. */
  readonly itemErrors?: ReadonlyMap<number, FieldErrors> | undefined;
  /**
   * A request header by its lower-case name, `undefined` when it was not sent.
   * @throws ApiError `validation_failed` when it was sent twice: choosing one of two in silence could lose a promise.
   */
  readonly header: (name: string) => string | undefined;
}

/** JSON that is already text (as built by the database); it is sent as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** JSON in parts, some of which are bytes in UTF-8 already; those are sent as they are. */
export class JsonParts {
  constructor(readonly parts: readonly (string | Buffer)[]) {}
}

/** What an answer without news waits for. */
export interface Wait {
  /** How long the request is held back at most, from its first answer on, in milliseconds. */
  readonly forMs: number;
  /** Calls `onNews` once when the operation may have more to answer. @returns what to call to end the subscription */
  readonly subscribe: (onNews: () => void) => () => void;
}

/** What a handler answers; `http` makes the envelope of it. Always status 200. */
export interface OperationReply<C extends OperationContract> {
  readonly message: string;
  readonly data: DataOf<C> | JsonText | JsonParts;
  /** Further properties of the envelope, as `warnings` or `statusCode`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Response headers, as `X-Record-Status` or `ETag`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Holds this answer back: the operation runs again if there is news in time, and the answer is sent otherwise. */
  readonly wait?: Wait | undefined;
}

/** An operation of a gateway: its contract and what it does. `Context` is the gateway's own plain object. */
export interface Operation<Context, C extends OperationContract = OperationContract> {
  readonly contract: C;
  // Written as a method so that operations of different contracts fit one list; a property's parameter would forbid it.
  handle(context: Context, request: OperationRequest<C>): Promise<OperationReply<C>>;
}

/**
 * Ties a handler to its contract so that its input and output are typed by it. What comes back has forgotten the types: the
 * gateway hands an operation only what the contract's own validators passed.
 */
export const defineOperation = <Context, C extends OperationContract>(
  contract: C,
  handle: Operation<Context, C>['handle'],
): Operation<Context> => ({ contract, handle });
