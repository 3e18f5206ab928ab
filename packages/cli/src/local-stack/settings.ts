import { resolve } from 'node:path';

import { configurationError } from '../errors.js';
import { dataDirectory } from './demo-file.js';

/** The settings of the local stack. */
export interface StackSettings {
  /** An absolute path, which child processes in other working directories can use. */
  readonly directory: string;
  readonly readPort: number;
  readonly inboundPort: number;
}

/** The variable that sets the port of a gateway. */
export const portVariables = { read: 'CRM_READ_PORT', inbound: 'CRM_INBOUND_PORT' } as const;

/**
 * Reads `CRM_DATA_DIR`, `CRM_READ_PORT` and `CRM_INBOUND_PORT`; nothing is required.
 *
 * @throws CliError (78) that names every variable at fault.
 */
export const readStackSettings = (env: Readonly<Record<string, string | undefined>>): StackSettings => {
  const problems: string[] = [];
  const port = (name: string, fallback: number): number => {
    const text = env[name] ?? '';
    if (text === '') return fallback;
    const value = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > 65_535) problems.push(`${name} must be a port from 1 to 65535`);
    return value;
  };
  const readPort = port(portVariables.read, 4000);
  const inboundPort = port(portVariables.inbound, 4001);
  if (problems.length === 0 && readPort === inboundPort) {
    problems.push(`${portVariables.read} and ${portVariables.inbound} must differ; both are ${readPort}`);
  }
  if (problems.length > 0) throw configurationError(problems.join('\n'));
  return { directory: resolve(dataDirectory(env)), readPort, inboundPort };
};
