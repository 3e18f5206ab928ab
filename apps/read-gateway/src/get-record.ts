import type { getAccount, OperationContract } from '@crm/contract';
import { findMergedInto, readRecord, type RecordKey } from '@crm/db';
import { ApiError, ErrorCollector, appliesToPipeline, type ObjectType, parseFieldSelection } from '@crm/domain';
import { type Caller, JsonParts, type OperationRequest } from '@crm/http';
import { type Context, operation } from './context.js';
import { includedJson, namesOf } from './included.js';
import { definitionsJson } from './page.js';

/** The parameters of a read of one record. */
interface RecordQuery {
  readonly fields?: readonly string[] | undefined;
  readonly include?: string | undefined;
}

/** Reads the record with a key: every system field and visible custom field, unless `fields` narrows it. */
export const readByKey = (context: Context, caller: Caller, key: RecordKey, { fields, include }: RecordQuery) => {
  const { organizationId } = caller;
  return context.setups.use(organizationId, async (setup) => {
    const { objectType } = key;
    const errors = new ErrorCollector();
    const fieldIndex = setup.fieldIndex(objectType, null);
    const selection = parseFieldSelection(fields, fieldIndex, errors, fieldIndex.fullSelection);
    errors.throwIfAny();
    const names = namesOf(include, objectType);
    const found = await readRecord(context.database, { organizationId, ...key, selection });
    if (found === null) {
      // Only for an id: the domain or email of a merged record finds the kept record.
      const mergedInto =
        'id' in key ? await findMergedInto(context.database, organizationId, objectType, key.id) : null;
      throw new ApiError('not_found', mergedInto === null ? {} : { extra: { merged_into: mergedInto } });
    }
    // An opportunity shows the definitions of its own pipeline.
    const custom = selection.custom.filter((definition) => appliesToPipeline(definition, found.pipelineId));
    const definitions = custom.length === selection.custom.length ? selection : { ...selection, custom };
    return {
      message: `Found ${objectType}`,
      data: new JsonParts([
        `{"${objectType}":${found.record},"custom_field_definitions":`,
        definitionsJson(definitions),
        ...(await includedJson(context, caller, setup, objectType, found.record, names)),
        '}',
      ]),
      version: found.version,
    };
  });
};

/** A get by id. */
export const getRecord = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(contract, (context, { caller, params, query }: OperationRequest<typeof getAccount>) =>
    readByKey(context, caller, { objectType, id: params.id }, query),
  );
