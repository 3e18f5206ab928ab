import { send, withGateway } from '../contestants/gateways.js';
import { organizationLayout, searchWords } from '../dataset/layout.js';
import { type Figure, p99 } from '../harness/figures.js';
import type { MeasureGroup } from '../harness/run.js';

const { common, rare, absent, oldClustered } = searchWords;

const searched = [
  { name: 'common: p99', word: common, requests: 100, atMost: 50 },
  { name: 'rare: p99', word: rare, requests: 100, atMost: 50 },
  { name: 'absent: p99', word: absent, requests: 100, atMost: 50 },
  // The newest records do not match, so the gateway collects and sorts all matches.
  { name: 'old-clustered: p99', word: oldClustered, requests: 100, atMost: 250 },
  // These characters are adjacent in no name. The search may reach the statement timeout of five seconds.
  { name: 'two characters in no name', word: 'q7', requests: 2, atMost: 5_500 },
];

/** S7: searches over HTTP for words, one request after the other. */
export const searches: MeasureGroup = {
  ids: ['S7'],
  measure: async (run) => {
    const [, size] = run.sizes;
    const { id, pipelineIds } = organizationLayout(1, size);
    return withGateway('read-gateway', await run.server.database(size), id, async (gateway) => {
      const figures: Figure[] = [];
      for (const { name, word, requests, atMost } of searched) {
        const path = `/v1/opportunities?pipeline_id=${pipelineIds[0]}&q=${word}`;
        const answers = [];
        for (let request = 0; request < (run.isQuick ? Math.min(20, requests) : requests); request += 1)
          answers.push(await send(gateway, { path, headers: gateway.headers }, requests > 2 ? [200] : [200, 503]));
        // The first request reads from disk what the others find in memory.
        const values = [p99(answers.slice(1).map(({ ms }) => ms))];
        const detail = `status ${answers[1]?.status}`;
        figures.push({ id: 'S7', name: `q, ${name}`, values, unit: 'ms', atMost, size, detail });
        run.log(`  q, ${name}: ${values[0]?.toFixed(1)} ms`);
      }
      return figures;
    });
  },
};
