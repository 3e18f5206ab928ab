import { type Gateway, startGateway } from '../contestants/gateways.js';
import { pageScope } from '../contestants/page.js';
import { searchWords } from '../dataset/layout.js';
import type { NewMeasure } from '../harness/results.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { percentile } from '../harness/statistics.js';

const requestsOfQuick = 20;
const requestsOfFull = 100;
/** The target: the statement timeout plus half a second for the rest of a request. */
const boundMs = 5_500;
/** Two characters that are adjacent in no name. */
const shortWord = 'q7';

const ask = async (gateway: Gateway, size: number, word: string): Promise<{ status: number; ms: number }> => {
  const startedAtMs = performance.now();
  const url = `${gateway.url}/v1/opportunities?pipeline_id=${pageScope(size).pipelineId}&q=${encodeURIComponent(word)}`;
  const response = await fetch(url, { headers: gateway.headers });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - startedAtMs };
};

const measureWord = async (
  run: Run,
  gateway: Gateway,
  name: string,
  word: string,
  mostMs = 50,
): Promise<NewMeasure> => {
  const [, size] = run.sizes;
  const times: number[] = [];
  for (let request = 0; request < (run.isQuick ? requestsOfQuick : requestsOfFull); request += 1) {
    const { status, ms } = await ask(gateway, size, word);
    if (status !== 200) throw new Error(`q=${word} was answered ${status}`);
    // The first request reads from disk what the others find in memory.
    if (request > 0) times.push(ms);
  }
  run.log(`  ${name}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`);
  const target = { at: 'most', value: mostMs } as const;
  return { id: 'S7', name: `q, ${name}: p99`, values: [percentile(times, 0.99)], unit: 'ms', target, size };
};

const measureShortWord = async (run: Run, gateway: Gateway): Promise<NewMeasure> => {
  const [, size] = run.sizes;
  // The first request reads from disk what the second finds in memory.
  await ask(gateway, size, shortWord);
  const { status, ms } = await ask(gateway, size, shortWord);
  if (status !== 200 && status !== 503) throw new Error(`q=${shortWord} was answered ${status}`);
  run.log(`  two characters: ${ms.toFixed(0)} ms, status ${status}`);
  const target = { at: 'most', value: boundMs } as const;
  return {
    id: 'S7',
    name: 'q, two characters in no name',
    values: [ms],
    unit: 'ms',
    detail: `status ${status}`,
    target,
    size,
  };
};

/**
 * S7: searches over HTTP for rare, common and absent words, and for a word of old records only, one request after the
 * other.
 */
export const searches: MeasureGroup = {
  ids: ['S7'],
  measure: async (run) => {
    const [, size] = run.sizes;
    const gateway = await startGateway('read-gateway', await run.server.database(size), pageScope(size).organizationId);
    try {
      run.log('Searches');
      const { common, rare, absent, oldClustered } = searchWords;
      return [
        await measureWord(run, gateway, 'common', common),
        await measureWord(run, gateway, 'rare', rare),
        await measureWord(run, gateway, 'absent', absent),
        // The newest records do not match, so the gateway collects and sorts all matches.
        await measureWord(run, gateway, 'old-clustered', oldClustered, 250),
        await measureShortWord(run, gateway),
      ];
    } finally {
      await gateway.stop();
    }
  },
};
