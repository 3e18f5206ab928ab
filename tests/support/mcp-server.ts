import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestStack } from '@crm/testing';
import { launcher } from './running-stack.js';
import { setUpOrganization } from './two-organizations.js';

/** `crm mcp --http` for an organization of its own, in the form of a local stack. */
export interface McpServerProcess {
  readonly url: string;
  /** Allows everything but deletions: 15 tools. */
  readonly key: string;
  /** An empty folder, besides the file of the local stack. */
  readonly directory: string;
  /** The variables with which `crm mcp` finds the gateways as in the folder of a local stack. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const urlOf = (server: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [, url] = /at (http:\S+\/mcp)/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
    server.once('exit', () => reject(new Error(output)));
  });

/** Starts `crm mcp --http` on the gateways that all test files share. */
export const startMcpServer = async (stack: TestStack): Promise<McpServerProcess> => {
  let key = '';
  const { organization } = await setUpOrganization(stack, async (own) => {
    ({ key } = await own.createKey({ allow: ['list', 'search', 'inbound', 'bulk', 'webhooks'] }));
  });
  const demo = {
    ...{ read_url: stack.readUrl, inbound_url: stack.inboundUrl, database_url: stack.databaseUrl, api_key: key },
    ...{ organization_id: organization.id, pipeline_id: organization.pipeline.id },
  };
  const directory = await mkdtemp(join(tmpdir(), 'crm-mcp-'));
  await writeFile(join(directory, 'demo.json'), JSON.stringify(demo));
  const env = { CRM_DATA_DIR: directory };
  const server = spawn(process.execPath, [launcher, 'mcp', '--http', '0'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  };
  return { url: await urlOf(server), key, directory, env, stop };
};
