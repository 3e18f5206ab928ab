/** The parsed body of a response. */
interface Envelope {
  readonly success: boolean;
  readonly message: string;
  readonly statusCode?: number;
  readonly code?: string;
  readonly errors?: Readonly<Record<string, string>>;
  readonly conflict?: unknown;
  readonly warnings?: readonly { readonly field: string; readonly message: string }[];
  readonly data?: unknown;
}

/** Headers that may differ between two responses to the same request: ids, times and rate limits. */
const incidental = /^(x-request-id|date|connection|keep-alive|retry-after|ratelimit.*)$/;

/**
 * The comparable part of a header. Of a read mark this is its start: its kind, which depends on whether the call wrote
 * anything, and the cluster. The rest is a transaction id or position, which other work of the server advances.
 */
const comparableHeader = ([name, value]: readonly [string, string]): readonly [string, string] => [
  name,
  name === 'x-read-after' ? value.slice(0, 12) : value,
];

/** The parts of the headers that must be equal if two responses must look the same. */
export const comparableHeaders = (headers: Headers): readonly (readonly [string, string])[] =>
  [...headers].filter(([name]) => !incidental.test(name)).map(comparableHeader);

/** A response that was checked against the contract, so its data has the type of the contract. */
export class Answer<Data = unknown> {
  readonly body: Envelope;

  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {
    this.body = JSON.parse(text) as Envelope;
  }

  /**
   * @throws Error with the whole response if it is not a success, because a later failure of the test would say less.
   */
  get data(): Data {
    if (!this.body.success) throw new Error(`Not a success: ${this.status} ${this.text}`);
    return this.body.data as Data;
  }

  /** Field errors; empty if there are none. */
  get errors(): Readonly<Record<string, string>> {
    return this.body.errors ?? {};
  }

  /** The fields at fault, in alphabetical order. */
  get fieldsAtFault(): readonly string[] {
    return Object.keys(this.errors).sort();
  }

  /** The fields in the request that were not applied, in the order of the response. */
  get fieldsWarnedOf(): readonly string[] {
    return (this.body.warnings ?? []).map(({ field }) => field);
  }

  /** The parts that must be equal if two responses must look the same: status, headers and bytes. */
  get comparable(): string {
    return JSON.stringify([this.status, comparableHeaders(this.headers), this.text]);
  }
}
