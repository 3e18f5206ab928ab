import * as contracts from '@crm/contract';
import {
  type CreatedNote,
  type NewNote,
  type NoteChange,
  noteCreate,
  noteUpdate,
  readNote as readRecord,
  runWrite,
} from '@crm/db';
import {
  ApiError,
  emptyNoteFault,
  ErrorCollector,
  readSent,
  readSentList,
  type Steps,
  unlinkedNoteFault,
} from '@crm/domain';
import { JsonParts, type Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { deleteRecord } from '../write/delete-record.js';
import { readWrite } from '../write/object-writes.js';
import { runIdempotent } from '../write/run-idempotent.js';
import { readAfterHeader, targetOf, writeOrigin } from '../write/write-request.js';

/** Normalizes changes to a note; adds every fault to `errors`. */
const readNoteChange = ({ note }: Pick<contracts.UpdateNoteBody, 'note'>, errors: ErrorCollector): NoteChange => ({
  title: readSent('name', note.title, 'note.title', errors),
  content: readSent('text', note.content, 'note.content', errors),
});

/** Normalizes the body of a note; adds every fault to `errors`. */
function* readNote(body: contracts.CreateNoteBody, errors: ErrorCollector): Steps<NewNote> {
  const { title = null, content = null } = readNoteChange(body, errors);
  const accountDomains = (yield* readSentList('domain', body.account_domains, 'account_domains', errors)) ?? [];
  const contactEmails = (yield* readSentList('email', body.contact_emails, 'contact_emails', errors)) ?? [];
  const accountExternalIds =
    (yield* readSentList('requiredName', body.account_external_ids, 'account_external_ids', errors)) ?? [];
  const contactExternalIds =
    (yield* readSentList('requiredName', body.contact_external_ids, 'contact_external_ids', errors)) ?? [];
  const opportunityIds = (body.related_objects?.opportunity_ids ?? []).map((id) => id.toLowerCase());
  const externalIds = { accountExternalIds, contactExternalIds };
  const id = body.note.id?.toLowerCase() ?? null;
  const note = { id, title, content, accountDomains, contactEmails, ...externalIds, opportunityIds };
  // An invalid title or content reads as missing, which must not be reported too.
  if (!errors.isEmpty) return note;
  if (title === null && content === null) {
    errors.add('note.title', emptyNoteFault);
    errors.add('note.content', emptyNoteFault);
  }
  const targets = [accountDomains, contactEmails, accountExternalIds, contactExternalIds, opportunityIds];
  if (targets.every((list) => list.length === 0)) {
    errors.add('account_domains', unlinkedNoteFault);
    errors.add('contact_emails', unlinkedNoteFault);
  }
  return note;
}

/** The `warnings` of a create that found its note: what the note does not have of the request. */
const warningsOf = ({ unapplied = [] }: CreatedNote): { warnings?: contracts.Warning[] } => {
  if (unapplied.length === 0) return {};
  const pathOf = (name: string): string => (['title', 'content'].includes(name) ? `note.${name}` : name);
  const message = 'The note exists and stays as it is';
  return {
    warnings: unapplied.map((name) => ({
      field: name === 'opportunity_ids' ? 'related_objects.opportunity_ids' : pathOf(name),
      message,
    })),
  };
};

const dataOf = ({ id, title, content, account_ids, contact_ids, opportunity_ids }: CreatedNote) => ({
  note_id: id,
  title,
  content,
  account_ids: [...account_ids],
  contact_ids: [...contact_ids],
  opportunity_ids: [...opportunity_ids],
});

/** `POST /v1/inbound/notes`: creates a note and its missing accounts and contacts. */
const createNote = operation(contracts.createNote, (context, request) => {
  const { organizationId } = request.caller;
  return runIdempotent(context, contracts.createNote, request, {
    run: async (idempotency) => {
      const write = await readWrite(context, organizationId, function* (setup, errors) {
        return noteCreate(setup, yield* readNote(request.body, errors));
      });
      return context.runCreate(organizationId, write, idempotency, writeOrigin(request));
    },
    answer: (created) => ({
      message: created.record_status === 'matched' ? 'Note exists' : 'Note created',
      data: dataOf(created),
      version: created.version,
      extra: warningsOf(created),
      headers: { 'X-Record-Status': created.record_status },
    }),
  });
});

/** `PATCH /v1/inbound/notes/{id}`: changes the texts of a note and returns the whole note. */
const updateNote = operation(contracts.updateNote, async ({ database }, request) => {
  const { organizationId } = request.caller;
  const errors = new ErrorCollector();
  const change = readNoteChange(request.body, errors);
  errors.throwIfAny();
  const target = await targetOf(database, 'note', request);
  const { result } = await runWrite(database, organizationId, noteUpdate(target, change), null, writeOrigin(request));
  const found = await readRecord(database, { organizationId, id: target.id, isMarked: true });
  if (found === null || found.readMark === null) throw new ApiError('not_found');
  return {
    message: result.record_status === 'updated' ? 'Updated note' : 'Nothing to change in note',
    data: new JsonParts([`{"note":${found.record}}`]),
    // The mark of this read, not of the write: the note may already contain later writes of other callers.
    version: found.version,
    headers: readAfterHeader(found.readMark),
  };
});

/** The writes of notes. The records of a deleted note stay. */
export const noteOperations: readonly Operation<Context>[] = [
  createNote,
  updateNote,
  deleteRecord(contracts.deleteNote, 'note'),
];
