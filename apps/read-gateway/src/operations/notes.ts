import { getNote as getContract, getNoteSchema, listNotes as listContract, noteSchema } from '@crm/contract';
import { listNotes as listNotePage, readNote, recordExists } from '@crm/db';
import { ApiError, type CursorPosition, ErrorCollector, objects, type ObjectType, parseSearchQuery } from '@crm/domain';
import { JsonParts, type Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { pageJson, readByCursor, readOrNarrow } from '../page.js';

/** `GET /v1/notes/{id}` */
const getNote = operation(getContract, async ({ database }, { caller, params }) => {
  const found = await readNote(database, { organizationId: caller.organizationId, id: params.id.toLowerCase() });
  if (found === null) throw new ApiError('not_found');
  return {
    message: 'Found note',
    data: new JsonParts([`{"note":${found.record}}`]),
    version: found.version,
  };
});

/** Adds an error if the record with this id does not exist. */
const checkReference = async (
  context: Context,
  organizationId: string,
  object: ObjectType,
  id: string | null,
  errors: ErrorCollector,
): Promise<void> => {
  if (id === null || (await recordExists(context.database, organizationId, object, id))) return;
  errors.add(`${object}_id`, `is not ${objects[object].a} of this organization`);
};

const narrowing = { q: 'took too long: use longer or fewer words, or name an account, contact or opportunity' };

/** `GET /v1/notes`: notes, newest first; on request only those of an account, contact or opportunity, or with words. */
const listNotes = operation(listContract, async (context, { caller, query }) => {
  const { organizationId } = caller;
  const errors = new ErrorCollector();
  const targets = {
    accountId: query.account_id?.toLowerCase() ?? null,
    contactId: query.contact_id?.toLowerCase() ?? null,
    opportunityId: query.opportunity_id?.toLowerCase() ?? null,
  };
  const words = parseSearchQuery(query.q, 'q', errors);
  const read = async (position: CursorPosition | null, limit: number) => {
    const request = { organizationId, ...targets, words, position, limit };
    const found = await readOrNarrow(
      () => listNotePage(context.database, request),
      words.length > 0 ? narrowing : null,
    );
    if (found.records.length > 0) return found;
    await checkReference(context, organizationId, 'account', targets.accountId, errors);
    await checkReference(context, organizationId, 'contact', targets.contactId, errors);
    await checkReference(context, organizationId, 'opportunity', targets.opportunityId, errors);
    errors.throwIfAny();
    return found;
  };
  const binding = { organizationId, operation: listContract.id, words, ...targets };
  const { page, nextCursor, limit } = await readByCursor(context, query, binding, read, errors);
  return { message: 'Found notes', data: pageJson('notes', page.records, nextCursor, limit) };
});

/** `GET /v1/notes/schema`: the same for all organizations, because notes have no custom fields. */
const getSchema = operation(getNoteSchema, () =>
  Promise.resolve({ message: 'Found schema', data: { schema: noteSchema() } }),
);

/** The reads of notes. */
export const noteOperations: readonly Operation<Context>[] = [listNotes, getNote, getSchema];
