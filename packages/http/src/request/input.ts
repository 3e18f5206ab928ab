import { bounds, type Gateway, type OperationContract } from '@crm/contract';
import { ApiError, ErrorCollector, type FieldErrors, isBlank } from '@crm/domain';
import type { Request, RequestHandler } from 'express';
import type { ArrivingBodies } from './arriving-bodies.js';
import { readJsonBody } from './body.js';
import { callerOf, exchangeOf, assertPresent, type OperationInput } from '../exchange.js';
import { decode, encodingFault, readQuery } from './query.js';
import type { Route, RouteMatch } from '../server/route-table.js';

const readParams = (
  encoded: Readonly<Record<string, string>>,
  errors: ErrorCollector,
): Readonly<Record<string, string>> => {
  const params = Object.create(null) as Record<string, string>;
  for (const [name, text] of Object.entries(encoded)) {
    const decoded = decode(text);
    if (decoded === null) errors.add(name, encodingFault(text));
    else params[name] = decoded;
  }
  return params;
};

const noNames: ReadonlySet<string> = new Set();
const propertyNames = new WeakMap<object, ReadonlySet<string>>();

/** The names of the properties of an object schema. */
const namesOf = (schema: OperationContract['query']): ReadonlySet<string> => {
  if (schema === undefined) return noNames;
  let names = propertyNames.get(schema);
  if (names === undefined) {
    names = new Set(Object.keys('properties' in schema ? (schema.properties as object) : {}));
    propertyNames.set(schema, names);
  }
  return names;
};

/** The body of a search without its blank parameters, which count as absent as those of a list do. */
const withoutBlanks = (
  body: Readonly<Record<string, unknown>> | undefined,
  known: ReadonlySet<string>,
): Readonly<Record<string, unknown>> | undefined => {
  const isBlankOne = ([name, value]: [string, unknown]): boolean =>
    known.has(name) && typeof value === 'string' && isBlank(value);
  if (body === undefined || !Object.entries(body).some(isBlankOne)) return body;
  return Object.fromEntries(Object.entries(body).filter((entry) => !isBlankOne(entry)));
};

const addAll = (found: FieldErrors | null, errors: ErrorCollector): void => {
  for (const [path, text] of Object.entries(found ?? {})) errors.add(path, text);
};

const readInput = async (
  request: Request,
  match: RouteMatch & { kind: 'found' },
  bodies: ArrivingBodies,
): Promise<OperationInput> => {
  const { contract, validators }: Route = match.route;
  const errors = new ErrorCollector();
  const params = readParams(match.params, errors);
  const query = readQuery(exchangeOf(request).queryText, errors, namesOf(contract.query));
  const options = {
    maxBytes: contract.maxBodyBytes ?? bounds.bodyBytes,
    isBulk: contract.item !== undefined,
    bodies,
    organizationId: callerOf(request).organizationId,
  };
  const json = contract.body === undefined ? undefined : await readJsonBody(request, options);
  const body = contract.group === 'search' ? withoutBlanks(json?.value, namesOf(contract.body)) : json?.value;
  addAll(validators.params?.(params) ?? null, errors);
  addAll(validators.query(query), errors);
  if (body !== undefined) addAll(validators.body?.(body) ?? null, errors);
  errors.throwIfAny();
  // The types of the input are derived from the schemas that validated it.
  return { params, query, body, itemErrors: json?.itemErrors };
};

/** A 404 that names the other gateway if the path can only be one of its paths. */
const unknownPath = (gateway: Gateway, path: string): ApiError => {
  const server = path.startsWith('/v1/inbound/') ? 'inbound' : 'read';
  if (server === gateway || !path.startsWith('/v1/')) return new ApiError('not_found');
  const paths = server === 'inbound' ? 'paths below /v1/inbound/' : 'paths that are not below /v1/inbound/';
  return new ApiError('not_found', { message: `Not found: the ${server} gateway serves ${paths}` });
};

/**
 * Reads and validates the input of a request, or answers 404 or 405. Field errors are reported together, but faults in
 * the text of the body are reported alone.
 */
export const readOperationInput =
  (gateway: Gateway, bodies: ArrivingBodies): RequestHandler =>
  async (request, _response, next) => {
    const exchange = exchangeOf(request);
    const match = assertPresent(exchange.match, 'match');
    if (match.kind === 'unknown') throw unknownPath(gateway, exchange.path);
    if (match.kind === 'wrong-method') throw new ApiError('method_not_allowed', { headers: { Allow: match.allow } });
    await exchange.work(async () => {
      exchange.input = await readInput(request, match, bodies);
      next();
    });
  };
