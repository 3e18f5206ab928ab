import type { BodyOf, DataOf, OperationContract, ParamsOf, QueryOf } from '@crm/contract';
import type { FieldErrors } from '@crm/domain';

/** The caller: one API key of one organization. */
export interface Caller {
  readonly organizationId: string;
  readonly apiKeyId: string;
  /** What the key allows: operation groups and single operation ids. */
  readonly allowedOperations: readonly string[];
}

/** The arguments of a handler: validated input and the caller, never `req` or `res`. */
export interface OperationRequest<C extends OperationContract> {
  readonly caller: Caller;
  readonly requestId: string;
  readonly params: ParamsOf<C>;
  readonly query: QueryOf<C>;
  readonly body: BodyOf<C>;
  /** For a bulk body: the JSON faults of items, by the item's index. Such an item must not be applied. */
  readonly itemErrors?: ReadonlyMap<number, FieldErrors> | undefined;
  /**
   * A request header by its lower-case name, `undefined` if it was not sent. @throws ApiError `validation_failed` if it
   * was sent twice: silently choosing one could break a guarantee, such as that of If-Match.
   */
  readonly header: (name: string) => string | undefined;
  /** Whether the caller has hung up. Work of several transactions can then stop. */
  readonly isGone: () => boolean;
}

/** A part of a JSON text: text, UTF-8 bytes, or records as UTF-8 bytes, which get commas between them. */
export type JsonPart = string | Buffer | readonly Buffer[];

/** JSON that is already text or bytes, such as records from the database: sent unchanged, one part after the other. */
export class JsonParts {
  constructor(readonly parts: readonly JsonPart[]) {}
}

/** How a response without events waits for new ones. */
export interface Wait {
  /** The longest wait, from the first run of the operation, in milliseconds. */
  readonly forMs: number;
  /** Calls `onNews` once when there may be new data. @returns a function that ends the subscription */
  readonly subscribe: (onNews: () => void) => () => void;
}

/** The result of a handler; `http` puts it into the envelope. Always status 200. */
export interface OperationReply<C extends OperationContract> {
  readonly message: string;
  readonly data: DataOf<C> | JsonParts;
  /** Further properties of the envelope, such as `warnings` or `statusCode`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Response headers, such as `X-Record-Status`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The version of the record that is the whole data. The response then gets an `ETag` and `X-Record-Version`, and a read that names the tag gets 304. */
  readonly version?: number;
  /**
   * Holds this response back: if there is new data in time, the operation runs again; otherwise this response is sent.
   */
  readonly wait?: Wait | undefined;
}

/** An operation of a gateway: its contract and its handler. `Context` is the gateway's own plain object. */
export interface Operation<Context, C extends OperationContract = OperationContract> {
  readonly contract: C;
  // A method, not a property, so that operations of different contracts fit into one list (method parameters are
  // bivariant).
  handle(context: Context, request: OperationRequest<C>): Promise<OperationReply<C>>;
}

/**
 * Creates an operation whose handler has the input and output types of its contract. The returned operation no longer
 * has these types, so that all operations fit into one list. That is safe: a gateway only passes input that the
 * contract's validators accepted.
 */
export const defineOperation = <Context, C extends OperationContract>(
  contract: C,
  handle: Operation<Context, C>['handle'],
): Operation<Context> => ({ contract, handle });
