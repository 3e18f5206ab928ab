import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchFolder } from '../bench-server.js';
import { type ServerProcess, startServerProcess } from '../harness/child.js';
import { type LoadRequest, sendLoad } from '../harness/load.js';
import type { NewMeasure } from '../harness/results.js';
import { alternate, type Contestant, ratios } from '../harness/rounds.js';
import type { Run } from '../harness/run.js';
import type { Gateway } from './gateways.js';
import type { PageFixture } from './page.js';

/** The number of callers: more than any pool has connections, so that no connection is idle. */
export const connections = 16;
/** The connections in the pool of a gateway. */
export const poolSize = 10;

/** A contestant that answers one request repeatedly, as often as it can. */
export const served = (name: string, { url }: ServerProcess, request: LoadRequest): Contestant => ({
  name,
  run: (seconds) => sendLoad({ url, request, seconds, connections }),
});

/** The body of one response. */
export const readBody = async (
  { url }: ServerProcess,
  { method = 'GET', path, headers = {}, body }: LoadRequest,
): Promise<string> => {
  const response = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text.slice(0, 300)}`);
  return text;
};

/** Starts a script of `bench/src/servers` in its own process. */
export const startPeer = (
  name: string,
  environment: Readonly<Record<string, string>>,
  readyPath: string,
): Promise<ServerProcess> =>
  startServerProcess({
    script: fileURLToPath(new URL(`../servers/${name}.js`, import.meta.url)),
    environment,
    logFile: resolve(benchFolder, `${name}.log`),
    readyPath,
  });

/**
 * Measures a page of the gateway and of the bare server in turn.
 * @throws Error if the bare server does not send the same bytes
 */
export const compareWithBareServer = async (
  run: Run,
  { id, name, target }: { readonly id: string; readonly name: string; readonly target: number },
  gateway: Gateway,
  databaseUrl: string,
  page: PageFixture,
): Promise<NewMeasure[]> => {
  const { path, limit, head, tail, text, values } = page;
  const environment = { DATABASE_URL: databaseUrl, PAGE: JSON.stringify({ limit, head, tail, text, values }) };
  const bare = await startPeer('bare-page-server', environment, path);
  try {
    if ((await readBody(bare, { path })) !== page.body)
      throw new Error('The bare server does not answer the same page: nothing was measured');
    run.log(`${name}, ${page.body.length} characters`);
    const contestants = [
      served('gateway', gateway, { path, headers: gateway.headers }),
      served('bare', bare, { path }),
    ];
    const rates = await alternate(contestants, run);
    const [ours = [], theirs = []] = [rates.get('gateway'), rates.get('bare')];
    const { size } = run;
    const against = 'gateway against bare node:http and postgres.js';
    return [
      { id, name: `${name}: gateway`, values: ours, unit: 'pages/s', size },
      { id, name: `${name}: bare node:http and postgres.js`, values: theirs, unit: 'pages/s', size },
      {
        ...{ id, name: `${name}: ${against}`, values: ratios(ours, theirs), unit: '×', size },
        target: { at: 'least', value: target },
      },
    ];
  } finally {
    await bare.stop();
  }
};
