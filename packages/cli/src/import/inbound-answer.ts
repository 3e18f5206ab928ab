import { CliError } from '../errors.js';
import type { RowProblem } from './convert-row.js';
import { targetNameOf, type ImportObject } from './targets.js';

/** Something sent that the gateway did not apply. */
export interface Warning {
  readonly field: string;
  readonly message: string;
}

/** What became of a row at the gateway. */
export type SendOutcome =
  | { readonly kind: 'created' | 'matched' | 'updated'; readonly warnings: readonly Warning[] }
  | { readonly kind: 'rejected'; readonly problems: readonly RowProblem[] };

/**
 * Reads the gateway's answer about one row.
 *
 * @throws CliError when it says that no row can succeed.
 */
export const readAnswer = (
  object: ImportObject,
  endpoint: string,
  response: Response,
  body: Readonly<Record<string, unknown>>,
): SendOutcome => {
  if (response.status === 200 && body['success'] === true) {
    return { kind: recordStatus(response.headers), warnings: readWarnings(body['warnings']) };
  }
  const message = readMessage(body);
  const fields = readErrors(body['errors']);
  const problems = fields.map(([path, reason]) => ({ field: targetNameOf(object, path), reason }));
  // These say the same of every row, so that going on would only fill the rejects file.
  if ([200, 401, 403, 404, 405].includes(response.status) || problems.some(({ field }) => field === 'pipeline_id')) {
    throw new CliError(hopelessText(endpoint, response.status, message, problems));
  }
  if (problems.length > 0) return { kind: 'rejected', problems };
  const requestId = response.headers.get('x-request-id');
  const reason = `HTTP ${response.status} ${message}${requestId === null ? '' : ` (request ${requestId})`}`;
  return { kind: 'rejected', problems: [{ field: '', reason }] };
};

/**
 * Reads the gateway's answer about a batch.
 *
 * @returns `undefined` when the batch was refused as a whole, so that its rows have to be asked about apart.
 * @throws CliError when it says that no row can succeed.
 */
export const readBulkAnswer = (
  object: ImportObject,
  endpoint: string,
  response: Response,
  body: Readonly<Record<string, unknown>>,
  count: number,
): readonly SendOutcome[] | undefined => {
  const data = body['data'];
  const results: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'results') : undefined;
  if (response.status !== 200 || !Array.isArray(results) || results.length !== count) {
    const refused = readAnswer(object, endpoint, response, { ...body, success: false });
    if (count > 1 || refused.kind !== 'rejected') return undefined;
    const problems = refused.problems.map(({ field, reason }) => ({
      field: targetNameOf(object, field.replace(/^items\[0\]\./, '')),
      reason,
    }));
    return [{ kind: 'rejected', problems }];
  }
  return results.map((result: unknown) => readResult(object, endpoint, result as Readonly<Record<string, unknown>>));
};

const readResult = (object: ImportObject, endpoint: string, result: Readonly<Record<string, unknown>>): SendOutcome => {
  if (result['success'] === true) {
    const status = result['record_status'];
    const kind = status === 'matched' || status === 'updated' ? status : 'created';
    return { kind, warnings: readWarnings(result['warnings']) };
  }
  const problems = readErrors(result['errors']).map(([path, reason]) => ({
    field: targetNameOf(object, path),
    reason,
  }));
  if (problems.some(({ field }) => field === 'pipeline_id')) {
    throw new CliError(hopelessText(endpoint, 404, '', problems));
  }
  return { kind: 'rejected', problems: problems.length > 0 ? problems : [{ field: '', reason: 'was refused' }] };
};

const hopelessText = (endpoint: string, status: number, message: string, problems: readonly RowProblem[]): string => {
  const said = [message, ...problems.map(({ field, reason }) => `${field}: ${reason}`)].filter((text) => text !== '');
  const hint =
    status === 401
      ? 'Check --api-key: the key must be valid and allowed to create (crm key list), in bulk unless --batch is 1.'
      : status === 200 || status === 405
        ? 'Check --url: it must be the address of the inbound gateway.'
        : 'Check --url and --pipeline (crm pipeline list).';
  return `${endpoint} answered HTTP ${status}${said.length > 0 ? `: ${said.join('; ')}` : ''}. ${hint}`;
};

const recordStatus = (headers: Headers): 'created' | 'matched' | 'updated' => {
  // A replayed note carries the status of its first answer, but nothing was created this time.
  if (headers.get('idempotent-replayed') === 'true') return 'matched';
  const status = headers.get('x-record-status');
  return status === 'matched' || status === 'updated' ? status : 'created';
};

/** `Retry-After` in milliseconds, from its seconds or its date. */
export const readRetryAfterMs = (header: string | null): number | undefined => {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - Date.now());
};

/** A body as a JSON object; an empty one when it is anything else, as a proxy's page. */
export const parseJson = (content: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

/** The `message` of an answer. */
export const readMessage = (body: Readonly<Record<string, unknown>>): string =>
  typeof body['message'] === 'string' ? body['message'] : '';

const readErrors = (errors: unknown): [path: string, reason: string][] =>
  typeof errors === 'object' && errors !== null
    ? Object.entries(errors).map(([path, reason]) => [path, String(reason)])
    : [];

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');

const readWarnings = (warnings: unknown): readonly Warning[] => {
  if (!Array.isArray(warnings)) return [];
  return warnings.flatMap((warning: unknown) => {
    if (typeof warning !== 'object' || warning === null) return [];
    const { field, message } = warning as Record<string, unknown>;
    return [{ field: textOr(field), message: textOr(message) }];
  });
};
