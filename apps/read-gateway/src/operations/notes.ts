import { getNote as getContract, listNotes as listContract } from '@crm/contract';
import { listNotes as listNotePage, readNote, recordExists } from '@crm/db';
import { ApiError, ErrorCollector, type ObjectType, parseLimit, parseSearchQuery } from '@crm/domain';
import { JsonText, type Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { decodeCursor, encodeCursor, pageJson, readOrNarrow } from '../page.js';

/** `GET /v1/notes/{id}` */
const getNote = operation(getContract, async ({ database }, { caller, params }) => {
  const found = await readNote(database, { organizationId: caller.organizationId, id: params.id.toLowerCase() });
  if (found === null) throw new ApiError('not_found');
  return {
    message: 'Found note',
    data: new JsonText(`{"note":${found.record}}`),
    headers: { ETag: `"${found.version}"` },
  };
});

const missing: Readonly<Record<ObjectType, string>> = {
  account: 'is not an account of this organization',
  contact: 'is not a contact of this organization',
  opportunity: 'is not an opportunity of this organization',
};

/** Adds an error if the record with this id does not exist. */
const checkReference = async (
  context: Context,
  organizationId: string,
  object: ObjectType,
  id: string | null,
  errors: ErrorCollector,
): Promise<void> => {
  if (id === null || (await recordExists(context.database, organizationId, object, id))) return;
  errors.add(`${object}_id`, missing[object]);
};

const narrowing = { q: 'took too long: use longer or fewer words, or name an account, contact or opportunity' };

/** `GET /v1/notes`: notes, newest first; on request only those of an account, contact or opportunity, or with words. */
const listNotes = operation(listContract, async (context, { caller, query }) => {
  const { organizationId } = caller;
  const errors = new ErrorCollector();
  const limit = parseLimit(query.limit, errors);
  const accountId = query.account_id?.toLowerCase() ?? null;
  const contactId = query.contact_id?.toLowerCase() ?? null;
  const opportunityId = query.opportunity_id?.toLowerCase() ?? null;
  const targets = { accountId, contactId, opportunityId };
  const words = parseSearchQuery(query.q, 'q', errors);
  const binding = { organizationId, operation: listContract.id, limit, words, ...targets };
  const position = decodeCursor(context, query.cursor, binding, errors);
  const read = () => listNotePage(context.database, { organizationId, ...targets, words, position, limit });
  const page = await readOrNarrow(read, words.length > 0 ? narrowing : null);
  if (page.records.length === 0) {
    await checkReference(context, organizationId, 'account', accountId, errors);
    await checkReference(context, organizationId, 'contact', contactId, errors);
    await checkReference(context, organizationId, 'opportunity', opportunityId, errors);
    errors.throwIfAny();
  }
  const nextCursor = encodeCursor(context, binding, page.nextPosition);
  return { message: 'Found notes', data: pageJson('notes', page.records, nextCursor, limit) };
});

/** The reads of notes. */
export const noteOperations: readonly Operation<Context>[] = [listNotes, getNote];
