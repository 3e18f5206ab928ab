import { getNote as contract } from '@crm/contract';
import { readNote } from '@crm/db';
import { ApiError } from '@crm/domain';
import { defineOperation, JsonText } from '@crm/http';
import type { Context } from '../context.js';

/** `GET /v1/notes/{id}` */
export const getNote = defineOperation<Context, typeof contract>(contract, async ({ database }, { caller, params }) => {
  const found = await readNote(database, { organizationId: caller.organizationId, id: params.id.toLowerCase() });
  if (found === null) throw new ApiError('not_found');
  return {
    message: 'Found note',
    data: new JsonText(`{"note":${found.record}}`),
    headers: { ETag: `"${found.version}"` },
  };
});
