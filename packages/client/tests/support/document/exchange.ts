import type { Operation, Schema } from './operations.js';
import type { DocumentRequest } from './valid-requests.js';

/** The answer to a request. */
export interface DocumentAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Headers of HTTP itself, which documents do not declare. */
const headersOfHttp = new Set([
  ...['cache-control', 'connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive'],
  ...['transfer-encoding', 'vary', 'x-content-type-options'],
]);

/** Sends a request. */
export const sendRequest = async (
  baseUrl: string,
  key: string | null,
  { operation, path, query, headers, body }: DocumentRequest,
): Promise<DocumentAnswer> => {
  const target = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const parameters = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]));
  const response = await fetch(`${baseUrl}${target}${query.length === 0 ? '' : `?${parameters.toString()}`}`, {
    method: operation.method,
    headers: {
      ...headers,
      ...(key === null ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
};

/** The content type without its parameters. */
const mediaType = (headers: Headers): string => (headers.get('content-type') ?? '').replace(/;.*/, '');

/** The schema that a document declares for the body of an answer. */
export const schemaOf = (operation: Operation, { status, headers }: DocumentAnswer): Schema | undefined =>
  operation.responses[status]?.content[mediaType(headers)]?.schema;

/** Every way in which an answer differs from what the document declares for its status. */
export const answerFaults = (operation: Operation, answer: DocumentAnswer): string[] => {
  const { status, headers, body } = answer;
  const declared = operation.responses[status];
  if (status >= 500) return [`the status is ${status}`];
  if (declared === undefined) return [`the status ${status} is not declared`];
  const faults: string[] = [];
  const names = Object.keys(declared.headers).map((name) => name.toLowerCase());
  for (const [name, { required }] of Object.entries(declared.headers)) {
    if (required === true && !headers.has(name)) faults.push(`${status} has no ${name}`);
  }
  for (const name of headers.keys()) {
    if (!headersOfHttp.has(name) && !names.includes(name)) faults.push(`${status} has ${name}, which is not declared`);
  }
  const schema = schemaOf(operation, answer);
  if (schema === undefined) return [...faults, `${status} has the content type ${mediaType(headers)}`];
  const validate = operation.compile(schema);
  if (!validate(body)) faults.push(`${status} breaks its schema: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
  return faults;
};
