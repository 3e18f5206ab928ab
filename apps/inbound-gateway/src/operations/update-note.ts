import { updateNote as contract } from '@crm/contract';
import { noteUpdate, readNote, runWrite } from '@crm/db';
import { ApiError, ErrorCollector } from '@crm/domain';
import { defineOperation, JsonText } from '@crm/http';
import type { Context } from '../context.js';
import { readIfMatch } from '../if-match.js';
import { readNoteChange } from '../input/read-note.js';
import { readAfterHeader } from '../read-after-header.js';
import { writeOrigin } from '../write-origin.js';

/** `PATCH /v1/inbound/notes/{id}`: changes the texts of a note and returns the whole note. */
export const updateNote = defineOperation<Context, typeof contract>(contract, async ({ database }, request) => {
  const { organizationId } = request.caller;
  const errors = new ErrorCollector();
  const change = readNoteChange(request.body, errors);
  errors.throwIfAny();
  const target = { id: request.params.id.toLowerCase(), version: readIfMatch(request.header('if-match')) };
  const { result } = await runWrite(database, organizationId, noteUpdate(target, change), null, writeOrigin(request));
  const found = await readNote(database, { organizationId, id: target.id, isMarked: true });
  if (found === null || found.readMark === null) throw new ApiError('not_found');
  return {
    message: result.record_status === 'updated' ? 'Updated note' : 'Nothing to change in note',
    data: new JsonText(`{"note":${found.record}}`),
    // The mark of this read, not of the write: the note may already contain later writes of other callers.
    headers: { ETag: `"${found.version}"`, ...readAfterHeader(found.readMark) },
  };
});
