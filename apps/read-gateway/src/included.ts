import { bounds, includedNames, type IncludedName, listContacts, listNotes, listOpportunities } from '@crm/contract';
import { listNotes as listNotePage, listPage, type OrganizationSetup, pageRequestSteps } from '@crm/db';
import { ErrorCollector, maxPageBytes, type ObjectType } from '@crm/domain';
import { type Caller, type JsonPart, requireOperation, runInTurns } from '@crm/http';
import type { Context } from './context.js';

const contracts = { opportunities: listOpportunities, contacts: listContacts, notes: listNotes } as const;

/** The names in `include`, each once, in the order of the contract. */
export const namesOf = (sent: string | undefined, objectType: ObjectType): readonly IncludedName[] => {
  const names = sent?.split(',') ?? [];
  return includedNames[objectType].filter((name) => names.includes(name));
};

/** The keys of a record that say which others belong to it. */
interface Parent {
  readonly id: string;
  readonly account_id?: string | null;
}

const equal = (field: string, value: string) => ({ field, operator: 'eq', value });

/** The filters that select the opportunities or contacts of a record; null if it has none. Of a contact, the others of its account. */
const filtersOf = (objectType: ObjectType, child: 'opportunity' | 'contact', parent: Parent): object[] | null => {
  if (objectType === 'account') return [equal('account_id', parent.id)];
  if (child === 'opportunity') return [equal('contact_id', parent.id)];
  const account = parent.account_id ?? null;
  return account === null ? null : [equal('account_id', account), { field: 'id', operator: 'neq', value: parent.id }];
};

type Included = Pick<Awaited<ReturnType<typeof listPage>>, 'records' | 'nextPosition'>;

const readRecords = async (
  { database }: Context,
  setup: OrganizationSetup,
  child: 'opportunity' | 'contact',
  filters: object[] | null,
  bytes: number,
): Promise<Included> => {
  if (filters === null) return { records: [], nextPosition: null };
  const errors = new ErrorCollector();
  const readLimit = () => bounds.includedRecords;
  const input = { objectType: child, filters, readWords: () => [], readLimit, defaultSort: 'created_at' } as const;
  const { request } = await runInTurns(pageRequestSteps(setup, input, errors));
  errors.throwIfAny();
  return listPage(database, request, bytes);
};

const readNotes = (context: Context, organizationId: string, objectType: ObjectType, id: string, bytes: number) => {
  const ids = (object: ObjectType) => (object === objectType ? [id] : null);
  const targets = { accountIds: ids('account'), contactIds: ids('contact'), opportunityIds: ids('opportunity') };
  const page = { ...targets, words: [], position: null, limit: bounds.includedRecords };
  return listNotePage(context.database, { organizationId, ...page }, bytes);
};

/**
 * The records that `include` names, as a property of JSON: the newest of each kind. Together they have at most the bytes of a page.
 * @throws ApiError `unauthorized` if the key may not list them
 */
export const includedJson = async (
  context: Context,
  caller: Caller,
  setup: OrganizationSetup,
  objectType: ObjectType,
  record: string,
  names: readonly IncludedName[],
): Promise<readonly JsonPart[]> => {
  if (names.length === 0) return [];
  const parent = JSON.parse(record) as Parent;
  const bytes = Math.floor(maxPageBytes / (names.length + 1));
  const parts: JsonPart[] = [];
  for (const name of names) {
    requireOperation(caller, contracts[name]);
    const child = name === 'opportunities' ? 'opportunity' : 'contact';
    const page: Included =
      name === 'notes'
        ? await readNotes(context, caller.organizationId, objectType, parent.id, bytes)
        : await readRecords(context, setup, child, filtersOf(objectType, child, parent), bytes);
    parts.push(`${parts.length === 0 ? ',"included":{' : ','}"${name}":{"records":[`, page.records);
    parts.push(`],"has_more":${page.nextPosition !== null}}`);
  }
  return [...parts, '}'];
};
