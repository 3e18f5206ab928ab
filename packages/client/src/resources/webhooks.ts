import type { Answer, WriteAnswer } from '../answer.js';
import { listOf, type Listing } from '../listing.js';
import type { CallOptions, ReadOptions } from '../options.js';
import { pathOf, type Send } from '../transport.js';
import type * as types from '../types.js';
import { setupOf } from './setup.js';

/** The calls for webhooks. The key needs the permission `webhooks`. */
export interface Webhooks {
  list(query?: types.PageQuery, options?: ReadOptions): Listing<types.Webhook, types.WebhookPage>;
  /** One webhook with the state of its deliveries. */
  get(id: string, options?: ReadOptions): Promise<Answer<types.WebhookDetail>>;
  /** What the worker did in the last seven days, newest first. */
  attempts(
    id: string,
    query?: types.PageQuery,
    options?: ReadOptions,
  ): Listing<types.WebhookAttempt, types.WebhookAttemptPage>;
  /** The records with an event that was not delivered, sorted by position. */
  parked(
    id: string,
    query?: types.PageQuery,
    options?: ReadOptions,
  ): Listing<types.ParkedRecord, types.ParkedRecordPage>;
  /** Adds a receiver, which gets the events after now. The secret is not shown again. */
  create(body: types.CreateWebhook, options?: CallOptions): Promise<WriteAnswer<types.WebhookSecret>>;
  /** Absent properties stay; `state: 'paused'` pauses, `'active'` continues. */
  update(id: string, body: types.UpdateWebhook, options?: CallOptions): Promise<WriteAnswer<types.WebhookDetail>>;
  delete(id: string, options?: CallOptions): Promise<WriteAnswer<types.Deleted>>;
  /** Asks the worker to send `webhook.test`; the attempts show the result. */
  test(id: string, options?: CallOptions): Promise<WriteAnswer<types.WebhookDetail>>;
  /** Sends retained events again. */
  replay(id: string, body: types.ReplayWebhook, options?: CallOptions): Promise<WriteAnswer<types.WebhookDetail>>;
  /** Gives up events that were not delivered: `{from, to}`, or `{parked: true}` for the failed event of each parked record. */
  skip(id: string, body: types.SkipWebhook, options?: CallOptions): Promise<WriteAnswer<types.SkippedEvents>>;
  /** Creates a new secret. For a day, messages are signed with both. */
  rotateSecret(id: string, options?: CallOptions): Promise<WriteAnswer<types.WebhookSecret>>;
}

const folder = '/v1/webhooks';
const inbound = '/v1/inbound/webhooks';

/** Creates the calls for webhooks. */
export const createWebhooks = (send: Send): Webhooks => {
  const { create, update, remove } = setupOf(send);
  return {
    list: (query, options) => listOf(send, folder, 'webhooks', query, options),
    get: async (id, options) => send({ gateway: 'read', method: 'GET', path: pathOf(folder, id) }, options),
    attempts: (id, query, options) => listOf(send, `${pathOf(folder, id)}/attempts`, 'attempts', query, options),
    parked: (id, query, options) => listOf(send, `${pathOf(folder, id)}/parked`, 'parked', query, options),
    create: (body, options) => create(inbound, body, options),
    update: async (id, body, options) => update(pathOf(inbound, id), body, options),
    delete: async (id, options) => remove(pathOf(inbound, id), options),
    test: async (id, options) => create(`${pathOf(inbound, id)}/test`, undefined, options),
    replay: async (id, body, options) => create(`${pathOf(inbound, id)}/replay`, body, options),
    skip: async (id, body, options) => create(`${pathOf(inbound, id)}/skip`, body, options),
    rotateSecret: async (id, options) => create(`${pathOf(inbound, id)}/rotate-secret`, undefined, options),
  };
};
