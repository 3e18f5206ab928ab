import type { WriteAnswer } from '../answer.js';
import type { Listing } from '../listing.js';
import type { CallOptions, CreateOptions, ReadOptions } from '../options.js';
import type { ListNotesQuery } from '../queries.js';
import type { Send } from '../transport.js';
import type { CreatedNote, CreateNoteBody, Deleted, Note, NotePage } from '../types.js';
import { listOf, pathOf } from './lists.js';

/** What can be done with notes. */
export interface Notes {
  /** Newest first: all of them, or those on one account, contact or opportunity. */
  list(query?: ListNotesQuery, options?: ReadOptions): Listing<Note, NotePage>;
  /** Creates a note, and the accounts and contacts it names where absent. Notes have no natural key: see `idempotencyKey`. */
  create(body: CreateNoteBody, options?: CreateOptions): Promise<WriteAnswer<CreatedNote>>;
  /** For good. The key needs the permission `delete`. */
  delete(id: string, options?: CallOptions): Promise<WriteAnswer<Deleted>>;
}

/** Makes the calls for notes. */
export const createNotes = (send: Send): Notes => ({
  list: (query, options) => listOf<Note, NotePage>(send, '/v1/notes', 'notes', query, options),
  create: (body, options) =>
    send<CreatedNote>({ gateway: 'inbound', method: 'POST', path: '/v1/inbound/notes', body }, options),
  delete: async (id, options) =>
    send<Deleted>({ gateway: 'inbound', method: 'DELETE', path: pathOf('/v1/inbound/notes', id) }, options),
});
