/** @needs prometheus */
import { readFile } from 'node:fs/promises';

import {
  checkMetrics,
  findFreePort,
  type GatewayProcess,
  runPromtool,
  startGatewayProcess,
  startPrometheus,
  type TestPrometheus,
  until,
} from '@crm/testing';
import { createMigratedDatabase } from '@crm/testing/suites';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { metricsIn, readAlarms, readPanels } from './support/observability-files.js';

const root = new URL('../', import.meta.url);
const fileOf = (path: string): string => new URL(path, root).pathname;

describe('the alarms', () => {
  test('pass their unit tests', async () => {
    expect(await runPromtool('test', 'rules', fileOf('docker/observability/alerts.test.yaml'))).toContain('SUCCESS');
  });

  test('and their configuration are valid for Prometheus', async () => {
    const checked = await runPromtool('check', 'config', fileOf('docker/observability/prometheus.yaml'));
    expect(checked).toContain('prometheus.yaml is valid');
    expect(checked).toMatch(/SUCCESS: \d+ rules found/);
    expect(await runPromtool('check', 'rules', fileOf('docker/observability/alerts.yaml'))).not.toMatch(/FAILED|lint/i);
  });
});

describe('a Prometheus that scrapes both gateways', () => {
  let prometheus: TestPrometheus;
  let drop: () => Promise<void>;
  let read: GatewayProcess & { readonly target: string };
  let inbound: GatewayProcess & { readonly target: string };

  let worker: GatewayProcess & { readonly target: string };

  const start = async (app: 'read-gateway' | 'inbound-gateway' | 'webhook-worker', url: string) => {
    const adminPort = await findFreePort();
    const secrets = {
      CURSOR_SECRETS: 'a secret that only the tests know',
      WEBHOOK_SECRET_KEY: Buffer.alloc(32, 'key').toString('base64'),
    };
    const environment = { DATABASE_URL: url, ...secrets };
    const running = await startGatewayProcess(app, {
      ...environment,
      ADMIN_PORT: String(adminPort),
      // The worker has only this port.
      ...(app === 'webhook-worker' && { PORT: String(adminPort) }),
    });
    return { ...running, target: `127.0.0.1:${adminPort}` };
  };

  beforeAll(async () => {
    const database = await createMigratedDatabase();
    ({ drop } = database);
    [read, inbound, worker] = await Promise.all([
      start('read-gateway', database.url),
      start('inbound-gateway', database.url),
      start('webhook-worker', database.url),
    ]);
    const rules = await readFile(fileOf('docker/observability/alerts.yaml'), 'utf8');
    // The same rules with short waits, so that the test does not take minutes.
    prometheus = await startPrometheus(rules.replace(/\bfor: \d+m/g, 'for: 2s'));
  });
  afterAll(async () => {
    await prometheus.stop();
    await Promise.all([read.stop(), inbound.stop(), worker.stop()]);
    await drop();
  });

  test('finds every metric of the alarms and the dashboard in its processes, each well-named and ours in the manual', async () => {
    const expressions = [
      ...readAlarms().map(({ expr }) => expr),
      ...readPanels().flatMap((panel) => panel.expressions),
    ];
    // Those of exporters are not ours.
    const used = new Set(expressions.flatMap(metricsIn).filter((name) => !/^(up$|pg_|node_)/.test(name)));
    const manual = await readFile(fileOf('docs/operating.md'), 'utf8');
    for (const { target } of [read, inbound, worker]) {
      // Series of histograms appear only with the first observation, so the names are read from the declarations.
      const page = await (await fetch(`http://${target}/metrics`)).text();
      expect(await checkMetrics(page)).toBe('');
      const declared = [...page.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
      const exposed = declared.flatMap(([, name = '', type]) =>
        type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => `${name}${end}`) : [name],
      );
      const isOfThese = (name: string): boolean => {
        if (name.startsWith('crm_upkeep')) return target === inbound.target;
        return name.startsWith('crm_webhook') === (target === worker.target) || !name.startsWith('crm_');
      };
      expect([...used].filter((name) => isOfThese(name) && !exposed.includes(name))).toEqual([]);
      const own = declared.map(([, name = '']) => name).filter((name) => name.startsWith('crm_'));
      const isInManual = (name: string): boolean =>
        [name, name.replace('crm_database_pool', '')].some((text) => manual.includes(`\`${text}\``));
      expect(own.filter((name) => !isInManual(name))).toEqual([]);
    }
  });

  test('fires CrmGatewayDown for gateways that never ran, and ends when they run', async () => {
    await until(async () => (await prometheus.firing('CrmGatewayDown')).length === 2, 100);
    await prometheus.scrape([read.target, inbound.target]);
    await until(async () => (await prometheus.firing('CrmGatewayDown')).length === 0, 100);
  });

  test('fires for a gateway whose address disappeared too, with its name', async () => {
    await read.stop();
    await prometheus.scrape([inbound.target]);
    await until(async () => (await prometheus.firing('CrmGatewayDown')).some(({ gateway }) => gateway === 'read'), 100);
  });
});
