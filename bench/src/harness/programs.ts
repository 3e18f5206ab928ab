import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { benchFolder } from '../bench-server.js';

/** Runs a program. @returns what it printed. @throws Error with the Debian package to install if it is missing */
const run = async (program: string, args: readonly string[], debianPackage: string): Promise<string> => {
  try {
    return (await promisify(execFile)(program, [...args])).stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`${program} is not installed: apt install ${debianPackage}`, { cause: error });
  }
};

/** A request to send. */
export interface BenchRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** With a body of JSON, the request is a POST. With wrk, `{n}` is replaced by the number of the request. */
  readonly body?: string;
  /** The number of bodies, after which the numbers begin again; by default they never do. */
  readonly bodies?: number;
}

/** A Lua string literal. For printable ASCII, JSON and Lua have the same escapes. */
const luaText = (text: string): string => {
  if (/[^\x20-\x7e]/.test(text)) throw new Error('wrk can send only printable ASCII');
  return JSON.stringify(text);
};

const wrkScript = ({ headers = {}, body, bodies = 1e9 }: BenchRequest): string => {
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${luaText(name)}] = ${luaText(value)}`);
  if (body === undefined) return lines.join('\n');
  return `${lines.join('\n')}
    wrk.method = 'POST'
    wrk.headers['content-type'] = 'application/json'
    local n = 0
    request = function()
      n = n + 1
      return wrk.format(nil, nil, nil, (string.gsub(${luaText(body)}, '{n}', string.format('%d', n % ${bodies}))))
    end`;
};

/** The number of callers, by default: more than any pool has connections, so that no connection is idle. */
const defaultCallers = 16;

/**
 * Sends a request as often as the server can answer. wrk takes a hundredth of the CPU of a client in Node, and leaves
 * the rest to servers on the same machine.
 * @returns requests a second
 * @throws Error if any request failed or got no response
 */
export const sendLoad = async (
  url: string,
  request: BenchRequest,
  seconds: number,
  callers = defaultCallers,
): Promise<number> => {
  const file = resolve(benchFolder, 'wrk.lua');
  await writeFile(file, wrkScript(request), { mode: 0o600 });
  const limits = ['--threads=1', `--connections=${callers}`, `--duration=${seconds}s`, '--timeout=30s'];
  const printed = await run('wrk', [...limits, `--script=${file}`, `${url}${request.path}`], 'wrk');
  const perSecond = Number(/^Requests\/sec: +([\d.]+)$/m.exec(printed)?.[1]);
  if (!(perSecond > 0) || /Socket errors|Non-2xx/.test(printed))
    throw new Error(`${request.path}: some requests failed\n${printed}`);
  return perSecond;
};

/** The options of running a statement with pgbench. */
interface PgbenchOptions {
  readonly databaseUrl: string;
  /** SQL in which `:random` is a different number each time. Of several statements, each run chooses one at random. */
  readonly sql: readonly string[];
  readonly seconds: number;
  readonly connections: number;
}

/**
 * Runs a prepared statement as often as possible with pgbench, PostgreSQL's own benchmark client.
 * @returns runs a second
 * @throws Error if a run failed
 */
export const runPgbench = async ({ databaseUrl, sql, seconds, connections }: PgbenchOptions): Promise<number> => {
  const files = sql.map((_, index) => resolve(benchFolder, `pgbench-${index}.sql`));
  for (const [index, file] of files.entries()) {
    const statement = (sql[index] ?? '').replaceAll(/\s*\n\s*/g, ' ').trim();
    await writeFile(file, `\\set random random(1, 1000000000000000)\n${statement};\n`);
  }
  const settings = ['--no-vacuum', '--protocol=prepared', `--client=${connections}`, `--time=${seconds}`];
  const threads = `--jobs=${Math.min(2, connections)}`;
  const args = [...settings, threads, ...files.map((file) => `--file=${file}`), databaseUrl];
  const printed = await run('pgbench', args, 'postgresql-contrib');
  const perSecond = Number(/^tps = ([\d.]+)/m.exec(printed)?.[1]);
  if (!(perSecond > 0) || /failed transactions: [1-9]/.test(printed)) throw new Error(`pgbench failed:\n${printed}`);
  return perSecond;
};
