import { getNote as getContract, getNoteSchema, listNotes as listContract, noteSchema } from '@crm/contract';
import { findMissingIds, listNotes as listNotePage, readNote } from '@crm/db';
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

/** The ids in a parameter, each once and sorted, because their order must not change a cursor. */
const readIds = (sent: string | undefined): readonly string[] | null =>
  sent === undefined ? null : [...new Set(sent.toLowerCase().split(','))].sort();

/** The most unknown ids that an error names. */
const maxNamedIds = 5;

/** Adds an error if a record with one of these ids does not exist. */
const checkReferences = async (
  { database }: Context,
  organizationId: string,
  object: ObjectType,
  ids: readonly string[] | null,
  errors: ErrorCollector,
): Promise<void> => {
  const missing = ids === null ? [] : await findMissingIds(database, organizationId, object, ids);
  if (missing.length === 0) return;
  const named = missing.slice(0, maxNamedIds).join(', ');
  const more = missing.length > maxNamedIds ? ' and more' : '';
  const { a, many } = objects[object];
  errors.add(
    `${object}_id`,
    ids?.length === 1 ? `is not ${a} of this organization` : `names no ${many} of this organization: ${named}${more}`,
  );
};

/** Ids as cursors are bound to them. */
const bound = (ids: readonly string[] | null): string | null => ids?.join(',') ?? null;

const narrowing = { q: 'took too long: use longer or fewer words, or name an account, contact or opportunity' };

/** `GET /v1/notes`: notes, newest first; on request only those of some accounts, contacts or opportunities, or with words. */
const listNotes = operation(listContract, async (context, { caller, query }) => {
  const { organizationId } = caller;
  const errors = new ErrorCollector();
  const targets = {
    accountIds: readIds(query.account_id),
    contactIds: readIds(query.contact_id),
    opportunityIds: readIds(query.opportunity_id),
  };
  const { accountIds, contactIds, opportunityIds } = targets;
  const isOfSeveral = [accountIds, contactIds, opportunityIds].some((ids) => (ids?.length ?? 0) > 1);
  const words = parseSearchQuery(query.q, 'q', errors);
  const read = async (position: CursorPosition | null, limit: number) => {
    const request = { organizationId, ...targets, words, position, limit };
    const found = await readOrNarrow(
      () => listNotePage(context.database, request),
      words.length > 0 ? narrowing : null,
    );
    // A note shows that the record it is on exists, but not that the others of a list do.
    if (found.records.length > 0 && !(isOfSeveral && position === null)) return found;
    await checkReferences(context, organizationId, 'account', accountIds, errors);
    await checkReferences(context, organizationId, 'contact', contactIds, errors);
    await checkReferences(context, organizationId, 'opportunity', opportunityIds, errors);
    errors.throwIfAny();
    return found;
  };
  const binding = {
    ...{ organizationId, operation: listContract.id, words },
    ...{ accountId: bound(accountIds), contactId: bound(contactIds), opportunityId: bound(opportunityIds) },
  };
  const { page, nextCursor, limit } = await readByCursor(context, query, binding, read, errors);
  return { message: 'Found notes', data: pageJson('notes', page.records, nextCursor, limit) };
});

/** `GET /v1/notes/schema`: the same for all organizations, because notes have no custom fields. */
const getSchema = operation(getNoteSchema, () =>
  Promise.resolve({ message: 'Found schema', data: { schema: noteSchema() } }),
);

/** The reads of notes. */
export const noteOperations: readonly Operation<Context>[] = [listNotes, getNote, getSchema];
