import { setTimeout as sleep } from 'node:timers/promises';

import type { CrmClient } from '@crm/client';
import type { WebhookSettings } from '@crm/webhooks';
import type { Command } from 'commander';

import { withAdministration, withOrganizationOptions, type OrganizationOptions } from '../administration/session.js';
import {
  callApi,
  connectClient,
  type GatewayAddress,
  type GatewayOptions,
  withGatewayOptions,
} from '../api/gateways.js';
import type { CliContext } from '../cli-context.js';

/** The options of every set-up command. */
export type SetupOptions = OrganizationOptions & GatewayOptions;

/** Adds the options of {@link SetupOptions}: an organization of a database, or gateways and a key. */
export const withSetupOptions = (command: Command): Command =>
  withOrganizationOptions(withGatewayOptions(command, 'inbound', true));

/** The default currency of an organization. Only the database has it, no operation of the API. */
export interface CurrencySetting {
  readonly read: () => Promise<string | null>;
  readonly set: (currency: string | null) => Promise<void>;
}

/** The API for one organization. */
export interface SetupSession {
  readonly client: CrmClient;
  readonly gateway: GatewayAddress;
  /** Absent with `--url` and `--api-key`. */
  readonly currency: CurrencySetting | undefined;
  /** Absent with `--url` and `--api-key`: only the gateway has them. */
  readonly webhookSettings?: WebhookSettings | undefined;
}

/** A session with the addresses of the gateways, for what calls them with a client of its own. */
export interface ConnectedSession extends SetupSession {
  readonly connection: { readonly url: string; readonly readUrl: string; readonly apiKey: string };
}

/** A move of many opportunities may take long. A set-up call that got no response is not repeated. */
const patience = { timeoutMs: 3_600_000, maxRetries: 0 } as const;

/** How long one call waits in total for a gateway that asks it to come back later. */
const maxWaitSeconds = 600;

/**
 * `fetch` that waits if the gateway refuses a call for now: 429 or 503 with `Retry-After`. Then it sends the call again, which did
 * nothing the first time.
 */
export const waitingFetch =
  (context: CliContext): typeof fetch =>
  async (input, init) => {
    let refusedAt: number | null = null;
    for (;;) {
      const response = await fetch(input, init);
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      refusedAt ??= performance.now();
      const waited = (performance.now() - refusedAt) / 1000;
      if (![429, 503].includes(response.status) || !(waited + seconds <= maxWaitSeconds)) return response;
      await response.body?.cancel();
      context.stderr.write(`The gateway answered ${response.status}: waiting ${seconds} s.\n`);
      await sleep(Math.max(seconds, 1) * 1000, undefined, { signal: init?.signal ?? undefined });
    }
  };

/** What a set-up command calls. */
interface SetupNeeds {
  /** The groups of the operations; by default list and setup. */
  readonly groups?: readonly string[];
  /** Operations of the group list besides those of the setup. */
  readonly operations?: readonly string[];
}

/**
 * Opens the API for a set-up command: the gateways of `--url` and `--api-key`, or else those that it runs itself on the
 * database, for the organization of `--org`.
 *
 * @throws CliError with the API's own text if it refuses a call
 */
export const withSetup = async <T>(
  context: CliContext,
  options: SetupOptions,
  work: (session: ConnectedSession) => Promise<T>,
  { groups = ['list', 'setup'], operations = [] }: SetupNeeds = {},
): Promise<T> => {
  const { url, readUrl, apiKey, databaseUrl, org } = options;
  const call = (inboundUrl: string, session: Omit<ConnectedSession, 'gateway'>) => {
    const gateway = { name: 'inbound gateway', url: inboundUrl, option: '--url', groups: groups.join(',') } as const;
    return callApi(gateway, () => work({ ...session, gateway }));
  };
  if (url !== undefined && apiKey !== undefined && databaseUrl === undefined && org === undefined) {
    const connection = { readUrl: readUrl ?? url, inboundUrl: url, apiKey, fetch: waitingFetch(context), ...patience };
    const client = connectClient(connection);
    const { readUrl: reading } = connection;
    return call(url, { client, currency: undefined, connection: { url, readUrl: reading, apiKey } });
  }
  return withAdministration(context, options, async ({ administration, url: address, organization, setup, origin }) => {
    const { id } = await organization(org);
    const { openOwnGateways } = await import('../api/own-gateways.js');
    const gateways = await openOwnGateways(address, id, origin, { env: context.env, groups, operations });
    const currency: CurrencySetting = {
      read: async () => (await setup(id)).currency,
      set: (wanted) => administration.updateOrganization(id, { currency: wanted }),
    };
    try {
      const client = connectClient({ ...gateways, ...patience });
      const { inboundUrl, readUrl: reading, apiKey: key, webhookSettings } = gateways;
      const connection = { url: inboundUrl, readUrl: reading, apiKey: key };
      return await call(inboundUrl, { client, currency, webhookSettings, connection });
    } finally {
      await gateways.close();
    }
  });
};
