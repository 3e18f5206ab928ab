import autocannon from 'autocannon';

/** A request to send again and again. */
export interface LoadRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Built again for every request. */
  readonly body?: () => string;
}

/** How much of it. */
export interface LoadOptions {
  readonly url: string;
  readonly request: LoadRequest;
  readonly seconds: number;
  /** Connections, each of which sends its next request when the answer is there. */
  readonly connections: number;
  /** Requests a second in all; as many as go when absent. Latency then counts from when a request was due. */
  readonly rate?: number | undefined;
}

/** What came of it. */
export interface LoadResult {
  readonly perSecond: number;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends load. @throws Error when any answer was not a 2xx, or did not come. */
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
