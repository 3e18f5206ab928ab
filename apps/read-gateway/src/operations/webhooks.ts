import {
  getWebhook as getContract,
  listWebhookAttempts as attemptsContract,
  listWebhooks as listContract,
} from '@crm/contract';
import { findWebhook, listAttempts, listWebhooks as readWebhooks, type WebhookAttempt, type WebhookRow } from '@crm/db';
import { ApiError, type CursorPosition, ErrorCollector, parseLimit } from '@crm/domain';
import type { Operation, OperationRequest } from '@crm/http';
import { type Context, operation } from '../context.js';
import { decodeCursor, encodeCursor } from '../page.js';

type ListRequest = Pick<OperationRequest<typeof listContract>, 'caller' | 'query'>;

/** Reads a page whose rows are in the order of their ids. `read` gets one row more than the page has. */
const pageById = async <Row>(
  context: Context,
  { caller: { organizationId }, query }: ListRequest,
  {
    operation: name,
    recordId,
    idOf,
    read,
  }: {
    readonly operation: string;
    readonly recordId?: string;
    readonly read: (after: string | null, limit: number) => Promise<readonly Row[]>;
    readonly idOf: (row: Row) => string;
  },
) => {
  const errors = new ErrorCollector();
  const limit = parseLimit(query.limit, errors);
  const binding = { organizationId, operation: name, limit, recordId: recordId ?? null };
  const position = decodeCursor(context, query.cursor, binding, errors);
  const rows = await read(position?.[0] ?? null, limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next: CursorPosition | null = rows.length > limit && last !== undefined ? [idOf(last)] : null;
  return { rows: shown, page: { has_more: next !== null, next_cursor: encodeCursor(context, binding, next), limit } };
};

/** `GET /v1/webhooks` */
const listWebhooks = operation(listContract, async (context, request) => {
  const { rows, page } = await pageById<WebhookRow>(context, request, {
    operation: listContract.id,
    idOf: ({ webhook_id: id }) => id,
    read: (after, limit) => readWebhooks(context.database, request.caller.organizationId, { after, limit }),
  });
  return { message: 'Found webhooks', data: { webhooks: [...rows], ...page } };
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
  const recordId = params.id.toLowerCase();
  const { rows, page } = await pageById<WebhookAttempt>(
    context,
    { caller, query },
    {
      operation: attemptsContract.id,
      recordId,
      idOf: ({ attempt_id: id }) => id,
      read: (before, limit) => listAttempts(context.database, organizationId, recordId, { before, limit }),
    },
  );
  if (rows.length === 0 && (await findWebhook(context.database, organizationId, recordId)) === null)
    throw new ApiError('not_found');
  return { message: 'Found attempts', data: { attempts: [...rows], ...page } };
});

/** The reads of webhooks. */
export const webhookOperations: readonly Operation<Context>[] = [listWebhooks, getWebhook, listWebhookAttempts];
