import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { deals, useImportFixture } from './import-fixture.js';

const launcher = new URL('../bin/crm.js', import.meta.url).pathname;

const fixture = useImportFixture();
beforeEach(async () => {
  await fixture.write('deals.csv', deals(3));
  await fixture.write('bad.csv', 'Name,Value,Domain\nA,x,a.com');
});

/** Runs `crm` with one output whose reader has closed it. Returns the exit code and the text of the other output. */
const runClosed = async (closed: 'stdout' | 'stderr', args: readonly string[]): Promise<[unknown, string]> => {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: fixture.directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  child[closed].destroy();
  const shown = await text(closed === 'stdout' ? child.stderr : child.stdout);
  const [exitCode] = (await ended) as [unknown];
  return [exitCode, shown];
};

describe('crm, when the reader of its output has closed it', () => {
  it.each([
    [0, ['--help']],
    [0, ['import', '--help']],
    [0, ['import', 'deals.csv', '--mapping', 'deals.yaml', '--dry-run']],
    [0, ['import', 'deals.csv', '--mapping', 'deals.yaml', '--dry-run', '--json']],
    [1, ['import', 'bad.csv', '--mapping', 'deals.yaml', '--dry-run']],
  ])('exits with %d and prints no error after %j', async (exitCode, args) => {
    const hint = 'Emails, owners and options are not checked. Give --read-url to check them too.\n';
    expect(await runClosed('stdout', args)).toEqual([exitCode, args.includes('--dry-run') ? hint : '']);
  });

  it('finishes its work if only stderr has no reader', async () => {
    const args = ['import', 'none.csv', '--mapping', 'deals.yaml', '--dry-run', '--json'];
    const [exitCode, stdout] = await runClosed('stderr', args);
    expect([exitCode, JSON.parse(stdout)]).toEqual([78, { error: expect.objectContaining({ exit_code: 78 }) }]);
  });

  it('fails with one line if its output cannot be written', async () => {
    const full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, [launcher, '--help'], { stdio: ['ignore', full.fd, 'pipe'] });
    const ended = once(child, 'exit');
    const shown = await text(child.stderr ?? new ReadableStream());
    await full.close();
    expect([(await ended)[0], shown]).toEqual([
      1,
      'crm: stdout cannot be written: ENOSPC: no space left on device, write\n',
    ]);
  });
});
