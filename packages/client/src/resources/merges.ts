import type { WriteAnswer } from '../answer.js';
import type { CreateOptions, UpdateOptions } from '../options.js';
import { pathOf, type Send } from '../transport.js';
import type { MergeBody, Merged } from '../types.js';

/** Accounts and contacts can be merged. */
export interface Merges {
  /**
   * Merges the record `from` of the body into the record `id`, or returns what that would change (`dry_run`). The key needs the
   * permission `delete`.
   */
  merge(id: string, body: MergeBody, options?: CreateOptions & UpdateOptions): Promise<WriteAnswer<Merged>>;
}

/** Creates the call that merges records of one kind. */
export const createMerges = (send: Send, name: 'accounts' | 'contacts'): Merges => ({
  merge: async (id, body, options) =>
    send({ gateway: 'inbound', method: 'POST', path: `${pathOf(`/v1/inbound/${name}`, id)}/merge`, body }, options),
});
