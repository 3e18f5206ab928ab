import { createClient, type ClientOptions, type CrmClient } from '@crm/client';

/** The gateways, and the key of the caller. */
export interface Connection extends Pick<ClientOptions, 'readUrl' | 'inboundUrl' | 'apiKey'> {
  /** The groups and operations that the key allows, if they were just read. */
  readonly allowed?: readonly string[] | undefined;
}

/** How long one call of the API may take. With one retry, it fits into the time that assistants wait for a tool. */
export const callTimeoutMs = 15_000;

/** A client whose calls end when the signal is aborted. */
export const connect = ({ allowed: _allowed, ...connection }: Connection, signal?: AbortSignal): CrmClient => {
  const fetchUntilAborted: typeof fetch = (input, init) =>
    fetch(input, {
      ...init,
      signal: AbortSignal.any([init?.signal, signal].filter((one) => one instanceof AbortSignal)),
    });
  return createClient({ ...connection, timeoutMs: callTimeoutMs, maxRetries: 1, fetch: fetchUntilAborted });
};
