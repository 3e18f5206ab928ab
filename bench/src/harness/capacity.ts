import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { benchFolder } from '../bench-server.js';
import type { LoadRequest } from './load.js';

const run = promisify(execFile);

/** Which request to send how long; the same one each time. */
export interface CapacityOptions {
  readonly url: string;
  readonly request: LoadRequest;
  readonly seconds: number;
  /** Connections, each of which sends its next request when the answer is there. */
  readonly connections: number;
}

/** What came of it. */
export interface Capacity {
  readonly perSecond: number;
  readonly requests: number;
}

interface Summary {
  readonly requests: number;
  readonly microseconds: number;
  readonly failed: number;
  readonly refused: number;
}

/** A text of Lua: JSON's escapes are Lua's, as long as all that is sent is ASCII. */
const luaText = (text: string): string => {
  if (/[^\x20-\x7e]/.test(text)) throw new Error('What wrk sends has to be printable ASCII');
  return JSON.stringify(text);
};

const script = ({ method = 'GET', headers = {}, body }: LoadRequest): string => `
wrk.method = ${luaText(method)}
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers[${luaText(name)}] = ${luaText(value)}`)
  .join('\n')}
${body === undefined ? '' : `wrk.body = ${luaText(body())}`}
done = function(summary)
  local errors = summary.errors
  io.write(string.format('\\nsummary {"requests":%d,"microseconds":%d,"failed":%d,"refused":%d}\\n', summary.requests,
    summary.duration, errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
`;

const runWrk = async (args: readonly string[]): Promise<string> => {
  try {
    return (await run('wrk', [...args])).stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('wrk is needed to send load: install it (apt install wrk)', { cause: error });
  }
};

/**
 * Sends one request as often as a server answers it. wrk takes a hundredth of the CPU that a client in Node takes, which servers on
 * the same machine would lack.
 * @throws Error where wrk is not installed, or when any answer was an error or did not come
 */
export const measureCapacity = async (options: CapacityOptions): Promise<Capacity> => {
  const { url, request, seconds, connections } = options;
  const file = resolve(benchFolder, 'wrk.lua');
  await writeFile(file, script(request), { mode: 0o600 });
  const limits = ['--threads=1', `--connections=${connections}`, `--duration=${seconds}s`, '--timeout=30s'];
  const stdout = await runWrk([...limits, `--script=${file}`, `${url}${request.path}`]);
  const text = /^summary (\{.*\})$/m.exec(stdout)?.[1];
  if (text === undefined) throw new Error(`wrk did not say what came of it:\n${stdout}`);
  const { requests, microseconds, failed, refused } = JSON.parse(text) as Summary;
  if (failed > 0 || refused > 0) throw new Error(`${request.path}: ${failed} requests failed, ${refused} were refused`);
  return { perSecond: requests / (microseconds / 1e6), requests };
};
