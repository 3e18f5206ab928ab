import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { errorText } from '../errors.js';
import { gatewayFile, type GatewayName } from '../local-stack/gateway-process.js';
import { ok, problem, skipped, type Finding } from './finding.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What of a gateway's configuration the other checks need. */
interface GatewayConfig {
  readonly maxConnections: number;
}

interface ConfigModule {
  readonly envToConfig: (env: Environment) => GatewayConfig;
}

/** What a gateway makes of an environment. */
export interface ConfigurationCheck {
  readonly findings: readonly Finding[];
  /** Connections of one process at most; undefined where its configuration is not known. */
  readonly maxConnections: number | undefined;
}

const problemsOf = (error: unknown): readonly string[] =>
  typeof error === 'object' && error !== null && 'problems' in error && Array.isArray(error.problems)
    ? error.problems.map(String)
    : [errorText(error)];

/** Lets a gateway's own code read an environment, so that it and this check can never disagree. */
export const checkConfiguration = async (name: GatewayName, env: Environment): Promise<ConfigurationCheck> => {
  const check = `${name} configuration`;
  const file = gatewayFile(name, 'config.js');
  if (!existsSync(file)) {
    const findings = [
      skipped(check, 'the gateway is not installed beside this command; it checks itself at its start'),
    ];
    return { findings, maxConnections: undefined };
  }
  const { envToConfig } = (await import(pathToFileURL(file).href)) as ConfigModule;
  try {
    const { maxConnections } = envToConfig(env);
    return { findings: [ok(check, 'every variable can be read')], maxConnections };
  } catch (error) {
    const advice = 'See "Configuration" in docs/operating.md for what it may be.';
    return { findings: problemsOf(error).map((text) => problem(check, text, advice)), maxConnections: undefined };
  }
};
