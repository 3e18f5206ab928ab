import { readFile } from 'node:fs/promises';

import { migrate } from '@crm/db';
import { createTestDatabase, findFreePort, startGatewayProcesses } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

const root = new URL('../../../', import.meta.url);
const readText = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook: string };
}
interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

/** The names of metrics in an expression. @throws Error if it is not PromQL. */
const metricsIn = (expression: string): string[] => {
  // Grafana replaces its variables before Prometheus parses the text.
  const text = expression.replace(/\$__rate_interval/g, '5m').replace(/\$\w+/g, 'x');
  const names: string[] = [];
  parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`not PromQL near ${node.from}: ${text}`);
      if (node.name === 'VectorSelector') names.push(/^\w+/.exec(text.slice(node.from, node.to))?.[0] ?? text);
    },
  });
  return names;
};

const rules = async (): Promise<readonly Rule[]> => {
  const file = parse(await readText('docker/observability/alerts.yaml')) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap((group) => group.rules);
};
const panels = async (): Promise<Dashboard['panels']> =>
  (JSON.parse(await readText('docker/observability/dashboard.json')) as Dashboard).panels;

describe('the files for Prometheus and Grafana', () => {
  const exposed = new Map<string, Set<string>>();
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const { url, drop } = await createTestDatabase(async (empty) => {
      await migrate(empty);
    }, 'cli');
    for (const gateway of ['read', 'inbound']) {
      const port = await findFreePort();
      const [running] = await startGatewayProcesses(1, new URL(`apps/${gateway}-gateway/dist/main.js`, root).pathname, {
        DATABASE_URL: url,
        CURSOR_SECRETS: 'a secret that only the tests know',
        ADMIN_PORT: String(port),
      });
      if (running !== undefined) stops.push(running.stop);
      const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      // Series of histograms appear only with the first observation, so the names are read from the declarations.
      const names = [...page.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      );
      exposed.set(gateway, new Set(names));
    }
    stops.push(drop);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  const expectExposed = (expression: string): void => {
    const names = metricsIn(expression).filter((name) => name !== 'up');
    for (const [gateway, metrics] of exposed) {
      for (const name of names) expect({ gateway, name, exposed: metrics.has(name) }).toMatchObject({ exposed: true });
    }
  };

  test('use only metrics that both gateways expose, in PromQL', async () => {
    const expressions = [
      ...(await rules()).map(({ expr }) => expr),
      ...(await panels()).flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(expressions.length).toBeGreaterThan(20);
    for (const expression of expressions) expectExposed(expression);
    expect(() => metricsIn('sum by (x) rate(up[5m])')).toThrow('not PromQL');
  });

  it('describe for every alarm what it means and what to do', async () => {
    const manual = await readText('docs/operating.md');
    for (const { alert, annotations, labels } of await rules()) {
      expect(annotations.runbook).toBe(`docs/operating.md#${alert.toLowerCase()}`);
      expect(manual).toMatch(new RegExp(`^### ${alert}\\n\\n\\w[^#]{80}`, 'm'));
      expect(['page', 'ticket']).toContain(labels.severity);
    }
    const sections = [...manual.matchAll(/^### (Crm\w+)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual((await rules()).map(({ alert }) => alert).sort());
  });

  it('describe each of our metrics in the manual', async () => {
    const manual = await readText('docs/operating.md');
    const families = new Set([...(exposed.get('read') ?? [])].map((name) => name.replace(/_(bucket|count|sum)$/, '')));
    for (const name of families) {
      if (!name.startsWith('crm_')) continue;
      const tail = name.replace('crm_database_pool', '');
      expect({ name, documented: manual.includes(`\`${name}\``) || manual.includes(`\`${tail}\``) }).toMatchObject({
        documented: true,
      });
    }
  });
});
