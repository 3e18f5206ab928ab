import { collectDefaultMetrics, type Registry } from 'prom-client';

/** Sums of `nodejs_active_…` by type. They are gauges, so Prometheus' `promtool check metrics` objects to their suffix. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Adds the metrics of the process itself: memory, CPU, garbage collection. */
export const collectProcessMetrics = (register: Registry): void => {
  collectDefaultMetrics({ register });
  for (const name of misnamed) register.removeSingleMetric(name);
};
