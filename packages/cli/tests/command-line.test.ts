import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTestStack } from '@crm/testing';
import { describe, expect, it, test } from '@jest/globals';
import { runCrm } from './run-crm.js';
import { breaks } from './support/printed-json.js';

const unknownId = '01890000-0000-7000-8000-000000000001';

describe('crm', () => {
  it('prints its version', async () => {
    const file = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(file) as { version: string };
    expect(await runCrm(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    [['imprt'], 'import'],
    [['key', 'crate'], 'create'],
    [['import', '--dryrun'], '--dry-run'],
  ])('suggests the nearest command for %j', async (words, nearest) => {
    const { exitCode, stdout, stderr } = await runCrm(words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`Did you mean ${nearest}?`);
  });
});

test('what a command no longer prints is named', () => {
  const printed = {
    keys: [
      { key_id: 'a', label: 1, limits: { list: 1 } },
      { key_id: 1, limits: {} },
    ],
    has_more: true,
  };
  const shape = { keys: [{ key_id: 'string', label: 'null', limits: {} }], total: 'number' };
  const lost = [
    'key list.keys[].key_id was "string" and is 1',
    'key list.keys[].label is gone',
    'key list.total is gone',
  ];
  expect(breaks(shape, printed, 'key list')).toEqual(lost);
});

describe('every command', () => {
  it.each([
    ['key', 'rotate', unknownId],
    ['org', 'limit', 'list=1'],
    ['api', 'GET', '/v1/members'],
  ])('reports an unknown organization: %s %s', async (...args) => {
    const env = { DATABASE_URL: readTestStack().databaseUrl };
    const result = await runCrm([...args, '--org', unknownId, '--json'], env);
    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`no organization ${unknownId}`) });
    expect(JSON.parse(result.stdout)).toEqual({ error: { message: expect.any(String), exit_code: 1 } });
  });

  it('asks for a database, and prints no password if the database is unreachable', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'crm-command-line-'));
    const list = (...args: string[]) => runCrm(['org', 'list', ...args], { CRM_DATA_DIR: directory });
    expect(await list()).toMatchObject({ exitCode: 78, stderr: expect.stringContaining('DATABASE_URL') });
    expect(await list('--database-url', 'mysql://x')).toMatchObject({ exitCode: 78 });
    const away = await list('--database-url', 'postgres://crm:s3cret@127.0.0.1:1/crm');
    expect(away).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/127.0.0.1:1\/crm cannot be used.* password are/),
    });
    expect(away.stderr).not.toContain('s3cret');
    await rm(directory, { recursive: true });
  });
});
