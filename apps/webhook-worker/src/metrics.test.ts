import { openDatabase } from '@crm/db';
import { expect, test } from '@jest/globals';
import { WorkerMetrics } from './metrics.js';

test('shows the metrics of the process while the database is away', async () => {
  const database = openDatabase({
    ...{ url: 'postgres://crm@127.0.0.1:1/crm', applicationName: 'metrics-test', maxConnections: 1 },
    onConnectionError: () => undefined,
  });
  const metrics = new WorkerMetrics(database);
  metrics.setUnreadable(3);
  const text = await metrics.render();
  await database.close();
  expect(text).toMatch(/^crm_webhook_secrets_unreadable\{.*\} 3$/m);
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).not.toMatch(/^crm_webhooks_due/m);
});
