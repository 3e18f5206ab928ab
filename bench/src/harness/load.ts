import autocannon from 'autocannon';

/** A request to send repeatedly. */
export interface LoadRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called for every request. */
  readonly body?: () => string;
}

/** The options of {@link sendLoad}. */
export interface LoadOptions {
  readonly url: string;
  readonly request: LoadRequest;
  readonly seconds: number;
  /** The number of connections. Each sends its next request after the previous response. */
  readonly connections: number;
  /**
   * The total requests a second; absent for as many as possible. With a rate, latency counts from when a request was
   * due.
   */
  readonly rate?: number | undefined;
}

/** The result of {@link sendLoad}. */
export interface LoadResult {
  readonly perSecond: number;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends load. @throws Error if any response was not a 2xx, or did not arrive. */
export const sendLoad = async ({ url, request, seconds, connections, rate }: LoadOptions): Promise<LoadResult> => {
  const { method = 'GET', path, headers = {}, body } = request;
  const result = await autocannon({
    url: `${url}${path}`,
    connections,
    duration: seconds,
    timeout: 30,
    ...(rate === undefined ? {} : { overallRate: rate }),
    requests: [
      {
        method,
        headers: { ...headers },
        ...(body === undefined ? {} : { setupRequest: (sent: autocannon.Request) => ({ ...sent, body: body() }) }),
      },
    ],
  });
  const { errors, non2xx } = result;
  if (errors > 0 || non2xx > 0) throw new Error(`${path}: ${errors} requests failed, ${non2xx} were refused`);
  const requests = result['2xx'];
  return {
    perSecond: requests / result.duration,
    requests,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
};
