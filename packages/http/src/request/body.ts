import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { bounds } from '@crm/contract';
import {
  ApiError,
  type FieldErrors,
  type JsonScan,
  JsonScanner,
  type ListScan,
  type Steps,
  validationError,
} from '@crm/domain';
import type { ArrivingBodies } from './arriving-bodies.js';
import { runInTurns } from '../limits/turns.js';

/** The deepest nesting of objects and arrays. */
export const maxJsonDepth = 32;

const maxShownCharset = 40;

const contentTypeForm = /^\s*application\/json\s*((?:;[^;]*)*)$/i;
const charsetForm = /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i;

const utf8Names: ReadonlySet<string | undefined> = new Set([undefined, 'utf-8', 'utf8']);

/** Rejects a content type other than JSON in UTF-8. */
const checkContentType = (contentType: string): void => {
  const parameters = contentTypeForm.exec(contentType)?.[1];
  if (parameters === undefined) throw new ApiError('unsupported_media_type');
  const charsets = parameters.split(';').map((parameter) => charsetForm.exec(parameter)?.[1]?.toLowerCase());
  const other = charsets.find((charset) => !utf8Names.has(charset));
  if (other === undefined) return;
  const message = `The charset ${other.slice(0, maxShownCharset)} is not supported: send the body in UTF-8, as application/json`;
  throw new ApiError('unsupported_media_type', { message });
};

const bodyError = (text: string): ApiError => validationError({ body: text });

/** Rejects a body by its headers, before reading it. */
const checkHeaders = (request: IncomingMessage, maxBytes: number): void => {
  const { headers } = request;
  const contentType = headers['content-type'];
  if (contentType !== undefined) checkContentType(contentType);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', {
      message: 'Content-Encoding is not supported: the body must be sent uncompressed',
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
};

const tooLarge = (maxBytes: number): ApiError =>
  new ApiError('payload_too_large', { message: `The request body is larger than ${maxBytes} bytes` });

/**
 * The bytes of a body.
 * @throws ApiError `payload_too_large` at the first byte past the limit; `request_timeout` if the body is too slow
 */
const readBytes = (request: IncomingMessage, { maxBytes, bodies, organizationId }: BodyOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (act: () => void): void => {
      leave();
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      // More errors may follow, and one without a listener would end the process.
      request.on('error', () => undefined);
      act();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else
        settle(() => {
          // The rest is read and dropped, so that the client can read the response. The request timeout bounds this.
          request.resume();
          reject(tooLarge(maxBytes));
        });
    };
    const onEnd = (): void =>
      settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onGone = (): void => settle(() => reject(new ApiError('request_timeout')));
    const onTooSlow = (): void =>
      settle(() => {
        request.resume();
        reject(new ApiError('request_timeout', { headers: { Connection: 'close' } }));
      });
    const leave = bodies.add(organizationId, onTooSlow);
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });

/** A parsed body. */
interface JsonBody {
  readonly value: Readonly<Record<string, unknown>>;
  /** For a bulk body: the JSON faults inside items, by the item's index and the path in the item. */
  readonly itemErrors: ReadonlyMap<number, FieldErrors>;
}

const noItemErrors: ReadonlyMap<number, FieldErrors> = new Map();
/**
 * Matches the path of a fault inside an item. A fault under a body key with the literal name `items[3]` has the same
 * path. That does no harm, because a body with an unknown key is refused as a whole.
 */
const itemPath = /^items\[(\d+)\]\.(.+)$/su;

/**
 * The faults of a text by item.
 * @throws ApiError `validation_failed` with all known faults, if one is outside the items or the list is incomplete
 */
const errorsByItem = ({ errors, isComplete }: JsonScan): ReadonlyMap<number, FieldErrors> => {
  const byItem = new Map<number, Record<string, string>>();
  for (const [path, text] of errors) {
    const [, index, pathInItem] = itemPath.exec(path) ?? [];
    if (index === undefined || pathInItem === undefined || !isComplete) {
      throw validationError(Object.fromEntries(errors));
    }
    byItem.set(Number(index), { ...byItem.get(Number(index)), [pathInItem]: text });
  }
  return byItem;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw bodyError('must be valid JSON');
  }
};

/**
 * Parses the text of a bulk body one item at a time, because parsing four megabytes at once would block every other
 * request. The text is cut at the brackets and commas of its list. It is valid JSON exactly if all pieces are valid.
 */
function* parseItems(text: string, { from, to, commas }: ListScan): Steps<unknown> {
  const rest = parse(text.slice(0, from) + text.slice(to));
  const isEmpty = commas.length === 0 && text.slice(from, to).trim() === '';
  const items: unknown[] = [];
  for (let index = 0, start = from; !isEmpty && index <= commas.length; index += 1) {
    const end = commas[index] ?? to;
    items.push(parse(text.slice(start, end)));
    start = end + 1;
    yield;
  }
  // The body is an object, because it contains a list under a key.
  return { ...(rest as object), items };
}

/**
 * Parses the text of a body strictly: no value is dropped, altered or guessed.
 * @param isBulk - whether a fault in one item leaves the others valid
 * @throws ApiError `validation_failed` with every problem of the text on its dotted path.
 */
export function* parseJsonBody(bytes: Buffer, isBulk: boolean): Steps<JsonBody> {
  if (!isUtf8(bytes)) throw bodyError('must be valid UTF-8');
  const text = bytes.toString('utf8');
  const scanner = new JsonScanner(text, maxJsonDepth, isBulk ? 'items' : null);
  while (scanner.step()) yield;
  const { result: scan, list } = scanner;
  if (scan.refusal !== null) throw bodyError(scan.refusal);
  const restLength = text.length - (list === null ? 0 : list.to - list.from);
  if (restLength > bounds.bodyBytes) {
    throw bodyError(`must not hold more than ${bounds.bodyBytes} characters outside of its items`);
  }
  const value = list === null ? parse(text) : yield* parseItems(text, list);
  if (scan.errors.size > 0 && !isBulk) throw validationError(Object.fromEntries(scan.errors));
  const itemErrors = scan.errors.size > 0 ? errorsByItem(scan) : noItemErrors;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bodyError('must be a JSON object');
  return { value: value as Readonly<Record<string, unknown>>, itemErrors };
}

const byteOrderMark = Buffer.from('\ufeff');

/** The bytes after a byte order mark, which some programs write before UTF-8. It is no part of the JSON text. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? bytes.subarray(byteOrderMark.length) : bytes;

/** How to read the body of an operation. */
interface BodyOptions {
  readonly maxBytes: number;
  /** Whether a fault in one item leaves the others valid. */
  readonly isBulk: boolean;
  /** The bodies that are still arriving at this process. */
  readonly bodies: ArrivingBodies;
  /** The organization that sent the body. */
  readonly organizationId: string;
}

/**
 * Reads and parses the body of a request: JSON in UTF-8, uncompressed, one object, at most `maxBytes`.
 * @throws ApiError `unsupported_media_type`, `payload_too_large`, `request_timeout` or `validation_failed`.
 */
export const readJsonBody = async (request: IncomingMessage, options: BodyOptions): Promise<JsonBody> => {
  checkHeaders(request, options.maxBytes);
  const bytes = await readBytes(request, options);
  const body = withoutMark(bytes);
  if (body.length === 0) throw bodyError('is required');
  if (request.headers['content-type'] === undefined) throw new ApiError('unsupported_media_type');
  return runInTurns(parseJsonBody(body, options.isBulk));
};
