import { buildOpenApiDocument, compileResponseValidator, type OperationContract, statusOfCode } from '@crm/contract';

/** A request and its response. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface OperationCheck {
  readonly statuses: ReadonlySet<number>;
  readonly validate: (body: unknown) => Readonly<Record<string, string>> | null;
}

/** The statuses of requests that match no operation. */
const statusesWithoutOperation = new Set([400, 401, 404, 405, 408, 429, 431, 503]);
/**
 * The statuses whose responses may name fields: an invalid request, an unknown `pipeline_id`, a search that took too
 * long.
 */
const statusesWithErrors = new Set([400, 404, 409, 503]);
const recordStatuses = ['created', 'matched', 'updated'];
/** Internals that must not leak: stack frames, SQL, names of constraints. */
const leak =
  /\n\s+at |node_modules|\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b.*\b(FROM|VALUES|SET|WHERE)\b|_(pkey|fkey|check)\b|prisma/i;
/** No field error starts with a capital letter or ends with a full stop, see `FieldErrors` in `domain`. */
const errorStyle = /^(?![A-Z]).*[^.]$/s;
const readMark = /^[A-Za-z0-9_-]{23}$/;
const entityTag = /^(?:W\/)?"(\d+)\.[0-9a-f]{20}"$/;
const wholeSeconds = /^[1-9]\d*$/;
const requestId = /^[A-Za-z0-9._:#=+/-]{8,128}$/;

const documentedStatuses = (contract: OperationContract): ReadonlySet<number> => {
  const document = buildOpenApiDocument(contract.gateway, [contract]) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  };
  return new Set(Object.keys(document.paths[contract.path]?.[contract.method]?.responses ?? {}).map(Number));
};

const toCheck = (contract: OperationContract): OperationCheck => ({
  statuses: documentedStatuses(contract),
  validate: compileResponseValidator(contract),
});

const checks = new WeakMap<OperationContract, OperationCheck>();

/**
 * The check of an operation. It is compiled at the first response, because compiling all takes longer than most tests.
 */
const checkOf = (contract: OperationContract): OperationCheck => {
  const check = checks.get(contract) ?? toCheck(contract);
  checks.set(contract, check);
  return check;
};

const pathPattern = ({ path }: OperationContract): RegExp => new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`);

/** Every violation of the rules for all responses. */
const findFaults = (exchange: Exchange, contract: OperationContract | undefined): string[] => {
  const { status, headers, text } = exchange;
  const operation = contract === undefined ? undefined : checkOf(contract);
  const faults: string[] = [];
  const demand = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  demand(requestId.test(headers.get('x-request-id') ?? ''), 'has no X-Request-Id');
  demand(headers.get('content-type') === 'application/json; charset=utf-8', 'is not JSON by its Content-Type');
  demand((operation?.statuses ?? statusesWithoutOperation).has(status), 'has a status that is not documented');
  demand(headers.get('cache-control') === 'no-store', 'may be stored by caches');
  const replayed = headers.get('idempotent-replayed');
  demand(replayed === null || (replayed === 'true' && status === 200), 'has a wrong Idempotent-Replayed');
  const body = JSON.parse(text) as { success?: unknown; statusCode?: unknown; code?: string; errors?: object };
  demand(body.success === (status === 200), 'has a success that does not match the status');
  if (operation !== undefined) {
    const errors = operation.validate(body);
    demand(errors === null, `breaks the contract: ${JSON.stringify(errors)}`);
  }
  if (status === 200) {
    const recordStatus = headers.get('x-record-status');
    const isRecordStatus = recordStatus !== null && recordStatuses.includes(recordStatus);
    const documented = contract?.headers ?? {};
    const tag = headers.get('etag');
    demand(
      (tag !== null && entityTag.test(tag)) === 'ETag' in documented,
      `lacks a documented ETag, or has one that is not documented: ${tag ?? 'none'}`,
    );
    const version = headers.get('x-record-version');
    demand(version === (entityTag.exec(tag ?? '')?.[1] ?? null), `has a wrong X-Record-Version: ${version ?? 'none'}`);
    const isMarked = readMark.test(headers.get('x-read-after') ?? '');
    demand(
      isMarked === 'X-Read-After' in documented,
      'lacks a documented X-Read-After, or has one that is not documented',
    );
    demand(
      isRecordStatus === 'X-Record-Status' in documented,
      `lacks a documented X-Record-Status, or has one that is not documented: ${recordStatus ?? 'none'}`,
    );
    return faults;
  }
  demand(status !== 401 || headers.get('www-authenticate') === 'ApiKey', 'is a 401 without WWW-Authenticate');
  demand(status !== 405 || /^[A-Z]/.test(headers.get('allow') ?? ''), 'is a 405 without Allow');
  const retryAfter = headers.get('retry-after');
  const mustSayWhen = status === 429 || body.code === 'idempotency_in_flight';
  demand(
    retryAfter === null ? !mustSayWhen : wholeSeconds.test(retryAfter),
    `has no Retry-After in whole seconds: ${retryAfter ?? 'none'}`,
  );
  demand(body.statusCode === status, 'has a statusCode that differs from the HTTP status');
  demand(statusOfCode(body.code) === status, 'has no code, or the code of another status');
  demand(status !== 400 || Object.keys(body.errors ?? {}).length > 0, 'is a 400 that names no field');
  demand(statusesWithErrors.has(status) || body.errors === undefined, 'names fields though it is no validation error');
  const unusual = Object.values(body.errors ?? {}).filter((error) => !errorStyle.test(String(error)));
  demand(unusual.length === 0, `has errors in another style: ${unusual.join('; ')}`);
  demand(!leak.test(text), 'reveals internals');
  return faults;
};

const tally = { checked: 0, faulty: 0 };

/** The number of responses checked in this test file so far, and the number of those that violated the contract. */
export const countAnswers = (): Readonly<typeof tally> => ({ ...tally });

/**
 * Creates the check of a gateway's responses. It finds the operation by method and path and compares the response with
 * its contract. Without an operation, the response must be a general error.
 * @returns a function that throws an Error with every fault and the response
 */
export const createAnswerCheck = (contracts: readonly OperationContract[]): ((exchange: Exchange) => void) => {
  const patterns = contracts.map((contract) => ({ contract, path: pathPattern(contract) }));
  return (exchange) => {
    const method = exchange.method.toLowerCase();
    // An exact path wins over one with parameters for every method, as in the gateway.
    const exact = patterns.filter(({ contract }) => contract.path === exchange.path);
    const onPath = exact.length > 0 ? exact : patterns.filter(({ path }) => path.test(exchange.path));
    const operation = onPath.find(({ contract }) => contract.method === method);
    const faults = findFaults(exchange, operation?.contract);
    tally.checked += 1;
    if (faults.length === 0) return;
    tally.faulty += 1;
    const { path, status, text } = exchange;
    throw new Error(
      `${exchange.method} ${path} answered ${status}, which ${faults.join('; ')}\n${text.slice(0, 2_000)}`,
    );
  };
};
