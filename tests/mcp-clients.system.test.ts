/** @needs python3 python3-venv go */
import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readTestStack } from '@crm/testing';
import { launcher } from './support/running-stack.js';
import { type McpServerProcess, startMcpServer } from './support/mcp-server.js';

const run = promisify(execFile);
/** Guards against hangs only: most of the time is the download of the packages. */
const timeoutMs = 600_000;
const sources = fileURLToPath(new URL('support/mcp-clients/', import.meta.url));

let server: McpServerProcess;
beforeAll(async () => {
  server = await startMcpServer(readTestStack());
});
afterAll(async () => {
  // Go makes the files of its cache read-only.
  await run('chmod', ['-R', 'u+w', server.directory]);
  await server.stop();
});

/** By client: installs it in an environment of its own. @returns the command line of the program that does the task with it */
const clients: Readonly<Record<string, (folder: string) => Promise<readonly [string, ...string[]]>>> = {
  'fastmcp (Python), and google-genai': async (folder) => {
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin/pip'), ['install', '--quiet', 'fastmcp==4.2.3', 'google-genai==3.6.1']);
    return [join(folder, 'bin/python'), join(sources, 'client.py')];
  },
  'the Go SDK of the protocol': async (folder) => {
    const options = { cwd: folder, env: { ...process.env, GOPATH: join(folder, 'gopath'), GOFLAGS: '-mod=mod' } };
    await mkdir(folder);
    await copyFile(join(sources, 'client.go'), join(folder, 'client.go'));
    await run('go', ['mod', 'init', 'client'], options);
    await run('go', ['get', 'github.com/modelcontextprotocol/go-sdk@v1.8.0'], options);
    await run('go', ['build', '-o', 'client', '.'], options);
    return [join(folder, 'client')];
  },
};

describe.each(Object.entries(clients))('%s', (name, install) => {
  let command: readonly [string, ...string[]];
  beforeAll(async () => {
    command = await install(join(server.directory, String(name.length)));
  }, timeoutMs);

  test.each(['HTTP', 'stdio'])('does the same task as the clients in TypeScript over %s', async (kind) => {
    const { url, key, env } = server;
    const ways = kind === 'HTTP' ? { URL: url, KEY: key } : { LAUNCHER: launcher, ...env };
    const [file, ...args] = command;
    const { stdout } = await run(file, [...args, `${name} over ${kind}`], {
      env: { PATH: process.env['PATH'], ...ways },
    });
    // google-genai converts every tool; before, it dropped those with `additionalProperties`.
    const gemini = name.includes('google-genai') && { gemini: 15 };
    expect(JSON.parse(stdout)).toEqual({ tools: 15, stage: 'Won', notes: 1, ...gemini });
  });
});
