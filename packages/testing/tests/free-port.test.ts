import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

import { describe, expect, it } from '@jest/globals';

import { findFreePort } from '../src/index.js';
import { reservePort } from '../src/gateway/free-port.js';

const freePortModule = new URL('../dist/gateway/free-port.js', import.meta.url).href;

/** Asks another process to reserve a port while both processes run. */
const isGivenElsewhere = async (port: number): Promise<boolean> => {
  const script = `const { reservePort } = await import('${freePortModule}'); process.exit((await reservePort(${port})) ? 0 : 1);`;
  const [exitCode] = (await once(
    spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' }),
    'exit',
  )) as [number];
  return exitCode === 0;
};

describe('findFreePort', () => {
  it('returns each port once, to one process, and leaves it free for a server', async () => {
    const port = await findFreePort();
    expect(await reservePort(port)).toBe(false);
    expect(await isGivenElsewhere(port)).toBe(false);
    expect(await findFreePort()).not.toBe(port);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    server.close();
  });

  it('lets another process reserve the port of an ended process', async () => {
    // Outside the range from which other tests get their ports.
    const next = 14_999;
    expect(await isGivenElsewhere(next)).toBe(true);
    expect(await isGivenElsewhere(next)).toBe(true);
  });
});
