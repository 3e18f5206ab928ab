import { CrmApiError, CrmConnectionError, createClient, type ClientOptions, type CrmClient } from '@crm/client';

import { errorText, usageError } from './errors.js';

/** A gateway as a command knows it. */
export interface GatewayAddress {
  readonly name: 'read gateway' | 'inbound gateway';
  readonly url: string;
  /** The option that names it. */
  readonly option: '--url' | '--read-url';
  /** The groups that the key needs, as `crm key create --allow` takes them. */
  readonly groups: string;
}

/** Makes a client. @throws CliError (2) for a key that cannot be sent; addresses were looked at when they were read */
export const connectClient = (options: ClientOptions): CrmClient => {
  try {
    return createClient(options);
  } catch (error) {
    throw usageError(`--api-key (or CRM_API_KEY): ${errorText(error)}.`);
  }
};

/** Statuses that no gateway of ours gives to what commands send: something else listens there. */
const isForeign = (status: number): boolean => status < 400 || status === 404 || status === 405;

/** Why no answer came: what the network says, unless it only says that the time was up. */
const silenceText = (error: unknown): string =>
  error instanceof CrmConnectionError && !error.message.includes('did not answer within')
    ? errorText(error.cause ?? error)
    : errorText(error);

/** The options that requests take their values from, by the names that gateways know them under. */
const optionNames: Readonly<Record<string, string>> = {
  pipeline_id: '--pipeline',
  fields: '--fields',
  object: '--object',
  after: '--after',
};

/** A refusal, with the options where the API names its own fields: `pipeline_id: …` → `--pipeline: …` */
const refusalText = ({ message, errors }: CrmApiError): string =>
  Object.entries(errors).reduce(
    (text, [field, reason]) => text.replace(`; ${field}: ${reason}`, `; ${optionNames[field] ?? field}: ${reason}`),
    message,
  );

/** What a gateway's refusal or silence means, and what to do next. */
export const gatewayErrorText = ({ name, url, option, groups }: GatewayAddress, error: unknown): string => {
  if (!(error instanceof CrmApiError)) {
    return `The ${name} ${url} does not answer: ${silenceText(error)}. Check ${option}, and that the gateway runs (crm doctor).`;
  }
  const request = error.requestId === null ? '' : ` (request ${error.requestId})`;
  const said = `The ${name} ${url} answered HTTP ${error.status}: ${refusalText(error)}${request}.`;
  if (error.status === 401) {
    return `${said} Check --api-key: the key must be valid and have the groups ${groups} (crm key list, crm key create --allow ${groups}).`;
  }
  if (isForeign(error.status)) return `${said} Check ${option}: it must be the address of the ${name}.`;
  return error.status >= 500 ? `${said} The log of the gateway tells more (crm doctor).` : said;
};
