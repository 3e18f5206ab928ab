import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findFreePort } from './gateway/free-port.js';
import { isOk, startProgram } from './program.js';

const toolTimeoutMs = 240_000;

/** Runs promtool. @returns its output. @throws Error with its output if it fails */
export const runPromtool = async (...words: readonly string[]): Promise<string> =>
  (await promisify(execFile)('/usr/bin/promtool', words, { timeout: toolTimeoutMs })).stdout;

/** Checks the names, types and texts of a page of metrics with promtool. @returns what it objects to, empty for nothing */
export const checkMetrics = async (page: string): Promise<string> => {
  const running = promisify(execFile)('/usr/bin/promtool', ['check', 'metrics'], { timeout: toolTimeoutMs });
  running.child.stdin?.end(page);
  return running.then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: unknown) => String((error as { stderr?: string }).stderr),
  );
};

/** A separate Prometheus for one test, which scrapes and evaluates every second. */
export interface TestPrometheus {
  /** The labels of the firing alarms with this name. */
  firing(alert: string): Promise<readonly Readonly<Record<string, string>>[]>;
  /** Replaces the scraped addresses (`host:port`), as a change in DNS does. */
  scrape(targets: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

interface Alerts {
  readonly data: {
    readonly alerts: readonly { readonly state: string; readonly labels: Readonly<Record<string, string>> }[];
  };
}

const configuration = `
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [alerts.yaml]
scrape_configs:
  - { job_name: crm, file_sd_configs: [{ files: [targets.json], refresh_interval: 1s }] }
`;

/** Starts a Prometheus with the given rules. */
export const startPrometheus = async (rules: string): Promise<TestPrometheus> => {
  const folder = await mkdtemp(join(tmpdir(), 'crm-prometheus-'));
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const scrape = (targets: readonly string[]): Promise<void> => write('targets.json', JSON.stringify([{ targets }]));
  await Promise.all([write('prometheus.yaml', configuration), write('alerts.yaml', rules), scrape([])]);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const words = ['config.file=prometheus.yaml', 'storage.tsdb.path=data', `web.listen-address=127.0.0.1:${port}`];
  const command = ['/usr/bin/prometheus', ...words.map((word) => `--${word}`)] as const;
  const program = await startProgram(command, () => isOk(`${url}/-/ready`), { cwd: folder });
  const stop = async (): Promise<void> => {
    await program.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const firing = async (alert: string) => {
    const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as Alerts;
    return data.alerts
      .filter(({ state, labels }) => state === 'firing' && labels['alertname'] === alert)
      .map(({ labels }) => labels);
  };
  return { firing, scrape, stop };
};
