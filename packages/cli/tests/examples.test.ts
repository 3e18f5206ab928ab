import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ImportFixture, pipelineId } from './import-fixture.js';
import { runCrm, type CrmResult } from './run-crm.js';
import { startStubReadGateway, type StubReadGateway } from './stub-read-gateway.js';

const example = (name: string): string => fileURLToPath(new URL(`../examples/${name}`, import.meta.url));
const sample = example('sales-pipeline.sample.csv');
const mapping = example('sales-pipeline.yaml');

let fixture: ImportFixture;
let read: StubReadGateway;
beforeEach(async () => {
  fixture = await ImportFixture.create();
  const pipeline = { id: pipelineId, name: 'Sales' };
  read = await startStubReadGateway(pipeline, ['Prospecting', 'Engaging', 'Won', 'Lost']);
});
afterEach(async () => {
  await read.close();
  await fixture.remove();
});

const importSample = (url: string, ...more: string[]): Promise<CrmResult> => {
  const files = [sample, '--mapping', mapping, '--rejects', fixture.path('rejects.csv')];
  return runCrm(['import', ...files, '--url', url, '--api-key', 'crm_live_x', '--batch', '1', ...more]);
};

describe('the example mapping', () => {
  it('fits its sample without a server', async () => {
    const result = await runCrm(['import', sample, '--mapping', mapping, '--dry-run', '--json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ rows: 8, rejected: 0 });
  });

  it('sends these requests, with the pipeline found by name and the stages by label', async () => {
    const { url, requests } = await fixture.start();
    const result = await importSample(url, '--read-url', read.url, '--pipeline', 'Sales', '--concurrency', '1');
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('created  8') });
    expect(requests[2]?.body).toEqual({
      pipeline_id: pipelineId,
      opportunity: {
        name: 'MG Special SAMPLE03',
        stage_id: 'stage-Lost',
        deal_size: 0,
        close_date: Date.UTC(2025, 1, 28),
        custom_fields: { product: 'MG Special', engage_date: Date.UTC(2025, 0, 9) },
      },
      related_objects: { account_domain: 'halemossco.com', owner_email: 'bruno.keller@example.com' },
    });
    expect(requests[3]?.body).toEqual({
      pipeline_id: pipelineId,
      opportunity: {
        name: 'GTX Plus Pro SAMPLE04',
        stage_id: 'stage-Prospecting',
        custom_fields: { product: 'GTX Plus Pro' },
      },
      related_objects: { owner_email: 'bruno.keller@example.com' },
    });
  });

  it('reports what is missing to find the pipeline and the stages, before anything is sent', async () => {
    const { url, requests } = await fixture.start();
    const expectations: [string[], number, RegExp][] = [
      [[], 2, /No pipeline is given\./],
      [['--pipeline', 'Sales'], 2, /give --read-url/],
      [['--pipeline', pipelineId], 2, /Give --read-url/],
      [['--pipeline', 'Nope', '--read-url', read.url], 78, /no pipeline "Nope"\. The pipelines are: Sales\./],
      [
        ['--pipeline', pipelineId.replace('1', '2'), '--read-url', read.url],
        78,
        /has no pipeline \S+\. Check --pipeline.* and --read-url/,
      ],
      [
        ['--pipeline', pipelineId, '--read-url', `${read.url}/`, '--api-key', 'other'],
        1,
        /answered HTTP 401: Unauthorized\. Check --api-key/,
      ],
      [['--pipeline', pipelineId, '--read-url', 'http://127.0.0.1:1'], 1, /does not answer/],
    ];
    for (const [args, exitCode, stderr] of expectations) {
      expect(await importSample(url, ...args)).toMatchObject({ exitCode, stderr: expect.stringMatching(stderr) });
    }
    expect(requests).toHaveLength(0);
  });
});
