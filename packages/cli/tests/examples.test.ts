import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, it } from '@jest/globals';

import { runCrm } from './run-crm.js';
import { startStubGateway, type StubGateway } from './stub-inbound-gateway.js';

const example = (name: string): string => fileURLToPath(new URL(`../examples/${name}`, import.meta.url));
const pipelineId = '01890000-0000-7000-8000-000000000001';

let gateway: StubGateway | undefined;
afterEach(() => gateway?.close());

describe('the example mapping', () => {
  it('fits its sample', async () => {
    gateway = await startStubGateway();
    const mapping = await readFile(example('sales-pipeline.yaml'), 'utf8');
    expect(mapping).toContain('Prospecting, Engaging, Won, Lost');
    const args = ['import', example('sales-pipeline.sample.csv'), '--mapping', example('sales-pipeline.yaml')];
    const result = await runCrm([...args, '--dry-run', '--json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ rows: 8, rejected: 0 });
    const unresolved = await runCrm([...args, '--url', gateway.url, '--api-key', 'k', '--pipeline', pipelineId]);
    expect(unresolved).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Give --read-url') });
  });
});
