import {
  createNote as createContract,
  deleteNote as deleteContract,
  updateNote as updateContract,
} from '@crm/contract';
import { noteCreate, noteUpdate, readNote as readRecord, runWrite } from '@crm/db';
import { ApiError, ErrorCollector } from '@crm/domain';
import { JsonText, type Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { readNote, readNoteChange } from '../input/read-note.js';
import { deleteRecord } from '../write/delete-record.js';
import { readWrite } from '../write/object-writes.js';
import { runIdempotent } from '../write/run-idempotent.js';
import { readAfterHeader, targetOf, writeOrigin } from '../write/write-request.js';

/** `POST /v1/inbound/notes`: creates a note and its missing accounts and contacts. */
const createNote = operation(createContract, (context, request) => {
  const { organizationId } = request.caller;
  return runIdempotent(context, createContract, request, {
    run: async (idempotency) => {
      const write = await readWrite(context, organizationId, (setup, errors) =>
        noteCreate(setup, readNote(request.body, errors)),
      );
      return runWrite(context.database, organizationId, write, idempotency, writeOrigin(request));
    },
    answer: ({ id, title, content }) => ({
      message: 'Note created',
      data: { note_id: id, title, content },
      headers: { 'X-Record-Status': 'created' },
    }),
  });
});

/** `PATCH /v1/inbound/notes/{id}`: changes the texts of a note and returns the whole note. */
const updateNote = operation(updateContract, async ({ database }, request) => {
  const { organizationId } = request.caller;
  const errors = new ErrorCollector();
  const change = readNoteChange(request.body, errors);
  errors.throwIfAny();
  const target = targetOf(request);
  const { result } = await runWrite(database, organizationId, noteUpdate(target, change), null, writeOrigin(request));
  const found = await readRecord(database, { organizationId, id: target.id, isMarked: true });
  if (found === null || found.readMark === null) throw new ApiError('not_found');
  return {
    message: result.record_status === 'updated' ? 'Updated note' : 'Nothing to change in note',
    data: new JsonText(`{"note":${found.record}}`),
    // The mark of this read, not of the write: the note may already contain later writes of other callers.
    headers: { ETag: `"${found.version}"`, ...readAfterHeader(found.readMark) },
  };
});

/** The writes of notes. The records of a deleted note stay. */
export const noteOperations: readonly Operation<Context>[] = [
  createNote,
  updateNote,
  deleteRecord(deleteContract, 'note'),
];
