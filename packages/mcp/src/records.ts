import {
  type Account,
  type AccountPage,
  type Contact,
  type ContactPage,
  type Event,
  type Note,
  type Opportunity,
  type OpportunityPage,
  CrmValidationError,
} from '@crm/client';
import type { RecordKind, Setup } from './setup.js';
import { invalid } from './tool-error.js';
import type { Session } from './tool.js';

/** The kinds of records of the tools that take any kind. */
export const objects = ['deal', 'account', 'contact', 'note'] as const;
/** Their names in the client. */
export const collections = { deal: 'opportunities', account: 'accounts', contact: 'contacts', note: 'notes' } as const;

/** The records of a page. */
export const recordsIn = (page: OpportunityPage | AccountPage | ContactPage): (Opportunity | Account | Contact)[] => {
  if ('opportunities' in page) return page.opportunities;
  return 'accounts' in page ? page.accounts : page.contacts;
};

/** A record as the tools show it: fields without a value are left out. */
export type ShownRecord = Record<string, unknown>;

/** The fields of search results besides the keys, by kind. */
export const listFields: Readonly<Record<RecordKind, readonly string[]>> = {
  deal: [
    'account_domain',
    'account_name',
    'contact_email',
    'pipeline_name',
    'amount',
    'currency',
    'close_date',
    'next_step',
    'owner_email',
    'updated_at',
    'version',
  ],
  account: ['industry', 'updated_at', 'version'],
  contact: ['account_domain', 'job_title', 'phone', 'updated_at', 'version'],
};

/** Ids that other fields show as a name, and lists that are shown as emails. */
const hiddenKeys = new Set(['pipeline_id', 'stage_id', 'owner_id', 'account_id', 'contact_id', 'additional_contacts']);

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const dayMs = 86_400_000;

/** An instant as a text: `2026-12-31` for midnight in UTC, otherwise RFC 3339. */
const instantText = (ms: number): string => {
  const text = new Date(ms).toISOString();
  return ms % dayMs === 0 ? text.slice(0, 10) : text;
};

/** Custom values with instants as texts and members as emails. */
const showCustomValues = async (values: Record<string, unknown>, kind: RecordKind, setup: Setup): Promise<object> => {
  const types = new Map((await setup.fields(kind)).map((field) => [field.name, field.attribute_type]));
  const shown: Record<string, unknown> = {};
  for (const [slug, value] of Object.entries(values)) {
    const type = types.get(slug);
    if (type === 'timestamp' && typeof value === 'number') shown[slug] = instantText(value);
    else if (type === 'team_members' && Array.isArray(value)) shown[slug] = await emailsOf(value as string[], setup);
    else shown[slug] = value;
  }
  return shown;
};

const emailsOf = async (ids: readonly string[], setup: Setup): Promise<readonly string[]> => {
  const members = await setup.members();
  return ids.map((id) => members.find((member) => member.member_id === id)?.email ?? id);
};

/** A deal, account or contact in the words of the tools. */
export const showRecord = async (
  record: Opportunity | Account | Contact,
  kind: RecordKind,
  setup: Setup,
): Promise<ShownRecord> => {
  const { custom_fields: customValues, ...fields } = record;
  const shown: ShownRecord = {};
  for (const [name, value] of Object.entries(fields)) {
    if (isEmpty(value) || (kind === 'deal' && hiddenKeys.has(name))) continue;
    shown[name] = /^(close|next_action)_date$/.test(name) ? instantText(value as number) : value;
  }
  if ('additional_contacts' in record && record.additional_contacts.length > 0)
    shown['additional_contact_emails'] = record.additional_contacts.map((contact) => contact.contact_email);
  if (!isEmpty(customValues)) shown['custom_fields'] = await showCustomValues(customValues, kind, setup);
  return shown;
};

/** A note: what it is attached to is named by domain, email and id of the deal. */
export const showNote = ({ account_ids: _accounts, contact_ids: _contacts, ...note }: Note): ShownRecord => {
  const { opportunity_ids: dealIds, ...fields } = note;
  const entries = Object.entries({ ...fields, deal_ids: dealIds });
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)));
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Checks an id. @param path - the argument @throws ToolError */
export const readId = (id: string, path: string): string => {
  if (uuid.test(id)) return id;
  throw invalid({ [path]: 'must be the id of a record: search for it first' });
};

/** Reads by a natural key. @throws ToolError if it is no such key: the API names the parameter of its path, and the tools have `argument` */
const byKey = async <T>(reading: Promise<T>, argument = 'key'): Promise<T> => {
  try {
    return await reading;
  } catch (error) {
    const [fault] = error instanceof CrmValidationError ? Object.values(error.errors) : [];
    throw fault === undefined ? error : invalid({ [argument]: fault });
  }
};

/** The id of the contact with an id or email. @throws ToolError */
export const readContactId = async ({ contacts }: Session['crm'], key: string): Promise<string> => {
  if (uuid.test(key)) return key;
  const { data } = await byKey(contacts.getByEmail(key, { fields: ['id'] }), 'contact');
  return data.contact.id;
};

/** Reads a record by its id, an account also by its domain and a contact by its email. @throws ToolError */
export const readRecord = async (
  { crm, setup }: Session,
  kind: (typeof objects)[number],
  key: string,
  readAfter: string | null = null,
): Promise<ShownRecord> => {
  const options = { readAfter };
  if (kind === 'note') return showNote((await crm.notes.get(readId(key, 'key'), options)).data.note);
  if (kind === 'deal')
    return showRecord((await crm.opportunities.get(readId(key, 'key'), {}, options)).data.opportunity, kind, setup);
  const { accounts, contacts } = crm;
  if (kind === 'account') {
    const reading = uuid.test(key) ? accounts.get(key, {}, options) : accounts.getByDomain(key, {}, options);
    const { data } = await byKey(reading);
    return showRecord(data.account, kind, setup);
  }
  const reading = uuid.test(key) ? contacts.get(key, {}, options) : contacts.getByEmail(key, {}, options);
  const { data } = await byKey(reading);
  return showRecord(data.contact, kind, setup);
};

/** The name of a record in an event: what a person would recognize it by. */
const titleOf = ({ record, previous }: Event): unknown => {
  const known = { ...previous, ...record };
  return known['name'] ?? known['title'] ?? known['email'] ?? known['domain'];
};

const valueIn = (values: Record<string, unknown> | null, name: string): unknown => {
  const [, slug] = /^custom_fields\.(.*)$/.exec(name) ?? [];
  const found = slug === undefined ? values?.[name] : (values?.['custom_fields'] as ShownRecord | undefined)?.[slug];
  return /^(close|next_action)_date$/.test(name) && typeof found === 'number' ? instantText(found) : (found ?? null);
};

/** The label of a stage, or the email of an owner, for their ids. */
const nameForId = async (name: string, id: unknown, event: Event, setup: Setup): Promise<unknown> => {
  if (typeof id !== 'string') return id;
  if (name === 'owner_id') return (await emailsOf([id], setup))[0];
  const pipelineId = (event.record ?? event.previous)?.['pipeline_id'];
  if (name !== 'stage_id' || typeof pipelineId !== 'string') return id;
  return (await setup.stages(pipelineId)).find((stage) => stage.stage_id === id)?.label ?? id;
};

/** An event: what changed, from which value to which. */
export const showEvent = async (event: Event, setup: Setup): Promise<ShownRecord> => {
  const changes: Record<string, unknown> = {};
  for (const name of event.changed) {
    const shownName = { stage_id: 'stage_name', owner_id: 'owner_email' }[name] ?? name;
    const [from, to] = [valueIn(event.previous, name), valueIn(event.record, name)];
    changes[shownName] = {
      from: await nameForId(name, from, event, setup),
      to: await nameForId(name, to, event, setup),
    };
  }
  return {
    position: event.position,
    type: event.type.replace('opportunity', 'deal'),
    at: event.occurred_at,
    id: event.record_id,
    name: titleOf(event) ?? null,
    ...(event.merged_into !== null && { merged_into: event.merged_into }),
    ...(event.merged_from !== null && { merged_from: event.merged_from }),
    ...(event.changed.length > 0 && { changes }),
  };
};
