import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { benchFolder } from '../bench-server.js';
import { type Gateway, startGateway } from '../contestants/gateways.js';
import { pageScope } from '../contestants/page.js';
import type { NewMeasure } from '../harness/results.js';
import type { MeasureGroup } from '../harness/run.js';
import { median } from '../harness/statistics.js';

const execute = promisify(execFile);
const crm = fileURLToPath(new URL('../../../packages/cli/bin/crm.js', import.meta.url));

interface PageBody {
  readonly data: { readonly next_cursor: string | null };
}

/** The columns of an export. */
const exportedFields = [
  ...['id', 'pipeline_name', 'name', 'stage_name', 'amount', 'currency', 'close_date', 'next_action_date', 'next_step'],
  ...['account_domain', 'contact_email', 'additional_contacts', 'owner_email', 'created_at', 'updated_at', 'version'],
  'custom_fields',
];

type AskForPage = (gateway: Gateway, pipelineId: string, cursor: string) => Promise<Response>;

const askForDefault: AskForPage = (gateway, pipelineId, cursor) =>
  fetch(`${gateway.url}/v1/opportunities?pipeline_id=${pipelineId}&limit=500&cursor=${cursor}`, {
    headers: gateway.headers,
  });

const askForExported: AskForPage = (gateway, pipelineId, cursor) =>
  fetch(`${gateway.url}/v1/opportunities/search`, {
    method: 'POST',
    headers: { ...gateway.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ pipeline_id: pipelineId, sort: 'created_at', limit: 500, fields: exportedFields, cursor }),
  });

/** The time of every page of a walk through all records, in milliseconds. */
const walkAll = async (gateway: Gateway, pipelineId: string, ask: AskForPage): Promise<number[]> => {
  const times: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const startedAtMs = performance.now();
    const response = await ask(gateway, pipelineId, cursor);
    const text = await response.text();
    times.push(performance.now() - startedAtMs);
    if (response.status !== 200) throw new Error(`A page was answered ${response.status}`);
    cursor = (JSON.parse(text) as PageBody).data.next_cursor;
  }
  return times;
};

const sumOf = (times: readonly number[]): number => times.reduce((sum, ms) => sum + ms, 0);

const exportAll = async (gateway: Gateway, pipelineId: string): Promise<number> => {
  const startedAtMs = performance.now();
  const file = resolve(benchFolder, 'export.jsonl');
  const parameters = ['export', 'opportunities', '--pipeline', pipelineId, '--format', 'jsonl', '--restart'];
  await rm(file, { force: true });
  await execute(process.execPath, [crm, ...parameters, '--output', file], {
    env: { ...process.env, CRM_READ_URL: gateway.url, CRM_API_KEY: gateway.headers['x-api-key'] },
    maxBuffer: 64 * 1024 * 1024,
  });
  const tookMs = performance.now() - startedAtMs;
  await rm(file, { force: true });
  return tookMs;
};

/** S12: all opportunities of a pipeline of nine hundred thousand, read page by page and with `crm export`. */
export const walk: MeasureGroup = {
  ids: ['S12'],
  measure: async (run) => {
    const [, size] = run.sizes;
    const { organizationId, pipelineId } = pageScope(size);
    const gateway = await startGateway('read-gateway', await run.server.database(size), organizationId);
    try {
      run.log('A walk through everything');
      const times = await walkAll(gateway, pipelineId, askForDefault);
      run.log(`  ${times.length} pages in ${(sumOf(times) / 1000).toFixed(1)} s`);
      const sumMs = sumOf(await walkAll(gateway, pipelineId, askForExported));
      run.log(`  as many with all columns in ${(sumMs / 1000).toFixed(1)} s`);
      const exportMs = await exportAll(gateway, pipelineId);
      run.log(`  export in ${(exportMs / 1000).toFixed(1)} s`);
      const tenth = Math.floor(times.length / 10);
      const drift = median(times.slice(-tenth)) / median(times.slice(tenth, 2 * tenth));
      const measures: NewMeasure[] = [
        { id: 'S12', name: 'page of a walk by 500, p50', values: [median(times)], unit: 'ms', size },
        {
          ...{
            id: 'S12',
            name: 'page time in the last tenth of the walk against the second tenth',
            values: [drift],
            unit: '×',
            size,
          },
          target: { at: 'most', value: 1.25 },
        },
        {
          ...{
            id: 'S12',
            name: 'time to export against the sum of its pages',
            values: [exportMs / sumMs],
            unit: '×',
            size,
          },
          target: { at: 'most', value: 1.25 },
        },
      ];
      return measures;
    } finally {
      await gateway.stop();
    }
  },
};
