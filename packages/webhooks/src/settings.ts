import { isNetwork, type Networks } from './endpoint-url.js';
import { parseSecretKey, type SecretKeys } from './secret.js';

/** The part of an environment reader that is needed here. */
interface SettingsReader {
  list(name: string, fallback?: readonly string[]): readonly string[];
  problem(name: string, text: string): void;
}

/** What both the inbound gateway and the worker must know of webhooks. */
export interface WebhookSettings {
  /** Null if `WEBHOOK_SECRET_KEY` is not set: then there are no webhooks. */
  readonly keys: SecretKeys | null;
  readonly networks: Networks;
}

/** Reads `WEBHOOK_SECRET_KEY` and `WEBHOOK_ALLOWED_NETWORKS`. Problems go to the reader. */
export const readWebhookSettings = (read: SettingsReader): WebhookSettings => {
  const parsed = read.list('WEBHOOK_SECRET_KEY', []).map(parseSecretKey);
  const keys = parsed.filter((key) => key !== null);
  if (keys.length < parsed.length) {
    read.problem(
      'WEBHOOK_SECRET_KEY',
      'must hold keys of 32 bytes in base64, separated by commas: openssl rand -base64 32',
    );
  }
  const networks = read.list('WEBHOOK_ALLOWED_NETWORKS', []);
  if (!networks.every(isNetwork)) {
    read.problem('WEBHOOK_ALLOWED_NETWORKS', 'must be networks such as 10.0.0.0/8, separated by commas');
  }
  const [first, ...others] = keys;
  return { keys: first === undefined ? null : [first, ...others], networks };
};
