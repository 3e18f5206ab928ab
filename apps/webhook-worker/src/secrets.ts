import type { DueWebhook } from '@crm/db';
import { decryptSecret, type SecretKeys } from '@crm/webhooks';
import type { Logger } from 'pino';

/** After this time, secrets that could not be decrypted are tried again: they may have been rotated. */
const tryAgainAfterMs = 30_000;

/**
 * Decrypts the secrets of endpoints. A secret that no key decrypts is a fault of the operator: the endpoint keeps its state and waits for a
 * worker with the right key.
 */
export class Secrets {
  readonly #keys: SecretKeys;
  readonly #logger: Logger;
  readonly #unreadableSinceMs = new Map<string, number>();
  readonly #logged = new Set<string>();

  constructor(keys: SecretKeys, logger: Logger) {
    this.#keys = keys;
    this.#logger = logger;
  }

  /** The secrets that sign the messages of an endpoint; null if one of them cannot be decrypted. */
  of(id: string, secret: string, previousSecret: string | null): string[] | null {
    const stored = previousSecret === null ? [secret] : [secret, previousSecret];
    const secrets = stored.map((each) => decryptSecret(this.#keys, id, each)).filter((each) => each !== null);
    return secrets.length === stored.length ? secrets : null;
  }

  /** Endpoints that were found to be unreadable lately, so that the worker does not ask for them again. */
  get unreadable(): string[] {
    const nowMs = performance.now();
    for (const [id, sinceMs] of this.#unreadableSinceMs)
      if (nowMs - sinceMs > tryAgainAfterMs) this.#unreadableSinceMs.delete(id);
    return [...this.#unreadableSinceMs.keys()];
  }

  /** Whether the secrets of an endpoint can be decrypted. Logs the first time that they cannot. */
  canRead({ id, secret, previousSecret }: DueWebhook): boolean {
    if (this.of(id, secret, previousSecret) !== null) {
      this.#logged.delete(id);
      return true;
    }
    this.#unreadableSinceMs.set(id, performance.now());
    const text = 'no key of WEBHOOK_SECRET_KEY decrypts the secret of an endpoint: it waits until a worker has the key';
    if (!this.#logged.has(id)) this.#logger.error({ webhook_id: id }, text);
    this.#logged.add(id);
    return false;
  }
}
