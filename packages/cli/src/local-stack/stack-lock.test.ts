import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { takeStackLock } from './stack-lock.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stack-lock-'));
});
afterEach(() => rm(directory, { recursive: true }));

const leaveLock = (content: string): Promise<void> => writeFile(join(directory, 'start.lock'), content);

/** The id of a process that has just ended. */
const deadPid = async (): Promise<number> => {
  const child = spawn(process.execPath, ['-e', '0']);
  await new Promise((resolve) => child.once('exit', resolve));
  return child.pid ?? 0;
};

describe('takeStackLock', () => {
  it('has one holder at a time, and leaves no files', async () => {
    const lock = await takeStackLock(directory);
    expect(lock.recovered).toBe(false);
    await expect(takeStackLock(directory)).rejects.toThrow(/already runs here \(process \d+/);
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
    await (await takeStackLock(directory)).release();
  });

  it('is taken over from a process that has ended', async () => {
    await leaveLock(JSON.stringify({ pid: await deadPid(), startTicks: null }));
    const lock = await takeStackLock(directory);
    expect(lock.recovered).toBe(true);
    await expect(takeStackLock(directory)).rejects.toThrow(/already runs/);
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
  });

  it('is taken over from another process that had the same id', async () => {
    await leaveLock(JSON.stringify({ pid: process.pid, startTicks: '1' }));
    const takeOver = takeStackLock(directory);
    // Only Linux reports the start time of a process.
    if (process.platform === 'linux') expect((await takeOver).recovered).toBe(true);
    else await expect(takeOver).rejects.toThrow(/already runs/);
  });

  it.each(['', '{"pid":', 'null', '{"pid":"1"}'])('is taken over if it is damaged: %j', async (content) => {
    await leaveLock(content);
    expect((await takeStackLock(directory)).recovered).toBe(true);
  });
});
