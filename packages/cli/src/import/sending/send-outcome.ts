import type { BulkResult, BulkResults, CrmApiError, Warning, WriteAnswer } from '@crm/client';

import { CliError } from '../../errors.js';
import { gatewayErrorText, type GatewayAddress, requestText } from '../../api/gateways.js';
import type { RowProblem } from '../mapping/convert-row.js';
import { targetNameOf, type ImportObject } from '../targets.js';

/** The outcome of a row at the gateway. */
export interface SendOutcome {
  readonly kind: 'created' | 'matched' | 'updated' | 'rejected';
  /** Why the row was rejected, or the values of it that were not applied. */
  readonly problems: readonly RowProblem[];
  /** The id of its record. In a dry run, its keys. */
  readonly records?: readonly string[];
}

/** Whose answers are read. */
export interface AnswerReader {
  readonly object: ImportObject;
  readonly gateway: GatewayAddress;
  /** See `SenderOptions`. */
  readonly rowsNamePipelines: boolean;
}

const pipelineHint = 'Check --pipeline (crm api GET /v1/pipelines).';

/** Reads the outcome of a single create. */
export const readAnswer = (
  object: ImportObject,
  { isReplay, recordStatus, warnings, data }: WriteAnswer<Readonly<Record<string, unknown>>>,
): SendOutcome => ({
  // A replayed response has the status of the first one, but nothing was created this time.
  kind: isReplay ? 'matched' : (recordStatus ?? 'created'),
  problems: warningsOf(object, warnings),
  // The id comes first: opportunity_id, company_id, people_id or note_id.
  records: [String(Object.values(data)[0])],
});

/**
 * Reads the outcome of each row of a bulk create.
 *
 * @throws CliError if no row can succeed, or if the response is not from an inbound gateway.
 */
export const readResults = (
  { object, gateway: { name, url, option }, rowsNamePipelines }: AnswerReader,
  data: Partial<BulkResults> | undefined,
  count: number,
): readonly SendOutcome[] => {
  if (data?.results?.length !== count) {
    throw new CliError(`${url} does not answer like an ${name}. Check ${option}.`);
  }
  return data.results.map((result: BulkResult): SendOutcome => {
    const { record_status: status, warnings = [], id } = result;
    const kind = status ?? 'created';
    if (result.success) return { kind, problems: warningsOf(object, warnings), records: id === null ? [] : [id] };
    const problems = problemsOf(object, result.errors ?? {});
    const pipeline = problems.find(({ field }) => field === 'pipeline_id');
    if (pipeline !== undefined && !rowsNamePipelines)
      throw new CliError(`The ${name} ${url} refused the pipeline: ${pipeline.reason}. ${pipelineHint}`);
    return {
      kind: 'rejected',
      problems: problems.length > 0 ? problems : [{ field: '', reason: 'was refused without a reason' }],
    };
  });
};

/**
 * Reads the outcome of each row of a refused request. The gateways refuse single rows of a bulk create in its results,
 * so a refused bulk create was probably stopped by a proxy.
 *
 * @throws CliError if no row can succeed.
 */
export const readRefusal = (
  { object, gateway, rowsNamePipelines }: AnswerReader,
  error: CrmApiError,
  count: number,
): SendOutcome => {
  const { status, message } = error;
  const problems = problemsOf(object, error.errors);
  const isPipeline = status === 404 || (!rowsNamePipelines && problems.some(({ field }) => field === 'pipeline_id'));
  // These errors apply to every row, so continuing would only fill the rejects file.
  if (isPipeline || status < 400 || [401, 403, 405].includes(status)) {
    throw new CliError(`${gatewayErrorText(gateway, error)}${isPipeline ? ` ${pipelineHint}` : ''}`);
  }
  if (problems.length > 0 && count === 1) return { kind: 'rejected', problems };
  const batch = count === 1 ? '' : ` for a batch of ${count} rows: import these again with --batch 1`;
  const reason = `HTTP ${status} ${message}${requestText(error)}${batch}`;
  return { kind: 'rejected', problems: [{ field: '', reason }] };
};

/** The fields at fault, by their names in the mapping. */
export const problemsOf = (object: ImportObject, errors: Readonly<Record<string, string>>): readonly RowProblem[] =>
  Object.entries(errors).map(([path, reason]) => ({
    field: targetNameOf(object, path.replace(/^items\[0\]\./, '')),
    reason,
  }));

const warningsOf = (object: ImportObject, warnings: readonly Warning[]): readonly RowProblem[] =>
  warnings.map(({ field, message: reason }) => ({ field: targetNameOf(object, field), reason }));
