import { createNote as contract } from '@crm/contract';
import { noteCreate } from '@crm/db';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { createMessage, createRecord } from '../create-record.js';
import { readNote } from '../input/read-note.js';

/** `POST /v1/inbound/notes`: creates a note and its missing accounts and contacts. */
export const createNote = defineOperation<Context, typeof contract>(contract, (context, request) =>
  createRecord(context, contract, request, {
    read: (setup, errors) => noteCreate(setup, readNote(request.body, errors)),
    answer: ({ id, title, content }) => ({
      message: createMessage('Note', 'created'),
      data: { note_id: id, title, content },
      headers: { 'X-Record-Status': 'created' },
    }),
  }),
);
