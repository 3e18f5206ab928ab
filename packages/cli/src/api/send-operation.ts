import type { OperationContract } from '@crm/contract';

import { findGateways, type GatewayOptions } from './gateways.js';
import { type GivenField, placeFields } from './field-values.js';
import { responseText } from './response-table.js';
import type { OrganizationOptions } from '../administration/session.js';
import { type CliContext, jsonLine, printable, printableJson } from '../cli-context.js';
import { CliError, errorText, exitCodes, usageError } from '../errors.js';
import { demoGroups } from '../local-stack/demo-file.js';
import { waitingFetch, withSetup } from '../setup/session.js';

/** The options that say where an operation is sent, and how its response is printed. */
export interface SendOptions extends GatewayOptions, OrganizationOptions {
  /** Those of `-f`. */
  readonly field: readonly GivenField[];
  /** Those of `-F`. */
  readonly jsonField: readonly GivenField[];
  readonly header?: readonly string[];
  readonly paginate?: true;
}

/** An operation with its input. */
export interface Request {
  readonly contract: OperationContract;
  /** With its parameters and query. */
  readonly path: string;
  /** The JSON of the body, sent as it is. Instead of fields. */
  readonly body?: string | undefined;
}

interface Target {
  readonly url: string;
  readonly readUrl: string;
  readonly apiKey: string;
}

type Values = Readonly<Record<string, unknown>>;

/** An operation as `GET /v1/accounts`. */
const routeOf = ({ method, path }: OperationContract): string => `${method.toUpperCase()} ${path}`;

const maxWidth = 120;

/** Where an operation goes: to the gateways of `--url`, to those on the database of `--org`, or to the local stack. */
const withTarget = async (
  context: CliContext,
  options: SendOptions,
  { id, group }: OperationContract,
  work: (target: Target) => Promise<void>,
): Promise<void> => {
  const namesDatabase = [options.org, options.databaseUrl, context.env['DATABASE_URL']].some(Boolean);
  const found =
    namesDatabase && options.url === undefined ? undefined : await findGateways(context, options, 'inbound');
  // The key of the local stack may not change the set-up, but who owns its files may.
  const isOfDemoKey = found?.demo !== undefined && options.apiKey === undefined;
  if (found !== undefined && (!isOfDemoKey || demoGroups.includes(group))) {
    await work({ url: found.url, readUrl: found.readUrl ?? found.url, apiKey: found.apiKey });
    return;
  }
  await withSetup(context, options, ({ connection }) => work(connection), { groups: [group], operations: [id] });
};

const headersOf = ({ apiKey }: Target, given: readonly string[], hasBody: boolean): Headers => {
  const headers = new Headers({ 'x-api-key': apiKey });
  if (hasBody) headers.set('content-type', 'application/json');
  for (const line of given) {
    const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === '') throw usageError(`-H ${line}: must be NAME: VALUE`);
    headers.set(name, value);
  }
  return headers;
};

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parseObject = (text: string): Values | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isValues(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The error of a response: its message and one line for each field. With `--json`, the whole response too. */
const refusalOf = (contract: OperationContract, status: number, response: Values | undefined): CliError => {
  if (response === undefined) {
    return new CliError(`${routeOf(contract)}: HTTP ${status}, but not from a gateway. Check --url.`);
  }
  const errors = isValues(response['errors']) ? Object.entries(response['errors']) : [];
  const lines = [String(response['message']), ...errors.map(([field, text]) => `  ${field}: ${String(text)}`)];
  const exitCode = status === 400 ? exitCodes.usage : exitCodes.failure;
  return new CliError(`HTTP ${status}: ${lines.join('\n')}`, exitCode, undefined, { response });
};

/** Whether the response says that the call did a part of its work, and that a repeat continues. */
const isPartlyDone = (status: number, response: Values | undefined): boolean => {
  const counts = isValues(response?.['counts']) ? response['counts'] : {};
  return status === 409 && Number(counts['moved'] ?? 0) > 0;
};

/** Sends one call, and again while each one does a part of the work. @throws CliError for a refusal */
const exchange = async (context: CliContext, target: Target, options: SendOptions, request: Request) => {
  const { contract, path, body } = request;
  const base = contract.gateway === 'read' ? target.readUrl : target.url;
  const headers = headersOf(target, options.header ?? [], body !== undefined);
  const init: RequestInit = { method: contract.method.toUpperCase(), headers, redirect: 'manual' };
  for (;;) {
    const response = await waitingFetch(context)(`${base}${path}`, body === undefined ? init : { ...init, body }).catch(
      (error: unknown) => {
        throw new CliError(
          `${base} does not answer: ${errorText(error)}. Check --url, and whether the gateway is running.`,
        );
      },
    );
    const text = await response.text();
    const value = parseObject(text);
    if (response.ok && isValues(value?.['data'])) return { text, data: value['data'] };
    if (!isPartlyDone(response.status, value)) throw refusalOf(contract, response.status, value);
    context.stderr.write(`${String(value?.['message'])}: continuing.\n`);
  }
};

const acceptsCursor = ({ query, body }: OperationContract): boolean =>
  [query, body].some(
    (schema) => schema !== undefined && 'properties' in schema && Object.hasOwn(schema.properties ?? {}, 'cursor'),
  );

/** Adds parameters to the query of a path. */
const withQuery = (path: string, parameters: URLSearchParams): string => {
  const [route = '', query = ''] = path.split('?');
  const all = new URLSearchParams(query);
  for (const name of new Set(parameters.keys())) all.delete(name);
  for (const [name, value] of parameters) all.append(name, value);
  return all.size === 0 ? route : `${route}?${all.toString()}`;
};

/** The same request for the next page. */
const withCursor = ({ contract, path, body }: Request, cursor: string): Request =>
  contract.body === undefined
    ? { contract, path: withQuery(path, new URLSearchParams({ cursor })) }
    : { contract, path, body: JSON.stringify({ ...parseObject(body ?? '{}'), cursor }) };

/** Puts fields into the query or the body. */
const withFields = ({ contract, path, body }: Request, fields: readonly GivenField[]): Request => {
  if (fields.length === 0) return { contract, path, body };
  if (body !== undefined) throw usageError('BODY and -f: give one of them');
  const placed = placeFields(contract, fields);
  return { contract, path: withQuery(path, placed.query), body: placed.body && JSON.stringify(placed.body) };
};

/**
 * Sends an operation and prints its response: on a terminal as a table, otherwise or with `--json` the JSON of the gateway. With
 * `--paginate` each record of all pages is one line of JSON.
 * @param fields - those before the ones of the options
 * @throws CliError if the gateway refuses the call
 */
export const sendOperation = async (
  context: CliContext,
  options: SendOptions,
  given: Request,
  fields: readonly GivenField[] = [],
): Promise<void> => {
  const isTable = context.stdout.isTTY === true && options.json !== true;
  const paginate = options.paginate === true;
  if (paginate && !acceptsCursor(given.contract))
    throw usageError(`--paginate: ${routeOf(given.contract)} has no pages`);
  const first = withFields(given, [...fields, ...options.field, ...options.jsonField]);
  await withTarget(context, options, given.contract, async (target) => {
    for (let request: Request | undefined = first; request !== undefined;) {
      const { text, data } = await exchange(context, target, options, request);
      const records = Object.values(data)[0];
      const cursor = paginate && typeof data['next_cursor'] === 'string' ? data['next_cursor'] : undefined;
      const shown = cursor === undefined ? data : { ...data, has_more: false };
      if (isTable) context.stdout.write(`${printable(responseText(shown, context.stdout.columns ?? maxWidth))}\n`);
      else if (!paginate) context.stdout.write(`${printableJson(text)}\n`);
      else for (const record of records as readonly unknown[]) context.stdout.write(`${jsonLine(record)}\n`);
      request = cursor === undefined ? undefined : withCursor(request, cursor);
    }
  });
};
