/** A request as a caller sends it; a POST if it has a body. */
export interface CallerRequest {
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A built gateway that suites start in separate processes. */
export interface GatewaySubject {
  /** Its `dist/main.js`. */
  readonly mainFile: string;
  /** The configuration for a database with an organization, the organization's key, and a function that closes everything. */
  readonly prepare: () => Promise<{
    readonly environment: Readonly<Record<string, string>> & { readonly DATABASE_URL: string };
    readonly apiKey: string;
    readonly close: () => Promise<void>;
  }>;
  /** A request that gets 200 every time. */
  readonly request: () => CallerRequest;
}

/** Sends a request with a key. */
export const callGateway = (url: string, apiKey: string, { path, body, headers }: CallerRequest): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
