/** How to reach the API. */
export interface ClientOptions {
  /** Address of a proxy in front of both gateways, such as `https://crm.example.com`. */
  readonly url?: string | undefined;
  /** Address of the read gateway; by default `url`. */
  readonly readUrl?: string | undefined;
  /** Address of the inbound gateway; by default `url`. A client with neither refuses writes. */
  readonly inboundUrl?: string | undefined;
  /** `crm_live_…`. Keep it on servers: anyone who has it can do what the key allows. */
  readonly apiKey: string;
  /** Time limit of one try of one request, in milliseconds; by default 30,000. `Infinity` is no limit. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of retries of a request; by default 2. */
  readonly maxRetries?: number | undefined;
  /** Replaces the global `fetch`, for proxies and tests. */
  readonly fetch?: typeof fetch | undefined;
  /** Called before each try of each request. It may add headers, such as `traceparent`; an error that it throws ends the call. */
  readonly onRequest?: ((request: RequestInfo) => void | Promise<void>) | undefined;
  /** Called after each try, for logs and metrics; an error that it throws ends the call. */
  readonly onResponse?: ((response: ResponseInfo) => void | Promise<void>) | undefined;
}

/** One try of a request, as hooks see it. It does not contain the API key, so it is safe to log. */
export interface RequestInfo {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** The headers besides the API key; hooks may add some. */
  readonly headers: Headers;
  /** Counts from 1. */
  readonly attempt: number;
}

/** The result of one try of a request. */
export interface ResponseInfo {
  readonly request: RequestInfo;
  /** Null if there was no response. */
  readonly status: number | null;
  /** Null if there was no response. */
  readonly headers: Headers | null;
  readonly durationMs: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, even while it waits for the next try. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of one try, in milliseconds, instead of the client's. */
  readonly timeoutMs?: number | undefined;
}

/** Options of reads. */
export interface ReadOptions extends CallOptions {
  /** The `readAfter` of an earlier write; this read sees that write. */
  readonly readAfter?: string | null | undefined;
}

/** Options of creates. */
export interface CreateOptions extends CallOptions {
  /**
   * Calls with the same key within 24 hours take effect once. By default each call gets a new key for all its tries. `null` sends no key:
   * the gateway stores less, and a call without a response is not retried.
   */
  readonly idempotencyKey?: string | null | undefined;
}

/** Options of creates of opportunities, accounts and contacts. */
export interface CreateRecordOptions extends CreateOptions {
  /** What to do if the record exists: `keep` its values (the default), or `update` them with the values in the call. */
  readonly onMatch?: 'keep' | 'update' | undefined;
}

/** Options of updates and deletions. */
export interface UpdateOptions extends CallOptions {
  /** Changes or deletes the record only if this is its version; otherwise the call rejects with `CrmVersionError`. */
  readonly ifVersion?: number | undefined;
}

/** Options of bulk updates. */
export interface BulkUpdateOptions extends CallOptions {
  /** Whether one failed item rejects the whole call. */
  readonly atomic?: boolean | undefined;
}

/** Options of bulk creates. */
export interface BulkCreateOptions extends CreateRecordOptions, BulkUpdateOptions {}
