import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exitCodes } from '../errors.js';
import { linkDemoFile, publishDemoFile, readDemoFile, withdrawDemoFile } from './demo-file.js';
import { readStackSettings } from './settings.js';
import { takeStackLock } from './stack-lock.js';

describe('readStackSettings', () => {
  it('has a default for every setting, and reads a directory and ports', () => {
    const defaults = {
      directory: `${process.cwd()}/.crm`,
      ports: { 'read-gateway': 4000, 'inbound-gateway': 4001, 'webhook-worker': 4002 },
    };
    expect(readStackSettings({ CRM_DATA_DIR: '', CRM_READ_PORT: '' })).toEqual(defaults);
    const env = { CRM_DATA_DIR: '/srv/crm', CRM_READ_PORT: '80', CRM_INBOUND_PORT: '65535' };
    expect(readStackSettings(env)).toEqual({
      directory: '/srv/crm',
      ports: { 'read-gateway': 80, 'inbound-gateway': 65_535, 'webhook-worker': 4002 },
    });
  });

  it('names every variable at fault', () => {
    expect(() => readStackSettings({ CRM_READ_PORT: '0', CRM_INBOUND_PORT: '65536' })).toThrow(
      expect.objectContaining({
        exitCode: exitCodes.configuration,
        message: 'CRM_READ_PORT must be a port from 1 to 65535\nCRM_INBOUND_PORT must be a port from 1 to 65535',
      }),
    );
    expect(() => readStackSettings({ CRM_READ_PORT: '4001' })).toThrow(/must differ/);
    const refused = { CRM_READ_PORT: '6000', CRM_WEBHOOK_PORT: '5060' };
    expect(() => readStackSettings(refused)).toThrow(
      /^CRM_READ_PORT must not be 6000: .*\nCRM_WEBHOOK_PORT must not be 5060: /,
    );
  });
});

describe('linkDemoFile', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'demo-link-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('links a stack with another data directory, and leaves the file and the link of others', async () => {
    const [usual, one, other] = ['.crm', 'one', 'other'].map((name) => join(directory, name));
    for (const data of [one, other]) await mkdir(data ?? '');
    const demo = {
      read_url: '',
      inbound_url: '',
      api_key: 'one',
      pipeline_id: '',
      organization_id: '',
      database_url: '',
    };
    await publishDemoFile(one ?? '', demo);
    await publishDemoFile(other ?? '', { ...demo, api_key: 'other' });
    const unlink = await linkDemoFile(one ?? '', usual);
    expect(await readDemoFile(usual ?? '')).toEqual(demo);
    await linkDemoFile(other ?? '', usual);
    await unlink?.();
    expect(await readDemoFile(usual ?? '')).toMatchObject({ api_key: 'other' });
    // A stack that starts in the usual directory takes it over, and keeps its own stopped file.
    await withdrawDemoFile(usual ?? '');
    await publishDemoFile(usual ?? '', { ...demo, api_key: 'usual' });
    expect(await linkDemoFile(one ?? '', usual)).toBeUndefined();
    expect(await withdrawDemoFile(usual ?? '')).toMatchObject({ api_key: 'usual' });
  });
});

describe('takeStackLock', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stack-lock-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const leaveLock = (content: string): Promise<void> => writeFile(join(directory, 'start.lock'), content);

  it('has one holder at a time, and leaves no files', async () => {
    const lock = await takeStackLock(directory);
    expect(lock.recovered).toBe(false);
    await expect(takeStackLock(directory)).rejects.toThrow(/already runs here \(process \d+/);
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
  });

  it('is taken over from a process that has ended', async () => {
    const { pid } = spawnSync('true');
    await leaveLock(JSON.stringify({ pid, startTicks: null }));
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

  it.each(['', '{"pid":', '{"pid":"1"}'])('is taken over if it is damaged: %j', async (content) => {
    await leaveLock(content);
    expect((await takeStackLock(directory)).recovered).toBe(true);
  });
});
