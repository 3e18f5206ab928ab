import type { WriteAnswer } from '../answer.js';
import type { CallOptions } from '../options.js';
import type { Send } from '../transport.js';
import type { Deleted } from '../types.js';

type SetupCall = <Data>(path: string, body: object | undefined, options?: CallOptions) => Promise<WriteAnswer<Data>>;

/** The calls that change the setup of the organization and its webhooks. */
export interface SetupCalls {
  readonly create: SetupCall;
  readonly update: SetupCall;
  readonly remove: (path: string, options?: CallOptions, query?: object) => Promise<WriteAnswer<Deleted>>;
}

/** Creates the calls. The gateway ignores idempotency keys for them, so a create without a response is not retried. */
export const setupOf = (send: Send): SetupCalls => ({
  create: (path, body, options) =>
    send({ gateway: 'inbound', method: 'POST', path, body }, { ...options, idempotencyKey: null }),
  update: (path, body, options) => send({ gateway: 'inbound', method: 'PATCH', path, body }, options),
  remove: (path, options, query = {}) =>
    send({ gateway: 'inbound', method: 'DELETE', path, query: { ...query } }, options),
});
