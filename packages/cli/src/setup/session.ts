import { CrmApiError, CrmConnectionError, type CrmClient } from '@crm/client';
import type { Command } from 'commander';

import { withAdministration, withOrganizationOptions, type OrganizationOptions } from '../administration/session.js';
import {
  connectClient,
  findGateways,
  gatewayErrorText,
  type GatewayOptions,
  noGatewayError,
  withGatewayOptions,
} from '../api/gateways.js';
import { openOwnGateways } from '../api/own-gateways.js';
import type { CliContext } from '../cli-context.js';
import { commandsOn } from '../command.js';
import { CliError, usageError } from '../errors.js';
import { withJson, type OutputOptions } from '../options.js';

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
  if (url !== undefined && apiKey !== undefined && databaseUrl === undefined && org === undefined) {
    const client = connectClient({ readUrl: readUrl ?? url, inboundUrl: url, apiKey, ...patience });
    return callApi({ url, groups, work: () => work({ client, currency: undefined }) });
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
      return await callApi({ url: gateways.inboundUrl, groups, work: () => work({ client, currency }) });
    } finally {
      await gateways.close();
    }
  });
};

/** Makes a command on the setup of an organization. */
export const setupCommand = commandsOn<SetupOptions, SetupSession>(withSetupOptions, withSetup);

/** The options of every command of webhooks. */
export type WebhookOptions = GatewayOptions & OutputOptions;

/** Makes a command of webhooks. It calls the gateways of `--url` and `--api-key`, or else those of the local stack. */
export const webhookCommand = commandsOn<WebhookOptions, SetupSession>(
  (command) => withJson(withGatewayOptions(command, 'inbound', true)),
  async (context, options, work) => {
    const gateways = await findGateways(context, options, 'inbound');
    if (gateways === undefined) throw noGatewayError();
    const { url, readUrl = url, apiKey } = gateways;
    const client = connectClient({ readUrl, inboundUrl: url, apiKey });
    return callApi({ url, groups: ['webhooks'], work: () => work({ client, currency: undefined }) });
  },
);

interface ApiCall<T> {
  readonly url: string;
  /** The groups that the key needs. */
  readonly groups: readonly string[];
  readonly work: () => Promise<T>;
}

const callApi = async <T>({ url, groups, work }: ApiCall<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CrmApiError || error instanceof CrmConnectionError)) throw error;
    const address = { name: 'inbound gateway', url, option: '--url', groups: groups.join(',') } as const;
    throw refusal(error) ?? new CliError(gatewayErrorText(address, error));
  }
};

/**
 * The CliError for a call that the API refused, with the texts of the API. Undefined for any other error.
 * @param nameOf - the option that sends a field
 */
export const refusal = (error: unknown, nameOf = (field: string): string => field): CliError | undefined => {
  if (!(error instanceof CrmApiError) || ![400, 409].includes(error.status)) return undefined;
  const faults = Object.entries(error.errors).map(([field, text]) => `${nameOf(field)}: ${text}`);
  return faults.length > 0 ? usageError(faults.join('\n')) : new CliError(error.message);
};
