import { Type } from 'typebox';
import { operation } from '../operation.js';
import { uuidList } from '../schemas/build.js';
import { DeletedRecord } from '../schemas/deleted.js';
import { closed } from '../schemas/input.js';
import { CreatedNote, CreateNoteBody, NoteDetail, NotePage, UpdateNoteBody } from '../schemas/note.js';
import { pageQuery, SearchTerm } from '../schemas/pagination.js';
import { schemaOf } from './object-operations.js';
import { createHeaders, idParams, recordHeaders, updateHeaders, writeExtra, writeHeaders } from './shared.js';

/** `GET /v1/notes` */
export const listNotes = operation(['listNotes', 'GET /v1/notes', 'list', 'Notes'], {
  summary: 'List notes',
  description:
    'Pages through the notes, newest first. Parameters narrow the list to notes on some accounts, contacts or ' +
    'opportunities, and to notes that contain all words of `q`.',
  query: closed(
    {
      account_id: Type.Optional(uuidList('Only notes on one of these accounts.', 'account')),
      contact_id: Type.Optional(uuidList('Only notes on one of these contacts.', 'contact')),
      opportunity_id: Type.Optional(uuidList('Only notes on one of these opportunities.', 'opportunity')),
      q: Type.Optional(SearchTerm),
      ...pageQuery,
    },
    {},
  ),
  data: NotePage,
});

/** `GET /v1/notes/schema` */
export const getNoteSchema = schemaOf({ one: 'note', many: 'notes' });

/** `GET /v1/notes/{id}` */
export const getNote = operation(['getNote', 'GET /v1/notes/{id}', 'list', 'Notes'], {
  summary: 'Get a note',
  description: 'Returns one note with the accounts, contacts and opportunities it is attached to.',
  params: idParams('note'),
  data: NoteDetail,
  errors: [404],
  headers: recordHeaders,
});

/** `POST /v1/inbound/notes` */
export const createNote = operation(['createNote', 'POST /v1/inbound/notes', 'inbound', 'Notes'], {
  summary: 'Create a note',
  description:
    'Creates a note on at least one account, contact or opportunity. Missing accounts and contacts are created. If a ' +
    'note has the sent `note.id` already, that note is returned unchanged.',
  body: CreateNoteBody,
  data: CreatedNote,
  extra: writeExtra,
  errors: [409, 422],
  headers: createHeaders,
});

/** `PATCH /v1/inbound/notes/{id}` */
export const updateNote = operation(['updateNote', 'PATCH /v1/inbound/notes/{id}', 'inbound', 'Notes'], {
  summary: 'Update a note',
  description:
    'Changes the title and content of a note and returns the whole note. An absent text stays; `null` clears it. ' +
    'One of the two must remain.',
  params: idParams('note'),
  body: UpdateNoteBody,
  data: NoteDetail,
  errors: [404, 412],
  headers: updateHeaders,
});

/** `DELETE /v1/inbound/notes/{id}` */
export const deleteNote = operation(['deleteNote', 'DELETE /v1/inbound/notes/{id}', 'delete', 'Notes'], {
  summary: 'Delete a note',
  description: 'Deletes a note permanently. The records it was attached to stay.',
  params: idParams('note'),
  data: DeletedRecord,
  errors: [404, 412],
  headers: writeHeaders,
});
