import type { OperationContract } from '@crm/contract';
import { type CreatedRecord, findOpportunityPipelineIds, readRecord, runWrite } from '@crm/db';
import {
  ApiError,
  appliesToPipeline,
  type Body,
  definitionsMap,
  type FieldErrors,
  objects,
  type ObjectType,
} from '@crm/domain';
import { JsonParts, type OperationRequest } from '@crm/http';
import { type Context, operation } from '../context.js';
import { explainNotFound, explainTimeout } from './explain-failure.js';
import { type ObjectWrites, readWrite, updateWrite, warningsExtra } from './object-writes.js';
import { readAfterHeader, type RecordRequest, targetOf, writeOrigin } from './write-request.js';

type UpdateRequest = OperationRequest<OperationContract> & RecordRequest & { readonly body: Body };

/** The pipelines of opportunities that a request names, by their ids. Other objects have none. */
export const findPipelineIds = async (
  { database }: Context,
  organizationId: string,
  objectType: ObjectType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  objectType === 'opportunity' ? findOpportunityPipelineIds(database, organizationId, ids) : new Map();

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
      data: new JsonParts([`{"${objectType}":${found.record},"custom_field_definitions":${definitions}}`]),
      // The mark of this read, not of the write: the record may already contain later writes of other callers.
      version: found.version,
      headers: readAfterHeader(found.readMark),
    };
  });

/** The sent fields that opportunities copy, with the reason why a change of them can time out. */
const timeoutErrors = (objectType: ObjectType, body: Body): FieldErrors => {
  const copies = `the opportunities of this ${objectType} store a copy of it`;
  const text = `took too long: ${copies}, and there are too many to change at once`;
  const copied = objects[objectType].fields.filter(({ name, copied }) => copied === true && name in body);
  return Object.fromEntries(copied.map(({ name }) => [name, text]));
};

/**
 * An update, which returns the record.
 * @throws ApiError `not_found`, `precondition_failed` if `If-Match` names another version, `conflict` for a natural key
 * that another record has; `timeout` with `errors` if the record has too many opportunities to rename
 */
export const updateRecord = <Created extends CreatedRecord>(
  contract: OperationContract,
  writes: ObjectWrites<Created>,
) =>
  operation<OperationContract>(contract, async (context, request: UpdateRequest) => {
    const { database } = context;
    const { body, caller } = request;
    const { organizationId } = caller;
    const { objectType } = writes;
    const target = await targetOf(database, objectType, request);
    const pipelineIds = await findPipelineIds(context, organizationId, objectType, [target.id]);
    const run = async () => {
      const write = await readWrite(context, organizationId, (setup, errors) =>
        updateWrite(setup, writes, target, body, pipelineIds, errors),
      );
      return runWrite(database, organizationId, write, null, writeOrigin(request));
    };
    const { result } = await explainNotFound(database, organizationId, objectType, target.id, () =>
      explainTimeout('The change took too long', timeoutErrors(objectType, body), run),
    );
    const isChanged = result.record_status === 'updated';
    return {
      message: isChanged ? `Updated ${objectType}` : `Nothing to change in ${objectType}`,
      ...(await answerRecord(context, organizationId, objectType, target.id)),
      extra: warningsExtra(objectType, result),
    };
  });
