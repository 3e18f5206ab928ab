import type { Answer, WriteAnswer } from '../answer.js';
import { listOf, type Listing } from '../listing.js';
import type { CreateOptions, ReadOptions, UpdateOptions } from '../options.js';
import { pathOf, type Send } from '../transport.js';
import type * as types from '../types.js';

/** The calls for notes. */
export interface Notes {
  /** Newest first: all notes, or those on one account, contact or opportunity. */
  list(query?: types.ListNotesQuery, options?: ReadOptions): Listing<types.Note, types.NotePage>;
  /** The JSON Schema of notes. */
  schema(options?: ReadOptions): Promise<Answer<types.RecordSchema>>;
  /** One note with the records it is attached to. */
  get(id: string, options?: ReadOptions): Promise<Answer<types.NoteDetail>>;
  /**
   * Creates a note, and its missing accounts and contacts. Notes have no natural key: see `idempotencyKey`, or send
   * an id as `note.id`, which a repeated create finds again.
   */
  create(body: types.CreateNoteBody, options?: CreateOptions): Promise<WriteAnswer<types.CreatedNote>>;
  /** Changes the texts: absent ones stay, null clears. */
  update(id: string, body: types.UpdateNoteBody, options?: UpdateOptions): Promise<WriteAnswer<types.NoteDetail>>;
  /** Deletes permanently. The key needs the permission `delete`. */
  delete(id: string, options?: UpdateOptions): Promise<WriteAnswer<types.DeletedRecord>>;
}

/** Creates the calls for notes. */
export const createNotes = (send: Send): Notes => ({
  list: (query, options) => listOf(send, '/v1/notes', 'notes', query, options),
  schema: async (options) => send({ gateway: 'read', method: 'GET', path: '/v1/notes/schema' }, options),
  get: async (id, options) => send({ gateway: 'read', method: 'GET', path: pathOf('/v1/notes', id) }, options),
  create: (body, options) => send({ gateway: 'inbound', method: 'POST', path: '/v1/inbound/notes', body }, options),
  update: async (id, body, options) =>
    send({ gateway: 'inbound', method: 'PATCH', path: pathOf('/v1/inbound/notes', id), body }, options),
  delete: async (id, options) =>
    send({ gateway: 'inbound', method: 'DELETE', path: pathOf('/v1/inbound/notes', id) }, options),
});
