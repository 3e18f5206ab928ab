import type { CrmClient } from '@crm/client';
import type { Command } from 'commander';

import { withAdministration, withOrganizationOptions, type OrganizationOptions } from '../administration/session.js';
import { callApi, connectClient, type GatewayOptions, withGatewayOptions } from '../api/gateways.js';
import { openOwnGateways } from '../api/own-gateways.js';
import type { CliContext } from '../cli-context.js';
import { commandsOn } from '../command.js';

/** The options of every set-up command. */
export type SetupOptions = OrganizationOptions & GatewayOptions;

/** Adds the options of {@link SetupOptions}: an organization of a database, or gateways and a key. */
export const withSetupOptions = (command: Command): Command =>
  withOrganizationOptions(withGatewayOptions(command, 'inbound', true));

/** The default currency of an organization. Only the database has it, no operation of the API. */
export interface CurrencySetting {
  readonly current: string | null;
  set(currency: string | null): Promise<void>;
}

/** The API for one organization. */
export interface SetupSession {
  readonly client: CrmClient;
  /** Absent with `--url` and `--api-key`. */
  readonly currency: CurrencySetting | undefined;
}

/** A move of many opportunities may take long. A set-up call that got no response is not repeated. */
const patience = { timeoutMs: 3_600_000, maxRetries: 0 } as const;

/**
 * Opens the API for a set-up command: the gateways of `--url` and `--api-key`, or else those that it runs itself on the
 * database, for the organization of `--org`.
 *
 * @param groups - the groups of the operations that the command calls
 * @throws CliError with the API's own text if it refuses a call
 */
export const withSetup = async <T>(
  context: CliContext,
  options: SetupOptions,
  work: (session: SetupSession) => Promise<T>,
  groups: readonly string[] = ['list', 'setup'],
): Promise<T> => {
  const { url, readUrl, apiKey, databaseUrl, org } = options;
  const call = (inboundUrl: string, session: SetupSession) => {
    const gateway = { name: 'inbound gateway', url: inboundUrl, option: '--url', groups: groups.join(',') } as const;
    return callApi(gateway, () => work(session));
  };
  if (url !== undefined && apiKey !== undefined && databaseUrl === undefined && org === undefined) {
    const client = connectClient({ readUrl: readUrl ?? url, inboundUrl: url, apiKey, ...patience });
    return call(url, { client, currency: undefined });
  }
  return withAdministration(context, options, async ({ administration, url: address, organization, setup, origin }) => {
    const { id } = await organization(org);
    const gateways = await openOwnGateways(address, id, origin, { env: context.env, groups });
    const currency: CurrencySetting = {
      current: (await setup(id)).currency,
      set: (wanted) => administration.updateOrganization(id, { currency: wanted }),
    };
    try {
      const client = connectClient({ ...gateways, ...patience });
      return await call(gateways.inboundUrl, { client, currency });
    } finally {
      await gateways.close();
    }
  });
};

/** Makes a command on the setup of an organization. */
export const setupCommand = commandsOn<SetupOptions, SetupSession>(withSetupOptions, withSetup);
