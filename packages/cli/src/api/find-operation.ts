import { inboundOperations, type OperationContract, readOperations } from '@crm/contract';

import { usageError } from '../errors.js';

/** All operations of both gateways, by path. */
export const listOperations = (): readonly OperationContract[] =>
  [...readOperations, ...inboundOperations].toSorted(
    (one, other) => one.path.localeCompare(other.path) || one.method.localeCompare(other.method),
  );

/** An operation as `GET /v1/accounts`. */
const routeOf = ({ method, path }: OperationContract): string => `${method.toUpperCase()} ${path}`;

const isParameter = (part: string): boolean => part.startsWith('{');

/** How many parts of a path a template names literally; -1 if it does not fit. */
const literalParts = (template: string, path: string): number => {
  const parts = path.split('/');
  const wanted = template.split('/');
  if (parts.length !== wanted.length) return -1;
  if (!wanted.every((part, index) => part === parts[index] || (isParameter(part) && parts[index] !== ''))) return -1;
  return wanted.filter((part) => !isParameter(part)).length;
};

/** The operations at a path. `/v1/accounts/schema` is not the account with the id `schema`. */
const operationsAt = (path: string): readonly OperationContract[] => {
  const fitting = listOperations().map((contract) => ({ contract, literal: literalParts(contract.path, path) }));
  const most = Math.max(...fitting.map(({ literal }) => literal));
  return fitting.filter(({ literal }) => literal === most && literal >= 0).map(({ contract }) => contract);
};

/** Those whose path has a part of this one, to suggest. */
const relatedTo = (path: string): readonly OperationContract[] => {
  const words = path.split('/').filter((part) => part.length > 3 && part !== 'inbound');
  return listOperations().filter((contract) => words.some((word) => contract.path.split('/').includes(word)));
};

/**
 * Finds the operation of a method and a path.
 * @param path - without a query, such as `/v1/accounts/by-domain/acme.com`
 * @throws CliError (2) that names the operations at or near the path
 */
export const findOperation = (method: string, path: string): OperationContract => {
  const atPath = operationsAt(path);
  const found = atPath.find((contract) => contract.method === method.toLowerCase());
  if (found !== undefined) return found;
  const near = atPath.length > 0 ? atPath : relatedTo(path);
  const shown = near.map((contract) => `\n  ${routeOf(contract)}`).join('');
  throw usageError(
    `There is no operation ${method.toUpperCase()} ${path}.${shown === '' ? '' : ` There are:${shown}`}\nAll operations: crm api --list`,
  );
};
