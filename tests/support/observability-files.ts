import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

const read = (name: string): string =>
  readFileSync(new URL(`../../docker/observability/${name}`, import.meta.url), 'utf8');

/** One alarm of alerts.yaml. */
export interface Alarm {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook: string };
}

/** The alarms for Prometheus. */
export const readAlarms = (): readonly Alarm[] =>
  (parse(read('alerts.yaml')) as { groups: { rules: Alarm[] }[] }).groups.flatMap((group) => group.rules);

/** The panels of the dashboard for Grafana. */
export const readPanels = (): readonly { readonly expressions: readonly string[] }[] => {
  const { panels } = JSON.parse(read('dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
  return panels.map(({ targets }) => ({ expressions: targets.map(({ expr }) => expr) }));
};

/** The names of metrics in an expression. @throws Error if it is not PromQL. */
export const metricsIn = (expression: string): string[] => {
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
