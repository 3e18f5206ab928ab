import { CrmApiError, CrmConnectionError, createClient, type ClientOptions, type CrmClient } from '@crm/client';
import { Option, type Command } from 'commander';

import type { CliContext } from '../cli-context.js';
import { commandsOn } from '../command.js';
import { CliError, errorText, usageError } from '../errors.js';
import { dataDirectory, demoFilePath, readDemoFile, type DemoFile } from '../local-stack/demo-file.js';
import { httpUrl, withJson, type OutputOptions } from '../options.js';

type GatewayName = 'read' | 'inbound';

/** The options that name the gateways of a command. `url` is the gateway that the command mainly uses. */
export interface GatewayOptions {
  readonly url?: string;
  readonly readUrl?: string;
  readonly apiKey?: string;
}

/** The gateways of a command, and the key for them. */
export interface Gateways {
  readonly url: string;
  readonly readUrl: string | undefined;
  readonly apiKey: string;
  /** The local stack that they belong to, and its file, to show to the user. */
  readonly demo: (DemoFile & { readonly path: string }) | undefined;
}

/** Adds `--url` and `--api-key`, and `--read-url` to a command of the inbound gateway that also reads. */
export const withGatewayOptions = (command: Command, name: GatewayName, alsoReads = false): Command => {
  const url = (flags: string, gateway: GatewayName): Option =>
    new Option(flags, `address of the ${gateway} gateway`).env(`CRM_${gateway.toUpperCase()}_URL`).argParser(httpUrl);
  command.addOption(url('--url <url>', name));
  if (alsoReads) command.addOption(url('--read-url <url>', 'read'));
  return command.addOption(new Option('--api-key <key>', 'key of the organization').env('CRM_API_KEY'));
};

/**
 * Finds the gateways: those of the options, or the local stack if none are given. The key of the local stack is never sent to another
 * server.
 *
 * @returns `undefined` if there are neither options nor a local stack
 * @throws CliError (2) if only some of the options are given
 */
export const findGateways = async (
  { env }: CliContext,
  { url, readUrl, apiKey }: GatewayOptions,
  name: GatewayName,
): Promise<Gateways | undefined> => {
  if (url !== undefined && apiKey !== undefined) return { url, readUrl, apiKey, demo: undefined };
  if (url !== undefined) throw usageError('--url needs --api-key (or CRM_API_KEY).');
  const directory = dataDirectory(env);
  const demo = await readDemoFile(directory);
  if (demo === undefined && apiKey !== undefined) {
    throw usageError(`--api-key (or CRM_API_KEY) needs --url, the address of the ${name} gateway.`);
  }
  if (demo === undefined) return undefined;
  if (readUrl !== undefined) throw usageError('--read-url (or CRM_READ_URL) needs --url and --api-key.');
  return {
    url: name === 'read' ? demo.read_url : demo.inbound_url,
    readUrl: demo.read_url,
    apiKey: apiKey ?? demo.api_key,
    demo: { ...demo, path: demoFilePath(directory) },
  };
};

/** The error of a command without a gateway. */
export const noGatewayError = (): CliError =>
  usageError('No gateway is given. Give --url and --api-key, or start the local stack: crm start');

const findGateway = async (context: CliContext, options: GatewayOptions, name: GatewayName): Promise<Gateways> => {
  const gateways = await findGateways(context, options, name);
  if (gateways === undefined) throw noGatewayError();
  const { demo, url } = gateways;
  if (demo !== undefined && name === 'read')
    context.stderr.write(`Reading from the local demo at ${url} (from ${demo.path}).\n`);
  return gateways;
};

/** Finds the read gateway, and says so on stderr if it is that of the local stack. @throws CliError (2) if there is none */
export const findReadGateway = (context: CliContext, options: GatewayOptions): Promise<Gateways> =>
  findGateway(context, options, 'read');

/** A gateway that a command calls, as error messages describe it. */
export interface GatewayAddress {
  readonly name: 'read gateway' | 'inbound gateway';
  readonly url: string;
  /** The option that sets its address. */
  readonly option: '--url' | '--read-url';
  /** The groups that the key needs, as `crm key create --allow` takes them. */
  readonly groups: string;
}

/**
 * Creates a client. Addresses were validated when the options were parsed.
 *
 * @throws CliError (2) for a key that cannot be sent
 */
export const connectClient = (options: ClientOptions): CrmClient => {
  try {
    return createClient(options);
  } catch (error) {
    throw usageError(`--api-key (or CRM_API_KEY): ${errorText(error)}.`);
  }
};

/** Whether our gateways never return this status for these requests, so that another server must be at the address. */
const isForeign = (status: number): boolean => status < 400 || status === 404 || status === 405;

/** Why there was no response: the network error, or the client's own message after a timeout. */
const noResponseText = (error: unknown): string =>
  error instanceof CrmConnectionError && !error.message.includes('did not answer within')
    ? errorText(error.cause ?? error)
    : errorText(error);

/** The command-line option of each request field. */
const optionNames: Readonly<Record<string, string>> = {
  pipeline_id: '--pipeline',
  fields: '--fields',
  object: '--object',
  after: '--after',
};

/** The message of an API error with option names in place of field names: `pipeline_id: …` → `--pipeline: …` */
const refusalText = ({ message, errors }: CrmApiError): string =>
  Object.entries(errors).reduce(
    (text, [field, reason]) => text.replace(`; ${field}: ${reason}`, `; ${optionNames[field] ?? field}: ${reason}`),
    message,
  );

/** The id of a refused request, by which the gateway's log can be searched. */
export const requestText = (error: unknown): string =>
  error instanceof CrmApiError && error.requestId !== null ? ` (request ${error.requestId})` : '';

/** Explains an API error or a missing response, and says what to do next. */
export const gatewayErrorText = ({ name, url, option, groups }: GatewayAddress, error: unknown): string => {
  if (!(error instanceof CrmApiError)) {
    return `The ${name} ${url} does not answer: ${noResponseText(error)}. Check ${option}, and whether the gateway is running (crm doctor).`;
  }
  const said = `The ${name} ${url} answered HTTP ${error.status}: ${refusalText(error)}${requestText(error)}.`;
  if (error.status === 401) {
    return `${said} Check --api-key or CRM_API_KEY: the key must be valid and have the groups ${groups} (crm key list, crm key create --allow ${groups}).`;
  }
  if (isForeign(error.status)) return `${said} Check ${option}: it must be the address of the ${name}.`;
  return error.status >= 500 ? `${said} See the gateway's log, or run crm doctor.` : said;
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

/** An error of a call as a CliError: with the API's own text if it refused the call, or else with what to do next. */
export const callError = (gateway: GatewayAddress, error: unknown): unknown => {
  if (!(error instanceof CrmApiError || error instanceof CrmConnectionError)) return error;
  const refused = refusal(error);
  if (refused === undefined) return new CliError(gatewayErrorText(gateway, error));
  return new CliError(`${refused.message}${requestText(error)}`, refused.exitCode);
};

/** Calls the API. @throws CliError, see {@link callError} */
export const callApi = async <T>(gateway: GatewayAddress, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw callError(gateway, error);
  }
};

/** The API, for a command on the gateways of `--url` and `--api-key`. */
export interface GatewaySession {
  readonly client: CrmClient;
  readonly readUrl: string | undefined;
}

/**
 * Returns a function that makes commands on the gateways of `--url` and `--api-key`, or else on those of the local stack.
 *
 * @param groups - the groups that the key needs
 */
export const gatewayCommand = (name: GatewayName, groups: string, alsoReads = false) =>
  commandsOn<GatewayOptions & OutputOptions, GatewaySession>(
    (command) => withJson(withGatewayOptions(command, name, alsoReads)),
    async (context, options, work) => {
      const { url, readUrl, apiKey } = await findGateway(context, options, name);
      const client = connectClient({ readUrl: readUrl ?? url, inboundUrl: url, apiKey });
      const gateway = { name: `${name} gateway`, url, option: '--url', groups } as const;
      return callApi(gateway, () => work({ client, readUrl }));
    },
  );
