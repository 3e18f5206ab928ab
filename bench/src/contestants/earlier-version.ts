import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { benchFolder } from '../bench-server.js';
import { organizationLayout } from '../dataset/layout.js';
import type { Gateway, startGateway } from './gateways.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** An inbound gateway of an earlier version, with a copy of that version's own data. */
interface EarlierVersion {
  readonly gateway: Gateway;
  stop(): Promise<void>;
}

/** Checks out a version beside the benchmark's data, installs and builds it, unless that is done already. */
const buildVersion = async (commit: string, folder: string, log: (message: string) => void): Promise<void> => {
  if (existsSync(resolve(folder, 'bench/dist'))) return;
  log(`Building ${commit} in ${folder}`);
  await run('git', ['worktree', 'add', '--force', '--detach', folder, commit], { cwd: repository });
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  const packages = ['@crm/bench', '@crm/inbound-gateway'].map((name) => `--filter=${name}`);
  await run('npx', ['turbo', 'run', 'build', ...packages], { cwd: folder });
};

/**
 * Starts the inbound gateway of an earlier commit. The server and the data come from that commit's own benchmark,
 * because its tables may differ. The first call takes some minutes.
 *
 * @param size - opportunities of the large organization
 */
export const startEarlierVersion = async (
  commit: string,
  size: number,
  log: (message: string) => void,
): Promise<EarlierVersion> => {
  const { stdout } = await run('git', ['rev-parse', '--short=12', `${commit}^{commit}`], { cwd: repository });
  const folder = resolve(benchFolder, `version-${stdout.trim()}`);
  await buildVersion(stdout.trim(), folder, log);
  // The earlier benchmark reads this variable when it is loaded. Its data must be separate, because its tables may
  // differ. This process has already read its own value.
  process.env['CRM_BENCH_DIR'] = resolve(folder, '.crm-bench');
  const load = async <T>(path: string): Promise<T> =>
    (await import(pathToFileURL(resolve(folder, 'bench/dist', path)).href)) as T;
  const { startBenchServer } = await load<typeof import('../bench-server.js')>('bench-server.js');
  const contestants = await load<{ startGateway: typeof startGateway }>('contestants/gateways.js');
  const loading = await startBenchServer({ isDurable: false, log });
  await loading.database(size);
  await loading.stop();
  const server = await startBenchServer({ isDurable: true, log });
  const url = await server.copy(await server.database(size));
  const gateway = await contestants.startGateway('inbound-gateway', url, organizationLayout(1, size).id);
  const stop = async (): Promise<void> => {
    await gateway.stop();
    await server.dropCopy(url);
    await server.stop();
  };
  return { gateway, stop };
};
