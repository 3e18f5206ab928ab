import { randomUUID } from 'node:crypto';
import * as contracts from '@crm/contract';
import * as db from '@crm/db';
import {
  ApiError,
  ErrorCollector,
  Failure,
  type ObjectType,
  objectsOfEvents,
  readChangedNames,
  validationError,
} from '@crm/domain';
import type { Operation } from '@crm/http';
import { encryptSecret, endpointUrlProblem, newSecret } from '@crm/webhooks';
import { type Context, operation } from '../context.js';
import { readAfterHeader } from '../write/write-request.js';

/** The response of a write. @throws ApiError `not_found` if there is no such webhook */
const answer = <More extends object>(message: string, written: db.WrittenWebhook | null, more: More) => {
  if (written === null) throw new ApiError('not_found');
  return { message, data: { webhook: written.webhook, ...more }, headers: readAfterHeader(written.readMark) };
};

/** @throws ApiError for a URL that the worker would not call */
const checkUrl = ({ webhooks }: Context, url: string | undefined): void => {
  const problem = url === undefined ? null : endpointUrlProblem(url, webhooks.networks);
  if (problem !== null) throw validationError({ url: problem });
};

/**
 * The filters of a webhook after a request.
 * @returns the values to store; `changed` as events name the fields
 * @throws ApiError for a name in `changed` that no event of the objects and types can have
 */
const readFilters = async (
  { setups }: Context,
  organizationId: string,
  { objects = [], types = [], changed = [] }: db.WebhookChange,
  isSent: boolean,
): Promise<string[]> =>
  setups.use(organizationId, (setup) => {
    const errors = new ErrorCollector();
    const scope = {
      objects: objectsOfEvents(objects, types),
      fieldIndex: (object: ObjectType) => setup.fieldIndex(object, null),
    };
    const names = readChangedNames(changed, scope, (index, text) =>
      errors.add(isSent ? `changed[${index}]` : 'changed', isSent ? text : `${text}: send changed too`),
    );
    errors.throwIfAny();
    return Promise.resolve([...names]);
  });

const actorOf = ({ apiKeyId }: { readonly apiKeyId: string }): string => `API key ${apiKeyId}`;

/** `Retry-After` where only the operator can help: longer than any client or command waits. */
const secondsUntilWebhooks = '3600';

/** A new secret, and its encrypted form. @throws ApiError if the installation has no webhooks */
const createSecret = ({ webhooks }: Context, webhookId: string) => {
  if (webhooks.keys === null) {
    const message = 'Webhooks are off: the operator has to set WEBHOOK_SECRET_KEY';
    throw new ApiError('unavailable', { message, headers: { 'Retry-After': secondsUntilWebhooks } });
  }
  const secret = newSecret();
  return { secret, encrypted: encryptSecret(webhooks.keys, webhookId, secret) };
};

/** `POST /v1/inbound/webhooks` */
const createWebhook = operation(contracts.createWebhook, async (context, { caller, body }) => {
  checkUrl(context, body.url);
  const id = randomUUID();
  const { organizationId } = caller;
  const { secret, encrypted } = createSecret(context, id);
  const { url, description, objects, types, changed, payload } = body;
  const filters = { objects: objects ?? [], types: types ?? [], changed: changed ?? [] };
  const names = await readFilters(context, organizationId, filters, true);
  const webhook = { ...filters, url, description: description ?? null, changed: names, payload: payload ?? 'full' };
  const written = await db.insertWebhook(context.database, organizationId, id, encrypted, actorOf(caller), webhook);
  return answer('Webhook created', written, { secret });
});

/** `PATCH /v1/inbound/webhooks/{id}` */
const updateWebhook = operation(contracts.updateWebhook, async (context, { caller, params, body }) => {
  checkUrl(context, body.url);
  const { organizationId } = caller;
  const { database } = context;
  let change: db.WebhookChange = body;
  if ((body.changed ?? body.objects ?? body.types) !== undefined) {
    const stored = await db.findWebhook(database, organizationId, params.id);
    if (stored === null) throw new ApiError('not_found');
    const isSent = body.changed !== undefined;
    const changed = await readFilters(context, organizationId, { ...stored, ...body }, isSent);
    if (isSent) change = { ...body, changed };
  }
  const written = await db.updateWebhook(database, organizationId, params.id, actorOf(caller), change);
  return answer('Webhook updated', written, {});
});

/** `DELETE /v1/inbound/webhooks/{id}` */
const deleteWebhook = operation(contracts.deleteWebhook, async ({ database }, { caller, params }) => {
  const written = await db.deleteWebhook(database, caller.organizationId, params.id, actorOf(caller));
  return { ...answer('Webhook deleted', written, {}), data: { id: params.id.toLowerCase() } };
});

/** `POST /v1/inbound/webhooks/{id}/test`: only asks, because a gateway never connects to receivers. */
const testWebhook = operation(contracts.testWebhook, async ({ database }, { caller, params }) => {
  const written = await db.requestTest(database, caller.organizationId, params.id, actorOf(caller));
  return answer('The worker sends a test: see the attempts', written, {});
});

/** `POST /v1/inbound/webhooks/{id}/replay` */
const replayWebhook = operation(contracts.replayWebhook, async ({ database }, { caller, params, body }) => {
  const { from, to = from } = body;
  if (to < from) throw validationError({ to: 'must not be less than from' });
  try {
    const { organizationId } = caller;
    const written = await db.requestReplay(database, organizationId, params.id, actorOf(caller), { from, to });
    return answer('The worker sends the events again', written, {});
  } catch (error) {
    const reason = error instanceof Failure ? error.reason : null;
    if (reason?.kind === 'position_ahead')
      throw validationError({
        [to === from ? 'from' : 'to']: `must be at most ${reason.lastPosition}: no later event exists`,
      });
    if (reason?.kind === 'events_expired')
      throw validationError({ from: `must be at least ${reason.oldestPosition}: older events are no longer retained` });
    if (reason?.kind === 'conflict')
      throw new ApiError('conflict', { message: 'A replay of this webhook is in progress', cause: error });
    throw error;
  }
});

/** The events that a body gives up. @throws ApiError unless it has either positions or `parked` */
const skipRangeOf = ({ from, to, parked = false }: contracts.SkipWebhookBody): db.SkipRange => {
  if (parked === (from !== undefined || to !== undefined))
    throw validationError({ body: 'must have either from, and perhaps to, or parked: true' });
  if (parked) return null;
  if (from === undefined) throw validationError({ from: 'is required' });
  if (to !== undefined && to < from) throw validationError({ to: 'must not be less than from' });
  return { from, to: to ?? from };
};

/** `POST /v1/inbound/webhooks/{id}/skip` */
const skipEvents = operation(contracts.skipWebhookEvents, async ({ database }, { caller, params, body }) => {
  const range = skipRangeOf(body);
  try {
    const written = await db.skipEvents(database, caller.organizationId, params.id, actorOf(caller), range);
    return answer('Events given up', written, { skipped_events: written?.skipped ?? 0 });
  } catch (error) {
    const reason = error instanceof Failure ? error.reason : null;
    if (reason?.kind !== 'position_ahead') throw error;
    const { lastPosition } = reason;
    throw (range?.from ?? 0) > lastPosition
      ? validationError({ from: `must be at most ${lastPosition}: the events before it were not sent yet` })
      : validationError({ to: `must be at most ${lastPosition}: no later event exists` });
  }
});

/** `POST /v1/inbound/webhooks/{id}/rotate-secret` */
const rotateSecret = operation(contracts.rotateWebhookSecret, async (context, { caller, params }) => {
  const id = params.id.toLowerCase();
  const { secret, encrypted } = createSecret(context, id);
  const written = await db.rotateSecret(context.database, caller.organizationId, id, actorOf(caller), encrypted);
  return answer('Secret rotated', written, { secret });
});

/** The writes of webhooks. */
export const webhookOperations: readonly Operation<Context>[] = [
  createWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  replayWebhook,
  skipEvents,
  rotateSecret,
];
