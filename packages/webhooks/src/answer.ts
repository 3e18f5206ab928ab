import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** How much of an answer is read. */
const maxResponseBytes = 1_024;
/** Larger numbers of `RateLimit-Reset` are Unix times, in seconds. */
const smallestUnixSeconds = 1_000_000_000;

/**
 * A text from outside in a form that the database can store: a byte sequence that is no UTF-8, a NUL character and half of a surrogate pair
 * become U+FFFD.
 */
export const storableText = (text: string | Buffer): string =>
  Buffer.from(text).toString('utf8').replaceAll('\0', '\uFFFD');

/** Reads the beginning of an answer, and drops the connection if there is more. */
export const readStart = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxResponseBytes) break;
  }
  return storableText(Buffer.concat(chunks).subarray(0, maxResponseBytes));
};

/** Why a status is no delivery; null if it is one. */
export const statusText = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `answered ${status}: redirects are not followed, so change the URL`
    : `answered ${status}`;
};

/** The milliseconds from a date to another one; null if the text is no date of HTTP. */
const untilDate = (text: string, now: number): number | null => {
  const ms = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
};

const secondsPattern = /^\d+(\.\d+)?$/;

const untilReset = (text: string, now: number): number | null => {
  const seconds = secondsPattern.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(seconds)) return null;
  return seconds < smallestUnixSeconds ? seconds * 1_000 : Math.max(0, seconds * 1_000 - now);
};

const textOf = (header: string | readonly string[] | undefined): string =>
  (typeof header === 'string' ? header : (header?.[0] ?? '')).trim();

/**
 * How long a receiver asks to wait, in milliseconds; null if it does not say. `Retry-After` has seconds or a date, which is compared with
 * the receiver's own `Date`. Without it, a header of a rate limit counts: `RateLimit: "name";r=0;t=30`, `RateLimit-Reset` or
 * `X-RateLimit-Reset`.
 */
export const waitOf = (headers: IncomingHttpHeaders, now: number): number | null => {
  const retryAfter = textOf(headers['retry-after']);
  if (secondsPattern.test(retryAfter)) return Number(retryAfter) * 1_000;
  const sent = Date.parse(textOf(headers.date));
  const date = untilDate(retryAfter, Number.isNaN(sent) ? now : sent);
  if (date !== null) return date;
  const reset = /(?:^|[;,\s])(?:t|reset)=(\d+)/.exec(textOf(headers['ratelimit']))?.[1];
  const resets = [reset ?? '', textOf(headers['ratelimit-reset']), textOf(headers['x-ratelimit-reset'])];
  return resets.map((text) => untilReset(text, now)).find((ms) => ms !== null) ?? null;
};
