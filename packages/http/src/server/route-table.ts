import type { OperationContract, OperationValidators } from '@crm/contract';
import type { OperationReply, OperationRequest } from '../operation.js';

/** An operation with its context and its compiled validators. */
export interface Route {
  readonly contract: OperationContract;
  readonly validators: OperationValidators;
  readonly run: (request: OperationRequest<OperationContract>) => Promise<OperationReply<OperationContract>>;
}

/** The route of a method and a path. Path parameters are still percent-encoded. */
export type RouteMatch =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'wrong-method'; readonly template: string; readonly allow: string }
  | { readonly kind: 'unknown' };

interface PathEntry {
  readonly template: string;
  readonly segments: readonly string[];
  readonly byMethod: Map<string, Route>;
}

const unknown: RouteMatch = { kind: 'unknown' };
const noParams: Readonly<Record<string, string>> = Object.freeze(Object.create(null) as Record<string, string>);
const isParameter = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}');

/**
 * Finds the operation of a request before authentication, because a key's permission depends on the operation. The
 * response to a bad key must still be the same for known and unknown paths. Exact paths win over those with parameters.
 */
export class RouteTable {
  readonly #exact = new Map<string, PathEntry>();
  readonly #parameterized: PathEntry[] = [];

  /** @throws Error when two routes share method and path. */
  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  /** `method` in upper case; `path` as in the request target, without the query. */
  match(method: string, path: string): RouteMatch {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return toMatch(exact, method, noParams);
    const segments = path.split('/');
    for (const entry of this.#parameterized) {
      const params = readParams(entry.segments, segments);
      if (params !== null) return toMatch(entry, method, params);
    }
    return unknown;
  }

  #add(route: Route): void {
    const template = route.contract.path;
    const segments = template.split('/');
    const entry = this.#entryOf(template, segments);
    const method = route.contract.method.toUpperCase();
    if (entry.byMethod.has(method)) throw new Error(`Two operations answer ${method} ${template}`);
    entry.byMethod.set(method, route);
    // HEAD runs like GET; Node omits the body.
    if (method === 'GET') entry.byMethod.set('HEAD', route);
  }

  #entryOf(template: string, segments: readonly string[]): PathEntry {
    const known = this.#exact.get(template) ?? this.#parameterized.find((candidate) => candidate.template === template);
    if (known !== undefined) return known;
    const entry: PathEntry = { template, segments, byMethod: new Map() };
    if (segments.some(isParameter)) this.#parameterized.push(entry);
    else this.#exact.set(template, entry);
    return entry;
  }
}

const toMatch = (entry: PathEntry, method: string, params: Readonly<Record<string, string>>): RouteMatch => {
  const route = entry.byMethod.get(method);
  if (route !== undefined) return { kind: 'found', route, params };
  return { kind: 'wrong-method', template: entry.template, allow: [...entry.byMethod.keys()].sort().join(', ') };
};

const readParams = (template: readonly string[], segments: readonly string[]): Record<string, string> | null => {
  if (template.length !== segments.length) return null;
  const params = Object.create(null) as Record<string, string>;
  for (const [index, expected] of template.entries()) {
    const given = segments[index] ?? '';
    if (isParameter(expected)) {
      if (given === '') return null;
      params[expected.slice(1, -1)] = given;
    } else if (expected !== given) return null;
  }
  return params;
};
