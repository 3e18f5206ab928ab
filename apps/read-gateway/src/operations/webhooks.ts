import {
  getWebhook as getContract,
  listParkedRecords as parkedContract,
  listWebhookAttempts as attemptsContract,
  listWebhooks as listContract,
} from '@crm/contract';
import { findWebhook, listAttempts, listParked, listWebhooks as readWebhooks } from '@crm/db';
import { ApiError } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { readByCursor } from '../page.js';

/** A page of rows in the order of their ids. @param rows - one more than the page has, if there are more */
const cut = <Row>(rows: readonly Row[], limit: number, ...keysOf: ((row: Row) => string)[]) => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextPosition = rows.length > limit && last !== undefined ? keysOf.map((keyOf) => keyOf(last)) : null;
  return { rows: shown, nextPosition };
};

/** `GET /v1/webhooks` */
const listWebhooks = operation(listContract, async (context, { caller: { organizationId }, query }) => {
  const binding = { organizationId, operation: listContract.id };
  const { page, nextCursor, limit } = await readByCursor(context, query, binding, async (position, size) => {
    const after = position?.[0] ?? null;
    const rows = await readWebhooks(context.database, organizationId, { after, limit: size + 1 });
    return cut(rows, size, ({ webhook_id: id }) => id);
  });
  const data = { webhooks: page.rows, has_more: nextCursor !== null, next_cursor: nextCursor, limit };
  return { message: 'Found webhooks', data };
});

/** `GET /v1/webhooks/{id}` */
const getWebhook = operation(getContract, async ({ database }, { caller, params }) => {
  const webhook = await findWebhook(database, caller.organizationId, params.id);
  if (webhook === null) throw new ApiError('not_found');
  return { message: 'Found webhook', data: { webhook } };
});

/** `GET /v1/webhooks/{id}/attempts` */
const listWebhookAttempts = operation(attemptsContract, async (context, { caller, params, query }) => {
  const { organizationId } = caller;
  const id = params.id.toLowerCase();
  const binding = { organizationId, operation: attemptsContract.id, recordId: id };
  const { page, nextCursor, limit } = await readByCursor(context, query, binding, async (position, size) => {
    const before = position?.[0] ?? null;
    const rows = await listAttempts(context.database, organizationId, id, { before, limit: size + 1 });
    if (rows.length === 0 && (await findWebhook(context.database, organizationId, id)) === null)
      throw new ApiError('not_found');
    return cut(rows, size, ({ attempt_id: attemptId }) => attemptId);
  });
  const data = { attempts: page.rows, has_more: nextCursor !== null, next_cursor: nextCursor, limit };
  return { message: 'Found attempts', data };
});

/** `GET /v1/webhooks/{id}/parked` */
const listParkedRecords = operation(parkedContract, async (context, { caller, params, query }) => {
  const { organizationId } = caller;
  const id = params.id.toLowerCase();
  const binding = { organizationId, operation: parkedContract.id, recordId: id };
  const { page, nextCursor, limit } = await readByCursor(context, query, binding, async (found, size) => {
    const [position, recordId] = found ?? [];
    const after =
      typeof position === 'string' && typeof recordId === 'string' ? { position: Number(position), recordId } : null;
    const rows = await listParked(context.database, organizationId, id, { after, limit: size + 1 });
    if (rows.length === 0 && (await findWebhook(context.database, organizationId, id)) === null)
      throw new ApiError('not_found');
    return cut(
      rows,
      size,
      (row) => String(row.position),
      (row) => row.record_id,
    );
  });
  const data = { parked: page.rows, has_more: nextCursor !== null, next_cursor: nextCursor, limit };
  return { message: 'Found parked records', data };
});

/** The reads of webhooks. */
export const webhookOperations: readonly Operation<Context>[] = [
  listWebhooks,
  getWebhook,
  listWebhookAttempts,
  listParkedRecords,
];
