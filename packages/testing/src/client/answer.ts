/** What a gateway answered, read once. */
export interface Envelope {
  readonly success: boolean;
  readonly message: string;
  readonly statusCode?: number;
  readonly code?: string;
  readonly errors?: Readonly<Record<string, string>>;
  readonly warnings?: readonly { readonly field: string; readonly message: string }[];
  readonly data?: unknown;
}

/** Headers that differ between two answers to one question: who asked when, and how often before. */
const incidental = /^(x-request-id|date|connection|keep-alive|retry-after|ratelimit.*)$/;

/**
 * A header as it is compared. The end of a read mark says how far the whole server has come, which its own work moves on
 * between two calls; the beginning says of which cluster it is, and whether anything was written.
 */
const comparableHeader = ([name, value]: readonly [string, string]): readonly [string, string] => [
  name,
  name === 'x-read-after' ? value.slice(0, 12) : value,
];

/** Everything of the headers that must be equal where two answers must not be told apart. */
export const comparableHeaders = (headers: Headers): readonly (readonly [string, string])[] =>
  [...headers].filter(([name]) => !incidental.test(name)).map(comparableHeader);

/** An answer that has been held against the contract, so that its data may be taken as what the contract says. */
export class Answer<Data = unknown> {
  readonly body: Envelope;

  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {
    this.body = JSON.parse(text) as Envelope;
  }

  /** @throws Error with the whole response if it is not a success: a later failure of the test would be less clear. */
  get data(): Data {
    if (!this.body.success) throw new Error(`Not a success: ${this.status} ${this.text}`);
    return this.body.data as Data;
  }

  /** Field errors; empty where the answer has none. */
  get errors(): Readonly<Record<string, string>> {
    return this.body.errors ?? {};
  }

  /** The fields at fault, in order of the alphabet. */
  get fieldsAtFault(): readonly string[] {
    return Object.keys(this.errors).sort();
  }

  /** The fields that were sent and not applied, in the order in which the answer names them. */
  get fieldsWarnedOf(): readonly string[] {
    return (this.body.warnings ?? []).map(({ field }) => field);
  }

  /** Everything that must be equal where two answers must not be told apart: status, headers and bytes. */
  get comparable(): string {
    return JSON.stringify([this.status, comparableHeaders(this.headers), this.text]);
  }
}
