import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { benchFolder } from '../bench-server.js';

const run = promisify(execFile);

const places = ['/usr/lib/postgresql/15/bin/pgbench', '/usr/bin/pgbench', '/usr/local/bin/pgbench'];

/** The options of running a statement with pgbench. */
interface PgbenchOptions {
  readonly databaseUrl: string;
  /** SQL in which `:random` is a different number each time. Of several statements, each run chooses one at random. */
  readonly sql: string | readonly string[];
  readonly seconds: number;
  readonly connections: number;
  /** Default: two. */
  readonly threads?: number;
}

/**
 * Runs a prepared statement as often as possible with pgbench, PostgreSQL's own benchmark client.
 * @returns runs a second
 * @throws Error if pgbench is not installed, or a run failed
 */
export const runPgbench = async ({
  databaseUrl,
  sql,
  seconds,
  connections,
  threads = 2,
}: PgbenchOptions): Promise<number> => {
  const program = places.find((place) => existsSync(place));
  if (program === undefined)
    throw new Error(`pgbench is not installed; install PostgreSQL's client tools (${places.join(', ')})`);
  const scripts = [sql].flat().map((text, index) => ({ text, file: resolve(benchFolder, `pgbench-${index}.sql`) }));
  for (const { text, file } of scripts)
    await writeFile(file, `\\set random random(1, 1000000000000000)\n${text.replaceAll(/\s*\n\s*/g, ' ').trim()};\n`);
  const settings = [
    '--no-vacuum',
    '--protocol=prepared',
    `--jobs=${threads}`,
    `--client=${connections}`,
    `--time=${seconds}`,
  ];
  const { stdout } = await run(program, [...settings, ...scripts.map(({ file }) => `--file=${file}`), databaseUrl]);
  const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1];
  const perSecond = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  if (!(perSecond > 0) || (failed !== undefined && failed !== '0')) throw new Error(`pgbench failed:\n${stdout}`);
  return perSecond;
};
