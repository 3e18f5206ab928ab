import { Type } from 'typebox';
import type { OperationContract } from '../operation.js';
import { uuid } from '../schemas/build.js';
import { Deleted } from '../schemas/deleted.js';
import { closed } from '../schemas/input.js';
import { CreatedNote, CreateNoteBody, NoteDetail, NotePage, UpdateNoteBody } from '../schemas/note.js';
import { pageQuery, SearchTerm } from '../schemas/pagination.js';
import { createHeaders, idParams, recordHeaders, updateHeaders, writeExtra, writeHeaders } from './shared.js';

/** `GET /v1/notes` */
export const listNotes = {
  id: 'listNotes',
  gateway: 'read',
  method: 'get',
  path: '/v1/notes',
  group: 'list',
  tag: 'Notes',
  summary: 'List notes',
  description:
    'Pages through the notes, newest first. Parameters narrow the list to notes on an account, contact or ' +
    'opportunity, and to notes that contain all words of `q`.',
  query: closed(
    {
      account_id: Type.Optional(uuid('Only notes on this account.', 'account')),
      contact_id: Type.Optional(uuid('Only notes on this contact.', 'contact')),
      opportunity_id: Type.Optional(uuid('Only notes on this opportunity.', 'opportunity')),
      q: Type.Optional(SearchTerm),
      ...pageQuery,
    },
    {},
  ),
  data: NotePage,
} as const satisfies OperationContract;

/** `GET /v1/notes/{id}` */
export const getNote = {
  id: 'getNote',
  gateway: 'read',
  method: 'get',
  path: '/v1/notes/{id}',
  group: 'list',
  tag: 'Notes',
  summary: 'Get a note',
  description: 'Returns one note with the accounts, contacts and opportunities it is attached to.',
  params: idParams('note'),
  data: NoteDetail,
  errors: [404],
  headers: recordHeaders,
} as const satisfies OperationContract;

/** `POST /v1/inbound/notes` */
export const createNote = {
  id: 'createNote',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/notes',
  group: 'inbound',
  tag: 'Notes',
  summary: 'Create a note',
  description:
    'Creates a note on at least one account, contact or opportunity. Missing accounts and contacts are created.',
  body: CreateNoteBody,
  data: CreatedNote,
  extra: writeExtra,
  errors: [409, 422],
  headers: createHeaders,
} as const satisfies OperationContract;

/** `PATCH /v1/inbound/notes/{id}` */
export const updateNote = {
  id: 'updateNote',
  gateway: 'inbound',
  method: 'patch',
  path: '/v1/inbound/notes/{id}',
  group: 'inbound',
  tag: 'Notes',
  summary: 'Update a note',
  description:
    'Changes the title and content of a note and returns the whole note. An absent text stays; `null` clears it. ' +
    'One of the two must remain.',
  params: idParams('note'),
  body: UpdateNoteBody,
  data: NoteDetail,
  errors: [404, 412],
  headers: updateHeaders,
} as const satisfies OperationContract;

/** `DELETE /v1/inbound/notes/{id}` */
export const deleteNote = {
  id: 'deleteNote',
  gateway: 'inbound',
  method: 'delete',
  path: '/v1/inbound/notes/{id}',
  group: 'delete',
  tag: 'Notes',
  summary: 'Delete a note',
  description: 'Deletes a note permanently. The records it was attached to stay.',
  params: idParams('note'),
  data: Deleted,
  errors: [404, 412],
  headers: writeHeaders,
} as const satisfies OperationContract;
