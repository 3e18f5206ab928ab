import { errorText } from '../errors.js';
import type { ProcessName } from '../local-stack/stack-process.js';
import { ok, problem, skipped, type Finding } from './finding.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The part of a gateway's configuration that other checks need. */
interface GatewayConfig {
  readonly maxConnections: number;
  /** Only of the inbound gateway. */
  readonly eventRetentionDays?: number;
}

/** How each program reads its configuration. */
const readers: Readonly<Record<ProcessName, () => Promise<(env: Environment) => GatewayConfig>>> = {
  'read-gateway': async () => (await import('@crm/read-gateway')).envToConfig,
  'inbound-gateway': async () => (await import('@crm/inbound-gateway')).envToConfig,
  'webhook-worker': async () => (await import('@crm/webhook-worker')).envToConfig,
};

/** The result of reading an environment as a gateway. */
export interface ConfigurationCheck {
  readonly findings: readonly Finding[];
  /** The most connections of one process. Undefined if its configuration is unknown. */
  readonly maxConnections: number | undefined;
  /** `EVENT_RETENTION_DAYS` of the inbound gateway; 0 means forever. Undefined if it is unknown. */
  readonly eventRetentionDays?: number | undefined;
}

const problemsOf = (error: unknown): readonly string[] =>
  typeof error === 'object' && error !== null && 'problems' in error && Array.isArray(error.problems)
    ? error.problems.map(String)
    : [errorText(error)];

/** Reads an environment with the gateway's own code, so that this check and the gateway always agree. */
export const checkConfiguration = async (name: ProcessName, env: Environment): Promise<ConfigurationCheck> => {
  const check = `${name} configuration`;
  if (name === 'read-gateway' && env['CURSOR_SECRETS'] === undefined) {
    const reason = 'CURSOR_SECRETS is not set here; the gateway checks its configuration when it starts';
    return { findings: [skipped(check, reason)], maxConnections: undefined };
  }
  const envToConfig = await readers[name]();
  try {
    const { maxConnections, eventRetentionDays } = envToConfig(env);
    return { findings: [ok(check, 'all variables are valid')], maxConnections, eventRetentionDays };
  } catch (error) {
    const advice = 'See "Configuration" in docs/operating.md for the allowed values.';
    return { findings: problemsOf(error).map((text) => problem(check, text, advice)), maxConnections: undefined };
  }
};
