import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchFolder } from '../bench-server.js';
import { measureCapacity } from '../harness/capacity.js';
import { type ServerProcess, startServerProcess } from '../harness/child.js';
import type { LoadRequest } from '../harness/load.js';
import { cpuMsOf } from '../harness/process-usage.js';
import type { Contestant } from '../harness/rounds.js';
import { type PageFixture, pageScope } from './page.js';

/** The number of callers: more than any pool has connections, so that no connection is idle. */
export const connections = 16;
/** The connections in the pool of a gateway. */
export const poolSize = 10;

/** The result of a contestant in one run. */
export interface Outcome {
  readonly perSecond: number;
  /** The CPU time of the server process per page. Absent for pgbench, which has no server process. */
  readonly cpuMs?: number;
}

/** One line of the log. */
export const describeOutcome = ({ perSecond, cpuMs }: Outcome): string =>
  `${perSecond.toFixed(0)} pages/s${cpuMs === undefined ? '' : `, ${cpuMs.toFixed(3)} ms CPU`}`;

/** A contestant that answers one request repeatedly. */
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

/** The body of one response. */
export const readBody = async (
  { url }: ServerProcess,
  { method = 'GET', path, headers = {}, body }: LoadRequest,
): Promise<string> =>
  (await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: body() }) })).text();

/** The error for a contestant whose response differs from the gateway's. */
export const differs = (name: string): Error =>
  new Error(`${name} does not answer the same page: nothing was measured`);

/** The contestants of one comparison. `stop` ends their servers. */
export class ContestantSet {
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
