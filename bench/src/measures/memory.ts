import { setTimeout as sleep } from 'node:timers/promises';
import { type Gateway, startGateway } from '../contestants/gateways.js';
import { pageScope } from '../contestants/page.js';
import { sendLoad } from '../harness/load.js';
import { residentMibOf } from '../harness/process-usage.js';
import type { NewMeasure } from '../harness/results.js';
import type { MeasureGroup } from '../harness/run.js';
import { median } from '../harness/statistics.js';

const minutesOfFull = 10;
const secondsOfQuick = 20;
const connections = 32;
const samplesInAll = 120;

/** The number of callers that constantly wait for events. */
const waiting = 200;
const waitSeconds = 30;

/** The number of waiting requests, and how many the gateway refused. */
interface Waits {
  asked: number;
  refused: number;
}

/** Waits for events repeatedly until the signal aborts. There are no events. */
const waitForEvents = async ({ url, headers }: Gateway, waits: Waits, signal: AbortSignal): Promise<void> => {
  const { data } = (await (await fetch(`${url}/v1/events/latest`, { headers, signal })).json()) as {
    readonly data: { readonly position: number };
  };
  while (!signal.aborted) {
    waits.asked += 1;
    const response = await fetch(`${url}/v1/events?after=${data.position}&wait=${waitSeconds}`, { headers, signal });
    await response.text();
    if (response.ok) continue;
    waits.refused += 1;
    await sleep(1_000, undefined, { signal });
  }
};

/** S11: memory of a read gateway that sends pages of 500 as fast as it can, while 200 callers wait for events. */
export const memory: MeasureGroup = {
  ids: ['S11'],
  measure: async (run) => {
    const { size, isQuick, log } = run;
    const { organizationId, pipelineId } = pageScope(size);
    const gateway = await startGateway('read-gateway', await run.server.database(size), organizationId);
    const seconds = isQuick ? secondsOfQuick : minutesOfFull * 60;
    const samples: number[] = [];
    const waits: Waits = { asked: 0, refused: 0 };
    const leave = new AbortController();
    const waiters: Promise<void>[] = [];
    try {
      // The callers start one after the other, spread over the time of one wait. If they started together, the gateway
      // would repeatedly refuse pages.
      log(`Starting ${waiting} callers, one after the other, over ${waitSeconds} seconds`);
      for (let caller = 0; caller < waiting; caller += 1) {
        const waiter = waitForEvents(gateway, waits, leave.signal).catch((error: unknown) => {
          if (!leave.signal.aborted) throw error;
        });
        waiters.push(waiter);
        await sleep((waitSeconds * 1_000) / waiting);
      }
      log(`Memory, ${seconds} seconds`);
      const path = `/v1/opportunities?pipeline_id=${pipelineId}&limit=500`;
      const request = { path, headers: gateway.headers };
      const load = sendLoad({ url: gateway.url, request, seconds, connections });
      for (let sample = 0; sample < samplesInAll; sample += 1) {
        await sleep((seconds * 1000) / samplesInAll);
        samples.push(await residentMibOf(gateway.pid));
        if (sample % 12 === 0) log(`  ${samples.at(-1)?.toFixed(0)} MiB`);
      }
      await load;
      leave.abort();
      await Promise.all(waiters);
    } finally {
      leave.abort();
      await gateway.stop();
    }
    const fifth = samplesInAll / 5;
    const growth = median(samples.slice(-fifth)) / median(samples.slice(fifth, 2 * fifth));
    const measures: NewMeasure[] = [
      {
        ...{ id: 'S11', name: 'memory under full load with pages of 500, the most', values: [Math.max(...samples)] },
        // Shown because refused callers take no memory.
        detail: `${waits.refused} of ${waits.asked} waits refused`,
        ...{ unit: 'MiB', target: { at: 'most', value: 256 }, size },
      },
      {
        ...{ id: 'S11', name: 'memory in the last fifth of the run against the second fifth', values: [growth] },
        ...{ unit: '×', target: { at: 'most', value: 1.1 }, size },
      },
    ];
    return measures;
  },
};
