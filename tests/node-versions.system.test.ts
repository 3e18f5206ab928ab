import { execFile } from 'node:child_process';
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { startOwnStack } from './support/running-stack.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-node-versions-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The path of the Node program of this version, from the npm registry. */
const findNode = async (major: number): Promise<string> => {
  const print = ['-c', 'node --print process.execPath'];
  // The package `node` downloads its program in an install script, which this repository turns off for its own
  // packages.
  const args = ['--yes', '--ignore-scripts=false', '-p', `node@${major}`, ...print];
  const { stdout } = await promisify(execFile)('npx', args, { cwd: directory });
  return stdout.trim();
};

describe.each([22, 24])('Node %i', (major) => {
  test('runs the whole stack: a deal is created, repeated and listed', async () => {
    const node = await findNode(major);
    const stack = await startOwnStack(node);
    try {
      const { demo } = stack;
      expect(await readlink(`/proc/${await stack.process.childPid('read-gateway')}/exe`)).toBe(node);
      const headers = { 'x-api-key': demo['api_key'] ?? '', 'content-type': 'application/json' };
      const body = JSON.stringify({
        pipeline_id: demo['pipeline_id'],
        opportunity: { name: `On Node ${major}` },
        related_objects: { account_domain: 'acme.com', primary_contact_email: 'ann@acme.com' },
      });
      for (const status of ['created', 'matched']) {
        const url = `${demo['inbound_url']}/v1/inbound/opportunities`;
        const answer = await fetch(url, { method: 'POST', headers, body });
        expect([answer.status, answer.headers.get('x-record-status')]).toEqual([200, status]);
      }
      const list = await fetch(`${demo['read_url']}/v1/opportunities?pipeline_id=${demo['pipeline_id']}`, { headers });
      expect(list.status).toBe(200);
      expect(await list.text()).toContain(`On Node ${major}`);
    } finally {
      expect(await stack.end()).toBe(0);
    }
  });
});
