import type { Database } from '@crm/db';
import type { CustomValue, ObjectType } from '@crm/domain';
import type { Answer, TestOrganization } from '@crm/testing';
import { recordsOf } from './records.js';

/** A record of any object, as answers contain it. */
export type WireRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly custom_fields: Readonly<Record<string, unknown>>;
};

/** A page of any object. */
export type WirePage = Readonly<Record<string, readonly WireRecord[] | undefined>> & {
  readonly custom_field_definitions: Readonly<Record<string, object>>;
  readonly has_more: boolean;
  readonly next_cursor: string | null;
  readonly limit: number;
};

/** The differences between the operations of the objects. */
export interface Subject {
  readonly objectType: ObjectType;
  /** The key of its records in pages, and its part of the path. */
  readonly collection: 'accounts' | 'contacts' | 'opportunities';
  /** The keys of every record. */
  readonly baseKeys: readonly string[];
  /** The keys that `fields` can add. */
  readonly extraKeys: readonly string[];
  /** The keys that only `fields` adds, also to a record that is read by its id. */
  readonly keysOnRequest: readonly string[];
}

const history = ['created_at', 'updated_at', 'version'];

/** The three objects, with the keys of the contract. */
export const subjects: Readonly<Record<ObjectType, Subject>> = {
  account: {
    objectType: 'account',
    collection: 'accounts',
    baseKeys: ['id', 'domain', 'name', 'custom_fields'],
    extraKeys: [
      'additional_domains',
      'external_id',
      'industry',
      'description',
      'website',
      'employee_range',
      'is_freemail',
      ...history,
    ],
    keysOnRequest: [],
  },
  contact: {
    objectType: 'contact',
    collection: 'contacts',
    baseKeys: ['id', 'name', 'first_name', 'last_name', 'email', 'account_id', 'custom_fields'],
    extraKeys: [
      'additional_emails',
      'external_id',
      'job_title',
      'phone',
      ...history,
      'account_domain',
      'account_external_id',
    ],
    keysOnRequest: [],
  },
  opportunity: {
    objectType: 'opportunity',
    collection: 'opportunities',
    baseKeys: [
      ...['id', 'name', 'pipeline_id', 'stage_id', 'stage_name', 'account_id', 'contact_id'],
      ...['additional_contacts', 'custom_fields'],
    ],
    extraKeys: [
      ...['external_id', 'amount', 'currency', 'close_date', 'next_action_date', 'next_step', 'owner_id'],
      ...['owner_email', 'outcome', 'stage_entered_at', 'closed_at', 'probability', 'weighted_amount', ...history],
      ...['account_domain', 'account_name', 'contact_email', 'contact_first_name', 'contact_last_name'],
      ...['account_external_id', 'contact_external_id', 'pipeline_name'],
    ],
    keysOnRequest: ['seconds_in_stage', 'days_to_close'],
  },
};

/** The page in an answer. */
export const pageIn = (answer: Answer): WirePage => answer.data as WirePage;

/** The records in an answer of one object's list or search. */
export const recordsIn = (answer: Answer, { collection }: Subject): readonly WireRecord[] =>
  pageIn(answer)[collection] ?? [];

/** A record to write: `key` makes its natural key, `name` is its name. */
export interface SubjectRecord {
  readonly key: string;
  readonly name: string | null;
  readonly externalId?: string;
  readonly custom?: Readonly<Record<string, CustomValue>>;
}

/** Writes a record of any object as the inbound gateway does. Deals go into the first pipeline. */
export const addRecord = (
  database: Database,
  organization: TestOrganization,
  objectType: ObjectType,
  { key, name, externalId, custom }: SubjectRecord,
): Promise<string> => {
  const [firstName = null, ...others] = (name ?? '').split(' ').filter((word) => word !== '');
  const lastName = others.length === 0 ? null : others.join(' ');
  const values = {
    account: { domain: `${key}.example`, name },
    contact: { email: `${key}@people.example`, first_name: firstName, last_name: lastName },
    opportunity: { name: name ?? key, account_domain: `${key}.example` },
  };
  return recordsOf(database, organization).add(objectType, { ...values[objectType], external_id: externalId }, custom);
};
