/** How to reach the API. */
export interface ClientOptions {
  /** Address of the read gateway, such as `https://crm.example.com`. */
  readonly readUrl: string;
  /** Address of the inbound gateway; that of the read gateway when absent, as behind one proxy. */
  readonly inboundUrl?: string;
  /** `crm_live_…`. Keep it on servers: anyone who has it can read and write the organization's records. */
  readonly apiKey: string;
  /** Time for one try of one request; 30,000 when absent. */
  readonly timeoutMs?: number;
  /** How often a request is tried again; 2 when absent, 0 to never. */
  readonly maxRetries?: number;
  /** Sends requests in place of the global `fetch`, for proxies and tests. */
  readonly fetch?: typeof fetch;
  /** Called before each try of each request. It may add headers, such as `traceparent`; an error that it throws ends the call. */
  readonly onRequest?: (request: RequestInfo) => void | Promise<void>;
  /** Called after each try, for logs and metrics; an error that it throws ends the call. */
  readonly onResponse?: (response: ResponseInfo) => void | Promise<void>;
}

/** One try of a request, as hooks see it. The API key is not in it, so that it may be logged. */
export interface RequestInfo {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** What is sent beside the API key; may be added to. */
  readonly headers: Headers;
  /** Counts from 1. */
  readonly attempt: number;
}

/** What became of one try of a request. */
export interface ResponseInfo {
  readonly request: RequestInfo;
  /** Null when no answer came. */
  readonly status: number | null;
  /** Null when no answer came. */
  readonly headers: Headers | null;
  readonly durationMs: number;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, also while it waits for the next try; it is then rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Time for one try, in place of the client's. */
  readonly timeoutMs?: number;
}

/** What reads take. */
export interface ReadOptions extends CallOptions {
  /** The `readAfter` of an earlier write that this read has to see. */
  readonly readAfter?: string | null;
}

/** What creates take. */
export interface CreateOptions extends CallOptions {
  /**
   * Makes repeats of this call within 24 hours one call; made for each call when absent, and kept over its tries. `null` sends
   * none: the gateway has less to keep, and a call that gets no answer is not sent again.
   */
  readonly idempotencyKey?: string | null;
}

/** What creates of opportunities, accounts and contacts take. */
export interface CreateRecordOptions extends CreateOptions {
  /** What to do with a record that exists: `keep` its values (when absent), or `update` them to those sent. */
  readonly onMatch?: 'keep' | 'update';
}

/** What updates take. */
export interface UpdateOptions extends CallOptions {
  /** Changes the record only while this is its version; `CrmApiError` with status 412 otherwise. */
  readonly ifVersion?: number;
}

/** What bulk updates take. */
export interface BulkUpdateOptions extends CallOptions {
  /** One bad item refuses the whole call. */
  readonly atomic?: boolean;
}

/** What bulk creates take. */
export interface BulkCreateOptions extends CreateRecordOptions, BulkUpdateOptions {}
