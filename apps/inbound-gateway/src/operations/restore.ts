import { type RestoreBody, restoreRecord as contract } from '@crm/contract';
import { findEvent, restoration, runWrite } from '@crm/db';
import { ApiError, validationError } from '@crm/domain';
import type { OperationReply } from '@crm/http';
import { type Context, operation } from '../context.js';
import { runIdempotent } from '../write/run-idempotent.js';
import { writeOrigin } from '../write/write-request.js';

const erasedMessage = 'The values of this record were erased: deleted contacts and notes cannot be restored';

const missingLinkMessage = 'The linked record no longer exists: the link was left out';
const archivedStageMessage = 'The stage is archived or deleted: the opportunity is in the stage where new ones start';

/** Schemas leave this to code, because documents cannot show it. @throws ApiError if a body names no deletion, or two */
const checkTarget = (body: RestoreBody): void => {
  const missing = ['object', 'id'].filter((name) => !Object.hasOwn(body, name));
  if (!('position' in body)) {
    if (missing.length > 0) throw validationError(Object.fromEntries(missing.map((name) => [name, 'is required'])));
  } else if (missing.length < 2) throw validationError({ position: 'must be sent without object and id' });
};

/** The deletion that a request names. @throws ApiError if there is none, or if it cannot be undone */
const findDeletion = async ({ database }: Context, organizationId: string, body: RestoreBody) => {
  checkTarget(body);
  const event = await findEvent(database, organizationId, body);
  if (event === null) throw new ApiError('not_found');
  const { object, type, previous, isErased } = event;
  if (type !== `${object}.deleted`) throw validationError({ position: 'is not the position of a deletion' });
  if (isErased || previous === null || object === 'contact' || object === 'note')
    throw new ApiError('conflict', { message: erasedMessage });
  return { event, object, previous };
};

/** `POST /v1/inbound/restore`: undoes the deletion of an account or opportunity. */
export const restoreRecord = operation(contract, (context, request) => {
  const { organizationId } = request.caller;
  return runIdempotent(context, contract, request, {
    run: async (idempotency) => {
      const { event, object, previous } = await findDeletion(context, organizationId, request.body);
      return context.setups.use(organizationId, (setup) => {
        const write = restoration(setup, event, object, previous);
        return runWrite(context.database, organizationId, write, idempotency, writeOrigin(request));
      });
    },
    answer: ({ object, id, version, dropped, taken }): OperationReply<typeof contract> => {
      const warnings = [
        ...dropped.map((field) => ({
          field,
          message: field === 'stage_id' ? archivedStageMessage : missingLinkMessage,
        })),
        ...taken.map(({ domain, account_id: holder }) => ({
          field: 'additional_domains',
          message: `${domain} belongs to the account ${holder} now: it was left out`,
        })),
      ];
      return {
        message: `Restored ${object}`,
        data: { object, id, version },
        ...(warnings.length === 0 ? {} : { extra: { warnings } }),
      };
    },
  });
});
