import { compareWithBareServer } from '../contestants/contestant-set.js';
import { startGateway } from '../contestants/gateways.js';
import { pageScope, readPageFixture } from '../contestants/page.js';
import { setPageRecords } from '../dataset/page-records.js';
import type { NewMeasure } from '../harness/results.js';
import type { MeasureGroup } from '../harness/run.js';

/** The share of the bare server's rate that the gateway must reach, by records per page. */
const targets = [
  { limit: 50, target: 0.6 },
  { limit: 500, target: 0.75 },
];

/** S1: list pages of the gateway against a minimal server in Node, for records of two lengths. */
export const barePages: MeasureGroup = {
  ids: ['S1'],
  measure: async (run) => {
    const url = await run.server.copy(await run.server.database(run.size));
    const gateway = await startGateway('read-gateway', url, pageScope(run.size).organizationId);
    const measures: NewMeasure[] = [];
    try {
      for (const kind of ['short', 'long'] as const) {
        await setPageRecords(url, run.size, kind, 501);
        for (const { limit, target } of targets) {
          const page = await readPageFixture(gateway, url, run.size, limit);
          const figure = { id: 'S1', name: `page of ${limit} ${kind} records`, target };
          measures.push(...(await compareWithBareServer(run, figure, gateway, url, page)));
        }
      }
      return measures;
    } finally {
      await gateway.stop();
      await run.server.dropCopy(url);
    }
  },
};
