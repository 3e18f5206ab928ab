import { getLatestPosition as contract } from '@crm/contract';
import { readLatestPosition } from '@crm/db';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';

/** `GET /v1/events/latest`: the end of the change log, and a token for later reads. */
export const getLatestPosition = defineOperation<Context, typeof contract>(contract, async (context, { caller }) => {
  const { position, logId, readMark } = await readLatestPosition(context.database, caller.organizationId);
  return {
    message: 'Found the latest position',
    data: { position, log_id: logId },
    headers: { 'X-Read-After': readMark },
  };
});
