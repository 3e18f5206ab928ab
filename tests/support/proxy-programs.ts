import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, startProgram } from '@crm/testing';

const page = new URL('../../docs/how-to/run-behind-a-proxy.md', import.meta.url);

/** A running proxy. */
export interface RunningProxy {
  /** Without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The gateways that the examples call `127.0.0.1:4000`, `:4002` (reading) and `:4001` (inbound). */
export interface ExampleGateways {
  readonly read: readonly [string, string];
  readonly inbound: string;
}

/** Everything around the example of nginx that a package of nginx brings. */
const aroundNginx = (folder: string, example: string): string => {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const folders = kinds.map((kind) => `  ${kind}_temp_path ${folder}/${kind};`);
  const lines = [
    'daemon off;',
    `pid ${folder}/pid;`,
    'error_log stderr crit;',
    'events {}',
    'http {',
    '  access_log off;',
  ];
  return [...lines, ...folders, example, '}'].join('\n');
};

/** The example of the page for a program, with the addresses of a test. */
const readExample = async (language: string, port: number, { read, inbound }: ExampleGateways): Promise<string> => {
  const text = await readFile(page, 'utf8');
  const example = new RegExp('```' + language + '\n([^]*?)```').exec(text)?.[1];
  if (example === undefined) throw new Error(`The page has no example for ${language}`);
  return example
    .replace(/(bind |listen ):?8080/, `$1127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:4000', new URL(read[0]).host)
    .replaceAll('127.0.0.1:4002', new URL(read[1]).host)
    .replaceAll('127.0.0.1:4001', new URL(inbound).host);
};

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Starts HAProxy or nginx with the example of the page, and waits until a request gets through. */
export const startExample = async (language: 'haproxy' | 'nginx', gateways: ExampleGateways): Promise<RunningProxy> => {
  const folder = await mkdtemp(join(tmpdir(), `crm-${language}-`));
  // Started by root, the workers run as another user.
  await chmod(folder, 0o755);
  const port = await findFreePort();
  const example = await readExample(language, port, gateways);
  const file = join(folder, 'configuration');
  await writeFile(file, language === 'nginx' ? aroundNginx(folder, example) : example);
  const command =
    language === 'nginx'
      ? (['/usr/sbin/nginx', '-e', 'stderr', '-c', file] as const)
      : (['/usr/sbin/haproxy', '-db', '-f', file] as const);
  const url = `http://127.0.0.1:${port}`;
  const program = await startProgram(command, () => answers(url));
  return {
    url,
    stop: async () => {
      await program.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
