import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { benchFolder } from '../bench-server.js';

const run = promisify(execFile);

/** A request to send repeatedly. */
export interface LoadRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In each request, `{n}` is replaced by the number of the request. */
  readonly body?: string;
  /** The number of bodies, after which the numbers begin again; by default they never do. */
  readonly bodies?: number;
}

/** What to send, and for how long. */
interface LoadOptions {
  readonly url: string;
  readonly request: LoadRequest;
  readonly seconds: number;
  /** The number of connections. Each sends its next request after the previous response. */
  readonly connections: number;
}

interface Summary {
  readonly requests: number;
  readonly microseconds: number;
  readonly failed: number;
  readonly refused: number;
}

/** A Lua string literal. For printable ASCII, JSON and Lua have the same escapes. */
const luaText = (text: string): string => {
  if (/[^\x20-\x7e]/.test(text)) throw new Error('wrk can send only printable ASCII');
  return JSON.stringify(text);
};

const numberedBodies = (body: string, bodies: number): string => `
local n = 0
request = function()
  n = n + 1
  return wrk.format(nil, nil, nil, (string.gsub(${luaText(body)}, '{n}', string.format('%d', n % ${bodies}))))
end`;

const script = ({ method = 'GET', headers = {}, body, bodies = 1e9 }: LoadRequest): string => `
wrk.method = ${luaText(method)}
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers[${luaText(name)}] = ${luaText(value)}`)
  .join('\n')}
${body === undefined ? '' : numberedBodies(body, bodies)}
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
    throw new Error('wrk is not installed; install it (apt install wrk)', { cause: error });
  }
};

/**
 * Sends a request as often as the server can answer. wrk takes a hundredth of the CPU of a client in Node, and leaves
 * the rest to servers on the same machine.
 * @returns requests a second
 * @throws Error if wrk is not installed, or if any request failed or got no response
 */
export const sendLoad = async ({ url, request, seconds, connections }: LoadOptions): Promise<number> => {
  const file = resolve(benchFolder, 'wrk.lua');
  await writeFile(file, script(request), { mode: 0o600 });
  const limits = ['--threads=1', `--connections=${connections}`, `--duration=${seconds}s`, '--timeout=30s'];
  const stdout = await runWrk([...limits, `--script=${file}`, `${url}${request.path}`]);
  const text = /^summary (\{.*\})$/m.exec(stdout)?.[1];
  if (text === undefined) throw new Error(`wrk printed no summary:\n${stdout}`);
  const { requests, microseconds, failed, refused } = JSON.parse(text) as Summary;
  if (failed > 0 || refused > 0) throw new Error(`${request.path}: ${failed} requests failed, ${refused} were refused`);
  return requests / (microseconds / 1e6);
};
