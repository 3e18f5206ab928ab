import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchFolder } from '../bench-server.js';
import { measureCapacity } from '../harness/capacity.js';
import { type ServerProcess, startServerProcess } from '../harness/child.js';
import type { LoadRequest } from '../harness/load.js';
import { cpuMsOf } from '../harness/process-usage.js';
import type { Contestant } from '../harness/rounds.js';
import { type PageFixture, pageScope } from './page.js';

/** More callers than all pools have connections, so that no connection is ever idle. */
export const connections = 16;
/** Connections of a gateway's pool. */
export const poolSize = 10;

/** What a contestant did in one run. */
export interface Outcome {
  readonly perSecond: number;
  /** CPU of the serving process for a page; absent for pgbench, which has none. */
  readonly cpuMs?: number;
}

/** One line of the log. */
export const describeOutcome = ({ perSecond, cpuMs }: Outcome): string =>
  `${perSecond.toFixed(0)} pages/s${cpuMs === undefined ? '' : `, ${cpuMs.toFixed(3)} ms CPU`}`;

/** A server that is sent one request again and again. */
export const served = (name: string, { url, pid }: ServerProcess, request: LoadRequest): Contestant<Outcome> => ({
  name,
  run: async (seconds) => {
    const before = await cpuMsOf(pid);
    const { perSecond, requests } = await measureCapacity({ url, request, seconds, connections });
    return { perSecond, cpuMs: ((await cpuMsOf(pid)) - before) / requests };
  },
});

const script = (name: string): string => fileURLToPath(new URL(`../servers/${name}.js`, import.meta.url));

/** Starts a server of `bench/src/servers` that answers one page. */
export const startPageServer = (
  name: string,
  databaseUrl: string,
  page: PageFixture,
  size: number,
): Promise<ServerProcess> => {
  const { limit, head, tail, text, values } = page;
  return startServerProcess({
    script: script(name),
    environment: {
      DATABASE_URL: databaseUrl,
      PAGE: JSON.stringify({ limit, head, tail, text, values, ...pageScope(size) }),
    },
    logFile: resolve(benchFolder, `${name}.log`),
    readyPath: '/v1/opportunities',
  });
};

/** The body of one answer. */
export const readBody = async (
  { url }: ServerProcess,
  { method = 'GET', path, headers = {}, body }: LoadRequest,
): Promise<string> =>
  (await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: body() }) })).text();

/** The error of a contestant whose answer is another one. */
export const differs = (name: string): Error =>
  new Error(`${name} does not answer the same page: nothing was measured`);

/** The parts of a comparison that end with it. */
export class Stage {
  readonly #stops: (() => Promise<void>)[] = [];
  readonly contestants: Contestant<Outcome>[] = [];

  addServer(name: string, server: ServerProcess, request: LoadRequest): void {
    this.#stops.push(() => server.stop());
    this.contestants.push(served(name, server, request));
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }
}
