/** A request of the documentation and the answer that it shows. */
export interface HttpExample {
  /** Such as `POST /v1/inbound/notes (line 402)`; unique. */
  readonly title: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The part after the `?`, or an empty string. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; undefined for a request without a body. */
  readonly body: string | undefined;
  readonly status: number;
  readonly answerHeaders: Readonly<Record<string, string>>;
  /** A part of the answer's body. */
  readonly answer: unknown;
}

const statusLine = /^HTTP\/1\.1 (\d{3})$/m;
const requestLine = /^(GET|POST|PATCH|DELETE) (\/[^\s?]*)(?:\?(\S*))?$/;

/** Parses a request or status line, header lines and a JSON body, which starts at the first line with a brace. */
const splitMessage = (text: string): { head: string; headers: Record<string, string>; body: string } => {
  const [, top = '', body = ''] = /^([^]*?)(?:\n(\{[^]*))?$/.exec(text.trim()) ?? [];
  const [head = '', ...lines] = top.trim().split('\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    if (colon < 0) throw new Error(`Not a header: ${line}`);
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { head, headers: Object.fromEntries(headers), body };
};

const readExample = (text: string, line: number): HttpExample => {
  const status = statusLine.exec(text);
  if (status === null) throw new Error(`The example at line ${line} has no line HTTP/1.1`);
  const request = splitMessage(text.slice(0, status.index));
  const answer = splitMessage(text.slice(status.index));
  const [, method, path, query = ''] = requestLine.exec(request.head) ?? [];
  if (method === undefined || path === undefined) throw new Error(`The example at line ${line} has no request line`);
  return {
    title: `${request.head} (line ${line})`,
    method,
    path,
    query,
    headers: request.headers,
    body: request.body === '' ? undefined : request.body,
    status: Number(status[1]),
    answerHeaders: answer.headers,
    answer: JSON.parse(answer.body),
  };
};

/** The blocks of a Markdown text that are marked `http`, in order. @throws Error for an unreadable block */
export const readHttpExamples = (markdown: string): HttpExample[] =>
  [...markdown.matchAll(/^```http\n([^]*?)^```$/gm)].map(({ 1: text = '', index }) =>
    readExample(text, markdown.slice(0, index).split('\n').length),
  );

const placeholder = /\{([a-z][a-z0-9_]*)\}/g;

/** Values of the names in braces, set by earlier examples. */
export class Placeholders {
  readonly #values: Map<string, string>;

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = new Map(Object.entries(values));
  }

  /** Replaces the names in a text by their values. @throws Error for a name without a value */
  fill(text: string): string {
    return text.replace(placeholder, (whole, name: string) => {
      const value = this.#values.get(name);
      if (value === undefined) throw new Error(`${whole} has no value yet`);
      return value;
    });
  }

  /** The value of a text that is a single name; a new name takes the value `actual`. Returns other texts unchanged. */
  resolve(text: string, actual: unknown): string {
    const name = new RegExp(`^${placeholder.source}$`).exec(text)?.[1];
    if (name === undefined) return text;
    if (!this.#values.has(name) && typeof actual === 'string') this.#values.set(name, actual);
    return this.#values.get(name) ?? text;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reduces `actual` to the parts that `expected` shows: the same keys of objects, all items of lists. Also replaces names in braces.
 * The two results are equal exactly if the answer is as the example says, and a difference is easy to read.
 */
export const shownPart = (
  expected: unknown,
  actual: unknown,
  placeholders: Placeholders,
): { readonly expected: unknown; readonly actual: unknown } => {
  if (typeof expected === 'string') return { expected: placeholders.resolve(expected, actual), actual };
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const pairs = expected.map((item, index) => shownPart(item, actual[index], placeholders));
    const more: unknown[] = actual.slice(expected.length);
    return { expected: pairs.map((pair) => pair.expected), actual: [...pairs.map((pair) => pair.actual), ...more] };
  }
  if (!isObject(expected) || !isObject(actual)) return { expected, actual };
  const pairs = Object.keys(expected).map((key) => [key, shownPart(expected[key], actual[key], placeholders)] as const);
  return {
    expected: Object.fromEntries(pairs.map(([key, pair]) => [key, pair.expected])),
    actual: Object.fromEntries(pairs.map(([key, pair]) => [key, pair.actual])),
  };
};
