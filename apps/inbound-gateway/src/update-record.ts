import type { OperationContract } from '@crm/contract';
import {
  type OrganizationSetup,
  readRecord,
  runWrite,
  type UpdateTarget,
  type Write,
  type WrittenRecord,
} from '@crm/db';
import { ApiError, definitionsMap, ErrorCollector, appliesToPipeline, isFailure, type ObjectType } from '@crm/domain';
import { JsonText, type OperationReply, type OperationRequest } from '@crm/http';
import type { Context } from './context.js';
import { explainNotFound } from './explain-not-found.js';
import { readIfMatch } from './if-match.js';
import { readAfterHeader } from './read-after-header.js';
import { writeOrigin } from './write-origin.js';

/** The input of an update of any object. */
type UpdateRequest = Pick<OperationRequest<OperationContract>, 'caller' | 'header' | 'requestId'> & {
  readonly params: { readonly id: string };
  readonly body: unknown;
};

/** Builds the write of an update; adds every fault to `errors`. */
export type ReadUpdate = (
  setup: OrganizationSetup,
  target: UpdateTarget,
  errors: ErrorCollector,
) => Write<WrittenRecord>;

/** A record as a get by id returns it: every system field and every visible custom field. */
const answerRecord = (context: Context, organizationId: string, objectType: ObjectType, id: string) =>
  context.setups.use(organizationId, async (setup) => {
    const selection = setup.fieldIndex(objectType, null).fullSelection;
    const request = { organizationId, objectType, id, selection, isMarked: true };
    const found = await readRecord(context.database, request);
    if (found === null || found.readMark === null) throw new ApiError('not_found');
    const shown = selection.custom.filter((definition) => appliesToPipeline(definition, found.pipelineId));
    const definitions = JSON.stringify(definitionsMap(shown));
    return {
      data: new JsonText(`{"${objectType}":${found.record},"custom_field_definitions":${definitions}}`),
      // The mark of this read, not of the write: the record may already contain later writes of other callers.
      headers: { ETag: `"${found.version}"`, ...readAfterHeader(found.readMark) },
    };
  });

/** The values of a record that its opportunities store a copy of. A change of such a value changes all of them. */
const valuesOfOpportunities: Readonly<Record<ObjectType, readonly string[]>> = {
  account: ['name', 'domain'],
  contact: ['first_name', 'last_name', 'email'],
  opportunity: [],
};

/**
 * Runs a write. If it changes too many opportunities, a retry would time out again, so the response gives the reason.
 */
const runOrExplain = async <Result>(work: () => Promise<Result>, objectType: ObjectType, body: unknown) => {
  try {
    return await work();
  } catch (error) {
    const paths = valuesOfOpportunities[objectType].filter((path) => path in Object(body));
    if (!isFailure(error, 'timeout') || paths.length === 0) throw error;
    const copies = `the opportunities of this ${objectType} store a copy of it`;
    const text = `took too long: ${copies}, and there are too many to change at once`;
    const errors = Object.fromEntries(paths.map((path) => [path, text]));
    throw new ApiError('timeout', { message: 'The change took too long', errors, cause: error });
  }
};

/**
 * Changes one record and returns it.
 * @throws ApiError `not_found`, `precondition_failed` if `If-Match` names another version, `conflict` for a natural key
 * that another record has; `timeout` with `errors` if the record has too many opportunities to rename
 */
export const updateRecord = async <C extends OperationContract>(
  context: Context,
  request: UpdateRequest,
  objectType: ObjectType,
  read: ReadUpdate,
): Promise<OperationReply<C>> => {
  const { header, params, body } = request;
  const { organizationId } = request.caller;
  const target = { id: params.id.toLowerCase(), version: readIfMatch(header('if-match')) };
  const run = async () => {
    const write = await context.setups.use(organizationId, async (setup) => {
      const errors = new ErrorCollector();
      const found = read(setup, target, errors);
      errors.throwIfAny();
      return found;
    });
    return runWrite(context.database, organizationId, write, null, writeOrigin(request));
  };
  const { result } = await explainNotFound(context.database, organizationId, objectType, target.id, () =>
    runOrExplain(run, objectType, body),
  );
  const isChanged = result.record_status === 'updated';
  return {
    message: isChanged ? `Updated ${objectType}` : `Nothing to change in ${objectType}`,
    ...(await answerRecord(context, organizationId, objectType, target.id)),
  };
};
