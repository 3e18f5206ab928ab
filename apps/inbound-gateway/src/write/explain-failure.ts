import { type Database, findMergedInto } from '@crm/db';
import { ApiError, type FieldErrors, isFailure, type ObjectType } from '@crm/domain';
import { toApiError } from '@crm/http';

/**
 * Runs `work` on a record.
 * @throws ApiError `not_found`; with `merged_into` if the record was merged into another one
 */
export const explainNotFound = async <Result>(
  database: Database,
  organizationId: string,
  kind: ObjectType | 'note',
  id: string,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (kind === 'note' || toApiError(error).code !== 'not_found') throw error;
    const mergedInto = await findMergedInto(database, organizationId, kind, id);
    if (mergedInto === null) throw error;
    throw new ApiError('not_found', { extra: { merged_into: mergedInto }, cause: error });
  }
};

/**
 * Runs a write. After a timeout, the same call would time out again, so the response says what to change.
 * @param errors - without any entry, the timeout has another reason and is not explained
 */
export const explainTimeout = async <Result>(
  message: string,
  errors: FieldErrors,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (!isFailure(error, 'timeout') || Object.keys(errors).length === 0) throw error;
    throw new ApiError('timeout', { message, errors, cause: error });
  }
};
