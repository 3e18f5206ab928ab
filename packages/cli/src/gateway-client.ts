import { CrmApiError, CrmConnectionError, createClient, type ClientOptions, type CrmClient } from '@crm/client';

import { errorText, usageError } from './errors.js';

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

/** Explains an API error or a missing response, and says what to do next. */
export const gatewayErrorText = ({ name, url, option, groups }: GatewayAddress, error: unknown): string => {
  if (!(error instanceof CrmApiError)) {
    return `The ${name} ${url} does not answer: ${noResponseText(error)}. Check ${option}, and whether the gateway is running (crm doctor).`;
  }
  const request = error.requestId === null ? '' : ` (request ${error.requestId})`;
  const said = `The ${name} ${url} answered HTTP ${error.status}: ${refusalText(error)}${request}.`;
  if (error.status === 401) {
    return `${said} Check --api-key: the key must be valid and have the groups ${groups} (crm key list, crm key create --allow ${groups}).`;
  }
  if (isForeign(error.status)) return `${said} Check ${option}: it must be the address of the ${name}.`;
  return error.status >= 500 ? `${said} See the gateway's log, or run crm doctor.` : said;
};
