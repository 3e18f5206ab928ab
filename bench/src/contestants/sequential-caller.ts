import { type Gateway } from './gateways.js';

/** One caller that waits for each response before it sends the next request. */
interface SequentialCaller {
  /** The milliseconds from a request to its complete response. @throws Error for a response other than 2xx */
  readonly time: (path: string, body?: string) => Promise<number>;
}

/** Calls a gateway over one connection. */
export const sequentialCaller = (gateway: Gateway): SequentialCaller => ({
  time: async (path, body) => {
    const headers = { ...gateway.headers, 'content-type': 'application/json' };
    const from = performance.now();
    const answer = await fetch(
      `${gateway.url}${path}`,
      body === undefined ? { headers } : { method: 'POST', headers, body },
    );
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 300)}`);
    return performance.now() - from;
  },
});
