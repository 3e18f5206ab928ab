/* eslint-disable max-lines -- Generated, in one piece. */

// The shapes of requests and answers, generated from the contract: npm run reference --workspace @crm/client

/** A company. */
export interface Account {
  /** Id of the account. */
  id: string;
  /** Domain: its natural key. */
  domain: string;
  /** Name. */
  name: string | null;
  /** Custom field values by slug, in their stored form: for example, an option as its `value`, a datetime in UTC. */
  custom_fields: Record<string, unknown>;
  /** Other domains that find it: those of accounts that were merged into it. */
  additional_domains?: Array<string>;
  /** Its id in another system. */
  external_id?: string | null;
  /** Industry. */
  industry?: string | null;
  /** Description. */
  description?: string | null;
  /** Website. */
  website?: string | null;
  /** Number of employees, as a range. */
  employee_range?: string | null;
  /** Whether its domain is that of a free mail provider. */
  is_freemail?: boolean;
  /** When it was created. */
  created_at?: string;
  /** When it last changed. */
  updated_at?: string;
  /** Increases with every change; the `ETag` begins with it. */
  version?: number;
}

/** One account with every system field and visible custom field, unless `fields` narrows it. */
export interface AccountDetail {
  account: Account;
  /** Definitions of the custom fields in this response, by slug: the keys of each record’s `custom_fields`. */
  custom_field_definitions: Record<string, CustomFieldDefinition>;
  included?: Included;
}

/** A page of accounts. */
export interface AccountPage {
  /** The records of this page. */
  accounts: Array<Account>;
  /** Definitions of the custom fields in this response, by slug: the keys of each record’s `custom_fields`. */
  custom_field_definitions: Record<string, CustomFieldDefinition>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** A contact other than the primary one. */
export interface AdditionalContact {
  /** Id of the contact. */
  contact_id: string;
  /** First name. */
  contact_first_name: string | null;
  /** Last name. */
  contact_last_name: string | null;
  /** Email. */
  contact_email: string | null;
}

/** Parameters of the change log. */
export interface AnyEventsQuery {
  /** Only events after this position. By default, and after 0, starts with the oldest retained event. `<log_id>:<position>` is 410 if the log is another one. */
  after?: string;
  /** `next_cursor` of the previous page. It wins over `after`, which may stay as it was for the first page. */
  cursor?: string;
  /** Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true. Default: 100. From 1 to 500. */
  limit?: number;
  /** Only events of records of this kind. */
  object?: EventObject;
  /** Only events of this type. */
  type?: EventType;
  /** Only events of this record. */
  record_id?: string;
  /** Of the `updated` events, only those that changed one of these fields; all other events pass. Names as in `changed` of events, or slugs or `custom__<slug>` of custom fields. Repeat the parameter or separate the names by commas. */
  changed?: Array<string>;
  /** How many seconds to wait for an event if there is none. Default: 0. From 0 to 30. */
  wait?: number;
}

export type AttributeType =
  | 'string'
  | 'number'
  | 'checkbox'
  | 'date'
  | 'date_range'
  | 'rating'
  | 'timestamp'
  | 'select'
  | 'multi_select'
  | 'currency'
  | 'percentage'
  | 'location'
  | 'time'
  | 'datetime'
  | 'email'
  | 'phone'
  | 'website'
  | 'url'
  | 'radio'
  | 'team_members';

/** The result of one item. */
export interface BulkResult {
  /** Index of the item in the request, from 0. */
  index: number;
  /** Whether the item was applied. */
  success: boolean;
  /** What happened to the record; null if the item failed. */
  record_status: 'created' | 'matched' | 'updated' | null;
  /** Id of the record; null if the item failed and the id is unknown. */
  id: string | null;
  /** The version of the record after this item. Only if the item was applied. */
  version?: number;
  /** The account of the contact or opportunity. Only in results of creates. */
  account_id?: string | null;
  /** The primary contact of the opportunity. Only in results of creates. */
  contact_id?: string | null;
  /** The note that the item sent. Only in results of creates. */
  note_id?: string;
  /** Values in the request that were not applied or may be mistakes; absent if there are none. */
  warnings?: Array<Warning>;
  /** The error text of each invalid field, by its dotted path within the item; `item` stands for the item as a whole. */
  errors?: Record<string, string>;
}

/** The result of each item. */
export interface BulkResults {
  /** One result per item, in order. */
  results: Array<BulkResult>;
}

/** A person. */
export interface Contact {
  /** Id of the contact. */
  id: string;
  /** First and last name; null if it has neither. */
  name: string | null;
  /** First name. */
  first_name: string | null;
  /** Last name. */
  last_name: string | null;
  /** Email: its natural key. */
  email: string;
  /** Its account. */
  account_id: string | null;
  /** Custom field values by slug, in their stored form: for example, an option as its `value`, a datetime in UTC. */
  custom_fields: Record<string, unknown>;
  /** Other emails that find the contact: those of contacts that were merged into it. */
  additional_emails?: Array<string>;
  /** Its id in another system. */
  external_id?: string | null;
  /** Job title. */
  job_title?: string | null;
  /** Phone number. */
  phone?: string | null;
  /** When it was created. */
  created_at?: string;
  /** When it last changed. */
  updated_at?: string;
  /** Increases with every change; the `ETag` begins with it. */
  version?: number;
  /** Domain of its account. */
  account_domain?: string | null;
  /** `external_id` of its account. */
  account_external_id?: string | null;
}

/** One contact with every system field and visible custom field, unless `fields` narrows it. */
export interface ContactDetail {
  contact: Contact;
  /** Definitions of the custom fields in this response, by slug: the keys of each record’s `custom_fields`. */
  custom_field_definitions: Record<string, CustomFieldDefinition>;
  included?: Included;
}

/** A page of contacts. */
export interface ContactPage {
  /** The records of this page. */
  contacts: Array<Contact>;
  /** Definitions of the custom fields in this response, by slug: the keys of each record’s `custom_fields`. */
  custom_field_definitions: Record<string, CustomFieldDefinition>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** A company. */
export interface CreateAccountBody {
  /** Company domain: the natural key of an account. Optional if an account has the `external_id`. */
  domain?: string | null;
  /** Name. By default, a new account is named after its domain. */
  name?: string | null;
  /** Id in another system, unique among records of this kind and case-sensitive. A create finds the record by it. */
  external_id?: string | null;
  /** Industry. */
  industry?: string | null;
  /** Description. */
  description?: string | null;
  /** Website. */
  website?: string | null;
  /** Number of employees, as a range. */
  employee_range?: string | null;
  /** Custom field values by slug, such as `{"deal_tier": "enterprise"}` if the object has a field `deal_tier`. Values are never coerced; `null` clears on updates. */
  custom_fields?: Record<string, unknown> | null;
  /** A custom field value under its `property_name`. */
  [key: `custom__${string}`]: unknown;
}

/** A person. The account of the email’s domain is created if it is missing. */
export interface CreateContactBody {
  /** First name. */
  first_name?: string | null;
  /** Last name. */
  last_name?: string | null;
  /** Email: the natural key of a contact. Optional if a contact has the `external_id`. */
  email?: string | null;
  /** Id in another system, unique among records of this kind and case-sensitive. A create finds the record by it. */
  external_id?: string | null;
  /** Job title. */
  job_title?: string | null;
  /** Phone number. */
  phone?: string | null;
  /** Domain of its account, which is created if it is missing. By default that of the email. */
  account_domain?: string | null;
  /** `external_id` of its account, which must exist. By default, the account is that of the email. */
  account_external_id?: string | null;
  /** Custom field values by slug, such as `{"deal_tier": "enterprise"}` if the object has a field `deal_tier`. Values are never coerced; `null` clears on updates. */
  custom_fields?: Record<string, unknown> | null;
  /** A custom field value under its `property_name`. */
  [key: `custom__${string}`]: unknown;
}

export interface CreateField {
  /** The object that gets the field. */
  object: FieldObject;
  /** Display name. */
  current_name: string;
  /** Its name in requests: lower-case letters, digits and `_`. It cannot change. */
  slug: string;
  /** The type of its values. It cannot change. */
  attribute_type: AttributeType;
  /** Select types: the options, at least one. */
  options?: Array<OptionInput> | null;
  /** Currency fields: ISO 4217 code. */
  currency?: string | null;
  /** Rating fields: the highest value. Default: 5. */
  max?: number | null;
  /** Fields of opportunities: the pipelines they apply to. They cannot change. Default: all. */
  pipeline_ids?: Array<string> | null;
  /** Whether reads leave it out unless `fields` names it. */
  is_hidden?: boolean | null;
  /** Position in the list, from 1. */
  position?: number | null;
}

export interface CreateMember {
  /** Email of the person. */
  email: string;
  /** Name; not blank. */
  name: string;
}

/** A note on at least one account, contact or opportunity. */
export type CreateNoteBody = {
  /** The note itself: a title, a content or both. */
  note: {
    /** Id of the note, such as that of a copied one. If a note has it already, that note is returned. */
    id?: string | null;
    /** Title. */
    title?: string | null;
    /** Text. */
    content?: string | null;
  };
  /** Companies to attach the note to. */
  account_domains?: Array<string> | null;
  /** Contacts to attach the note to. */
  contact_emails?: Array<string> | null;
  /** Companies to attach the note to, by `external_id`. They must exist. */
  account_external_ids?: Array<string> | null;
  /** Contacts to attach the note to, by `external_id`. They must exist. */
  contact_external_ids?: Array<string> | null;
  /** Related records, by id. */
  related_objects?: {
    /** Opportunities to attach the note to. They must exist. */
    opportunity_ids?: Array<string> | null;
  } | null;
};

/** An opportunity with its account and contacts. */
export type CreateOpportunityBody = {
  /** The pipeline of the deal. Optional if `pipeline` names it. */
  pipeline_id?: string | null;
  /** Name of the pipeline, for `pipeline_id`. */
  pipeline?: string | null;
  /** The deal itself. */
  opportunity: {
    /** Name of the deal, not blank: part of its natural key, together with account and pipeline. Optional if an opportunity has the `external_id`. */
    name?: string | null;
    /** A stage of the pipeline. A new deal without one starts in the default stage. */
    stage_id?: string | null;
    /** Label of the stage, for `stage_id`. Case, invisible characters and the amount of white space do not count. */
    stage?: string | null;
    /** Id in another system, unique among records of this kind and case-sensitive. A create finds the record by it. */
    external_id?: string | null;
    /** A number with at most 15 digits, including up to 4 decimals. Reads return it as `amount`. */
    deal_size?: number | null;
    /** Another name of `deal_size`. */
    amount?: number | null;
    /** Currency of `deal_size`: an ISO 4217 code in capital letters. */
    currency?: string | null;
    /** When it is expected to close: Unix milliseconds, YYYY-MM-DD (UTC) or RFC 3339. */
    close_date?: number | string | null;
    /** When the next action is due: like `close_date`. */
    next_action_date?: number | string | null;
    /** The next step. */
    next_step?: string | null;
    /** Another name of `next_step`. */
    next_steps?: string | null;
    /** Custom field values by slug, such as `{"deal_tier": "enterprise"}` if the object has a field `deal_tier`. Values are never coerced; `null` clears on updates. */
    custom_fields?: Record<string, unknown> | null;
    /** A custom field value under its `property_name`. */
    [key: `custom__${string}`]: unknown;
  };
  /** Account, contacts and owner of the deal, by their natural keys. */
  related_objects?: {
    /** Emails of additional contacts, who are created if missing. */
    additional_contact_emails?: Array<string> | null;
    /** Email of the member who owns the deal. */
    owner_email?: string | null;
    /** Domain of the account, which is created if it is missing. */
    account_domain?: string | null;
    /** `external_id` of the account, which must exist. */
    account_external_id?: string | null;
    /** Email of the primary contact, who is created if missing. */
    primary_contact_email?: string | null;
    /** `external_id` of the primary contact, who must exist. */
    primary_contact_external_id?: string | null;
    /** `external_id`s of additional contacts, who must exist. They join those of `additional_contact_emails`. */
    additional_contact_external_ids?: Array<string> | null;
  } | null;
  /** The primary contact with its fields, as in a create of a contact. Instead of `primary_contact_email`. */
  primary_contact?: {
    /** First name. */
    first_name?: string | null;
    /** Last name. */
    last_name?: string | null;
    /** Email of the primary contact, who is created if missing. */
    email: string;
    /** Job title. */
    job_title?: string | null;
    /** Phone number. */
    phone?: string | null;
  } | null;
  /** A note on the deal: a title, a content or both. */
  note?: {
    /** Title. */
    title?: string | null;
    /** Text. */
    content?: string | null;
  } | null;
};

export interface CreateOption {
  /** Display text, unique among the options in use. */
  label: string;
  /** Stored value, unique. It cannot change. Default: the label. */
  value?: string | null;
  /** A color name, or `#rrggbb`. */
  color?: string | null;
}

export interface CreatePipeline {
  /** Name, unique in the organization. */
  name: string;
  /** Its stages, in order. */
  stages: Array<StageInput>;
  /** Position in the list, from 1. */
  position?: number | null;
}

export interface CreateStage {
  /** Display text, unique in the pipeline. */
  label: string;
  /** A color name, or `#rrggbb`. */
  color?: string | null;
  /** Chance of winning, in percent. */
  probability?: number | null;
  /** Whether deals in it are open, won or lost. Default: open. */
  outcome?: StageOutcome | null;
  /** Position in the list, from 1. */
  position?: number | null;
  /** Whether new deals start here. */
  is_default?: boolean | null;
}

export interface CreateWebhook {
  /** Where events are posted: `https`, port 443 or 8443, at a public address. The operator can allow private networks, with any scheme and port. */
  url: string;
  /** A note for people. */
  description?: string | null;
  /** Only events of these objects; empty for all. */
  objects?: Array<EventObject> | null;
  /** Only events of these types; empty for all. */
  types?: Array<EventType> | null;
  /** Of the `updated` events, only those that changed one of these fields; empty for all. All other events pass. Names as in `changed` of events, or slugs or `custom__<slug>` of custom fields. */
  changed?: Array<string> | null;
  /** `full`: the event as in `GET /v1/events`. `thin`: only which record and which fields changed, without any value. */
  payload?: WebhookPayload | null;
}

/** The account that the call created or found. */
export interface CreatedAccount {
  /** Id of the account. */
  company_id: string;
  /** Its domain, normalized. */
  domain: string;
  /** Its name; null if it was cleared. */
  name: string | null;
  /** The same as `company_id`. */
  account_id: string;
}

/** The contact that the call created or found. */
export interface CreatedContact {
  /** Id of the contact. */
  people_id: string;
  /** Its email, normalized. */
  email: string;
  /** First name; null if it has none. */
  first_name: string | null;
  /** Last name; null if it has none. */
  last_name: string | null;
  /** Id of its account; null if it has none. */
  account_id: string | null;
  /** The same as `people_id`. */
  contact_id: string;
}

/** The created note. */
export interface CreatedNote {
  /** Id of the note. */
  note_id: string;
  /** Title; null if it has none. */
  title: string | null;
  /** Text; null if it has none. */
  content: string | null;
  /** Ids of the accounts it is attached to. */
  account_ids: Array<string>;
  /** Ids of the contacts it is attached to. */
  contact_ids: Array<string>;
  /** Ids of the opportunities it is attached to. */
  opportunity_ids: Array<string>;
}

/** The opportunity that the call created or found. */
export interface CreatedOpportunity {
  /** Id of the opportunity. */
  opportunity_id: string;
  /** Its name. */
  name: string;
  /** Its deal size; null if it has none. */
  amount: number | null;
  /** Id of its account; null if it has none. */
  account_id: string | null;
  /** Id of its primary contact; null if it has none. */
  contact_id: string | null;
  /** Id of the note on it. Only if the request has a `note`. */
  note_id?: string;
}

/** The definition of a custom field. */
export type CustomFieldDefinition = {
  /** Display name; may change. */
  current_name: string;
  /** Stable name: `custom__` followed by the slug. Usable in `fields`, filters, sorts and writes. */
  property_name: string;
  /** The type of its values. */
  attribute_type:
    | 'string'
    | 'number'
    | 'checkbox'
    | 'date'
    | 'date_range'
    | 'rating'
    | 'timestamp'
    | 'select'
    | 'multi_select'
    | 'currency'
    | 'percentage'
    | 'location'
    | 'time'
    | 'datetime'
    | 'email'
    | 'phone'
    | 'website'
    | 'url'
    | 'radio'
    | 'team_members';
  /** Settings of the type; null if it has none. */
  metadata?: {
    /** Select types: the options, in order. */
    options?: Array<CustomFieldOption>;
    /** Currency fields: ISO 4217 code. */
    currency?: string;
    /** Rating fields: the highest value. */
    max?: number;
  } | null;
};

/** One option of a select type. */
export interface CustomFieldOption {
  /** Display text. */
  label: string;
  /** Stored value. */
  value: string;
  /** Display colour. */
  color: string;
}

/** What was deleted. */
export interface Deleted {
  /** Id of what was deleted. */
  id: string;
}

/** The deleted record. */
export interface DeletedRecord {
  /** Id of the record that was deleted. */
  id: string;
  /** Position of the event in the change log. */
  position: number;
}

/** A record that may be a duplicate. */
export interface Duplicate {
  /** Id of the record. */
  id: string;
  /** Name. */
  name: string | null;
  /** Account: its domain. Contact: its email. Opportunity: the domain of its account. */
  key: string | null;
  /** Older records that may be the same, newest first. */
  candidates: Array<DuplicateCandidate>;
  /** Whether more than 20 older records have its name or phone. Only the newest 20 were compared. */
  truncated: boolean;
}

/** An older record that may be the same. */
export interface DuplicateCandidate {
  /** Id of the record. */
  id: string;
  /** Name. */
  name: string | null;
  /** Account: its domain. Contact: its email. Opportunity: the domain of its account. */
  key: string | null;
  /** `same_name`: contacts or opportunities of the same account with the same normalized name; opportunities also of the same pipeline. `same_name_near_domain`: accounts with the same name and similar domains. `same_phone`: contacts with the same phone number. */
  reasons: Array<'same_name' | 'same_name_near_domain' | 'same_phone'>;
}

/** A page of records that may be duplicates. */
export interface DuplicatePage {
  /** In order of creation. A page checks up to 200 records, so it may be empty without being the last. */
  duplicates: Array<Duplicate>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** The body of every error. */
export interface ErrorBody {
  /** False on every error. */
  success: boolean;
  /** Human-readable reason. */
  message: string;
  /** Equals the HTTP status. */
  statusCode: number;
  /** What went wrong, for programs. Later versions may add codes. */
  code:
    | 'bad_request'
    | 'validation_failed'
    | 'unauthorized'
    | 'not_found'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'idempotency_in_flight'
    | 'conflict'
    | 'log_changed'
    | 'events_expired'
    | 'precondition_failed'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'idempotency_mismatch'
    | 'rate_limited'
    | 'headers_too_large'
    | 'internal'
    | 'timeout'
    | 'unavailable';
  /** On validation errors: the error text of each invalid field, by its dotted path. */
  errors?: Record<string, string>;
  /** On 409 for a natural key, `external_id`, name, label or slug that another record already has. */
  conflict?: {
    /** The field whose value another record already has. */
    field: string;
    /** Id of the record that has it. */
    existing_id: string;
    /** On a create whose `external_id` and natural key belong to two records: id of the record with the natural key. */
    other_id?: string;
    /** On a create whose natural key belongs to a record with another `external_id`: the `external_id` of that record. */
    external_id?: string;
  };
  /** On 410 for expired events: position of the oldest retained event. */
  oldest_position?: number;
  /** On 410 for a position of another log: the id of this log. */
  log_id?: string;
  /** On 409 for a merge: opportunities that would get the natural key of another one. At most 100. */
  conflicts?: Array<OpportunityConflict>;
  /** On 404 for a record that was merged into another one: the id of that other record, which may have been deleted since. */
  merged_into?: string;
  /** On 409 for an account, stage, member or field that is still in use: how many records of each kind use it. `moved`: how many deals the call moved to another stage or owner before it was refused. */
  counts?: Record<string, number>;
}

/** A change of a record. */
export interface Event {
  /** Id of the event. */
  id: string;
  /** Id of this log. It changes when the database is restored from a backup, a replica is promoted or `pg_upgrade` is run: then copy all records again. */
  log_id: string;
  /** Its number in the organization: 1, 2, 3 … without gaps, in commit order. */
  position: number;
  /** What happened. */
  type:
    | 'opportunity.created'
    | 'opportunity.updated'
    | 'opportunity.deleted'
    | 'opportunity.merged'
    | 'opportunity.restored'
    | 'account.created'
    | 'account.updated'
    | 'account.deleted'
    | 'account.merged'
    | 'account.restored'
    | 'contact.created'
    | 'contact.updated'
    | 'contact.deleted'
    | 'contact.merged'
    | 'contact.restored'
    | 'note.created'
    | 'note.updated'
    | 'note.deleted'
    | 'note.restored';
  /** The kind of the changed record. */
  object: 'opportunity' | 'account' | 'contact' | 'note';
  /** Id of the changed record. */
  record_id: string;
  /** Version of the record after the change. */
  version: number;
  /** When the change was made. */
  occurred_at: string;
  /** The record after the change. Null if it was deleted or its values were erased. */
  record: Record<string, unknown> | null;
  /** The old values of the changed fields. The whole record for a deletion, null for a creation or restoration. If `record` is null too, the values were erased with their contact or note. */
  previous: Record<string, unknown> | null;
  /** Names of the changed fields; a custom field is `custom_fields.<slug>`. */
  changed: Array<string>;
  /** `X-Request-Id` of the request that made the change; null if no request did. */
  request_id: string | null;
  /** Id of the key of that request. */
  api_key_id: string | null;
  /** Of a `deleted` event: id of the record that the deleted one was merged into; null if it was not merged. */
  merged_into: string | null;
  /** Of a `merged` event: id of the record that was merged into this one, and deleted. */
  merged_from: string | null;
}

/** A page of the change log. */
export interface EventLogPage {
  /** The events of this page, oldest first. */
  events: Array<Event>;
  /** Store it as `after` for later requests. Events that a filter leaves out also advance it. */
  next_position: number;
  /** Position of the newest event; 0 if there has been none. */
  last_position: number;
  /** Position of the oldest event that is retained; the next position if there is none. */
  oldest_position: number;
  /** Whether there are events after `next_position`. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null at the end of the log. */
  next_cursor: string | null;
  /** Id of this log. It changes when the database is restored from a backup, a replica is promoted or `pg_upgrade` is run: then copy all records again. */
  log_id: string;
}

/** A message with an event. */
export interface EventMessage {
  /** The type of the event. */
  type:
    | 'opportunity.created'
    | 'opportunity.updated'
    | 'opportunity.deleted'
    | 'opportunity.merged'
    | 'opportunity.restored'
    | 'account.created'
    | 'account.updated'
    | 'account.deleted'
    | 'account.merged'
    | 'account.restored'
    | 'contact.created'
    | 'contact.updated'
    | 'contact.deleted'
    | 'contact.merged'
    | 'contact.restored'
    | 'note.created'
    | 'note.updated'
    | 'note.deleted'
    | 'note.restored';
  /** When the change was made. */
  timestamp: string;
  /** Id of this log. It changes when the database is restored from a backup, a replica is promoted or `pg_upgrade` is run: then copy all records again. */
  log_id: string;
  data: Event;
}

export type EventObject = 'opportunity' | 'account' | 'contact' | 'note';

export type EventType =
  | 'opportunity.created'
  | 'opportunity.updated'
  | 'opportunity.deleted'
  | 'opportunity.merged'
  | 'opportunity.restored'
  | 'account.created'
  | 'account.updated'
  | 'account.deleted'
  | 'account.merged'
  | 'account.restored'
  | 'contact.created'
  | 'contact.updated'
  | 'contact.deleted'
  | 'contact.merged'
  | 'contact.restored'
  | 'note.created'
  | 'note.updated'
  | 'note.deleted'
  | 'note.restored';

/** A field of an object. */
export type Field = {
  /** System name, or slug of a custom field. */
  name: string;
  /** Display name; may change. */
  current_name: string;
  /** The name to use in `fields`, filters and sorts: a system name, or `custom__<slug>`. */
  property_name: string;
  /** The type of its values. Two types only system fields have: `contact_list`, contacts with id, name and email, and `text_list`. */
  attribute_type:
    | 'string'
    | 'number'
    | 'checkbox'
    | 'date'
    | 'date_range'
    | 'rating'
    | 'timestamp'
    | 'select'
    | 'multi_select'
    | 'currency'
    | 'percentage'
    | 'location'
    | 'time'
    | 'datetime'
    | 'email'
    | 'phone'
    | 'website'
    | 'url'
    | 'radio'
    | 'team_members'
    | 'contact_list'
    | 'text_list';
  /** Settings of the type; null if it has none. */
  metadata: {
    /** Select types: the options, in order. */
    options?: Array<ListedOption>;
    /** Currency fields: ISO 4217 code. */
    currency?: string;
    /** Rating fields: the highest value. */
    max?: number;
  } | null;
  /** Custom fields: the id. */
  field_id?: string;
  /** Whether the organization defined it. */
  is_custom: boolean;
  /** Whether reads leave it out unless `fields` names it. */
  is_hidden?: boolean;
  /** Custom fields: false if it is archived. */
  is_active?: boolean;
  /** Custom fields of opportunities: the pipelines they apply to; null for all. */
  pipeline_ids?: Array<string> | null;
};

/** A custom field. */
export interface FieldDetail {
  field: Field;
}

export type FieldObject = 'opportunity' | 'account' | 'contact';

/** A page of fields. */
export interface FieldPage {
  /** The fields of this page. */
  fields: Array<Field>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** A condition on a field, or a combination of conditions. */
export type Filter = FilterCondition | FilterAnd | FilterOr | FilterNot;

/** All nodes must match. */
export interface FilterAnd {
  /** The nodes that must all match. */
  and: Array<Filter>;
}

/** A condition on one field. */
export interface FilterCondition {
  /** A system field, or the slug or `custom__<slug>` of a custom field, or a part of one, as in `slug.start`. Also `account.domain`, `account.name` and `contact.email` of related records. */
  field: string;
  /** How the field compares with the value. A list of several choices is equal (`eq`) to a list of the same values.

| Operators | Aliases | Value | Fields |
| --- | --- | --- | --- |
| `eq` | `is` | one value | all but date ranges, locations |
| `neq` | `is_not` | one value | all but several choices, members, date ranges, locations |
| `contains` `not_contains` `starts_with` `ends_with` | `contain` `not_contain` | one value | texts |
| `in` `not_in` | `is_any_of` | a list of at most 200 values | all but date ranges, locations |
| `gt` `gte` `lt` `lte` | `greater_than` `after` `less_than` `before` | one value | numbers, dates, times |
| `between` |  | two values, the lower first | numbers, dates, times |
| `empty` `not_empty` |  | none | all |
| `contains_all` `contains_none` | `include_all` `exclude_all` | a list of at most 200 values | several choices, members | */
  operator: FilterOperator;
  /** What to compare with. It has the type of the field and is never coerced. */
  value?: unknown;
}

/** The inner node must not match. */
export interface FilterNot {
  /** Matches exactly the records that this node does not match. */
  not: Filter;
}

export type FilterOperator =
  | 'eq'
  | 'neq'
  | 'contains'
  | 'not_contains'
  | 'starts_with'
  | 'ends_with'
  | 'in'
  | 'not_in'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'between'
  | 'empty'
  | 'not_empty'
  | 'contains_all'
  | 'contains_none'
  | 'is'
  | 'is_not'
  | 'contain'
  | 'not_contain'
  | 'is_any_of'
  | 'greater_than'
  | 'less_than'
  | 'before'
  | 'after'
  | 'include_all'
  | 'exclude_all';

/** At least one node must match. */
export interface FilterOr {
  /** The nodes of which at least one must match. */
  or: Array<Filter>;
}

/** A page of the events of one record. */
export interface HistoryPage {
  /** The events of this page, newest first. */
  events: Array<Event>;
  /** Id of this log. It changes when the database is restored from a backup, a replica is promoted or `pg_upgrade` is run: then copy all records again. */
  log_id: string;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** The records that `include` names. */
export interface Included {
  opportunities?: IncludedOpportunities;
  contacts?: IncludedContacts;
  notes?: IncludedNotes;
}

/** Included contacts. */
export interface IncludedContacts {
  /** The newest contacts, at most 50. */
  records: Array<Contact>;
  /** Whether there are more contacts. */
  has_more: boolean;
}

/** Included notes. */
export interface IncludedNotes {
  /** The newest notes, at most 50. */
  records: Array<Note>;
  /** Whether there are more notes. */
  has_more: boolean;
}

/** Included opportunities. */
export interface IncludedOpportunities {
  /** The newest opportunities, at most 50. */
  records: Array<Opportunity>;
  /** Whether there are more opportunities. */
  has_more: boolean;
}

/** The key of the request. */
export interface KeyDetail {
  /** Id of the key: `api_key_id` of the events that it causes. */
  key_id: string;
  /** The organization of the key. */
  organization_id: string;
  /** Groups of operations (`list`, `search`, `inbound`, `bulk`, `delete`, `setup`, `webhooks`) and names of single operations. */
  allowed_operations: Array<string>;
}

/** The end of the change log. */
export interface LatestPosition {
  /** Position of the newest event; 0 if there has been none. */
  position: number;
  /** Id of this log. It changes when the database is restored from a backup, a replica is promoted or `pg_upgrade` is run: then copy all records again. */
  log_id: string;
}

/** Parameters of lists of custom fields. */
export interface ListFieldsQuery {
  /** Whether to list archived custom fields too, and to say which options are archived. Default: false. */
  include_archived?: 'true' | 'false';
  /** `next_cursor` of the previous page. Valid only with the same query, filters, sort and limit. */
  cursor?: string;
  /** Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true. Default: 100. From 1 to 500. */
  limit?: number;
}

/** Parameters of lists of notes. */
export interface ListNotesQuery {
  /** Only notes on one of these accounts. Up to 200 ids with commas between them. */
  account_id?: string;
  /** Only notes on one of these contacts. Up to 200 ids with commas between them. */
  contact_id?: string;
  /** Only notes on one of these opportunities. Up to 200 ids with commas between them. */
  opportunity_id?: string;
  /** Only records that contain all of these words. At most 200 characters. */
  q?: string;
  /** `next_cursor` of the previous page. Valid only with the same query, filters, sort and limit. */
  cursor?: string;
  /** Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true. Default: 100. From 1 to 500. */
  limit?: number;
}

/** Parameters of lists of opportunities. */
export interface ListOpportunitiesQuery {
  /** The pipeline to read; `all` for every pipeline. */
  pipeline_id: string;
  /** Only opportunities in this stage. */
  stage_id?: string;
  /** Only opportunities of this person, as primary or as additional contact. */
  contact_id?: string;
  /** Only records that contain all of these words. At most 200 characters. */
  q?: string;
  /** `next_cursor` of the previous page. Valid only with the same query, filters, sort and limit. */
  cursor?: string;
  /** Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true. Default: 100. From 1 to 500. */
  limit?: number;
}

/** Parameters of lists of custom fields of opportunities. */
export interface ListOpportunityFieldsQuery {
  /** Only fields that apply to this pipeline. */
  pipeline_id?: string;
  /** Whether to list archived custom fields too, and to say which options are archived. Default: false. */
  include_archived?: 'true' | 'false';
  /** `next_cursor` of the previous page. Valid only with the same query, filters, sort and limit. */
  cursor?: string;
  /** Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true. Default: 100. From 1 to 500. */
  limit?: number;
}

/** Parameters of lists of accounts and contacts. */
export interface ListQuery {
  /** Only records that contain all of these words. At most 200 characters. */
  q?: string;
  /** `next_cursor` of the previous page. Valid only with the same query, filters, sort and limit. */
  cursor?: string;
  /** Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true. Default: 100. From 1 to 500. */
  limit?: number;
}

/** One option of a select type. */
export interface ListedOption {
  /** Display text. */
  label: string;
  /** Stored value. */
  value: string;
  /** Display colour. */
  color: string;
  /** False if archived: it can be read but not written. Only with `include_archived`. */
  is_active?: boolean;
}

/** A person of the organization, who can own deals. */
export interface Member {
  /** Id of the member: `owner_id` of an opportunity. */
  member_id: string;
  /** Email, normalized. */
  email: string;
  /** Name. */
  name: string;
  /** False for a former member, who may keep opportunities but gets no new ones. */
  is_active: boolean;
  /** When the person became a member. */
  created_at: string;
}

/** A member. */
export interface MemberDetail {
  member: Member;
}

/** A page of members. */
export interface MemberPage {
  /** The members of this page, sorted by email. */
  members: Array<Member>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** The record to merge. */
export interface MergeBody {
  /** Id of the record to merge into the one in the path. It is deleted. */
  from: string;
  /** Return what would change without changing it. */
  dry_run?: boolean | null;
  /** `merge`: also merge opportunities that would get the same pipeline, account and name. Without it, a merge with such opportunities gets 409; a dry run lists them. */
  deals?: 'merge' | null;
}

/** What a merge changed, or would change. */
export interface Merged {
  /** Id of the kept record. */
  id: string;
  /** Id of the record that was merged into it. */
  from: string;
  /** Whether this was a dry run, which changes nothing. */
  dry_run: boolean;
  /** Contacts that moved to the kept account; 0 in a merge of contacts. */
  contacts: number;
  /** Opportunities that moved to the kept record. */
  opportunities: number;
  /** Opportunities that were merged into opportunities of the kept record. */
  merged_opportunities: number;
  /** Notes that moved to the kept record. */
  notes: number;
  /** Empty fields of the kept record that were filled in from the other one. */
  filled: Array<string>;
  /** In a dry run: opportunities that would get the same pipeline, account and name, at most 100. Empty otherwise. */
  conflicts: Array<OpportunityConflict>;
}

/** A note on accounts, contacts and opportunities. */
export interface Note {
  /** Id of the note. */
  id: string;
  /** Title. */
  title: string | null;
  /** Text. */
  content: string | null;
  /** Ids of the accounts it is attached to. */
  account_ids: Array<string>;
  /** Ids of the contacts it is attached to. */
  contact_ids: Array<string>;
  /** Ids of the opportunities it is attached to. */
  opportunity_ids: Array<string>;
  /** Domains of the accounts it is attached to. */
  account_domains: Array<string>;
  /** Emails of the contacts it is attached to. */
  contact_emails: Array<string>;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Increases by one with every change. */
  version: number;
}

/** One note. */
export interface NoteDetail {
  note: Note;
}

/** A page of notes. */
export interface NotePage {
  /** The records of this page. */
  notes: Array<Note>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

export type OnMatch = 'keep' | 'update';

/** A deal in a pipeline. */
export interface Opportunity {
  /** Id of the opportunity. */
  id: string;
  /** Name of the deal. */
  name: string | null;
  /** Its pipeline. */
  pipeline_id: string;
  /** Its stage. */
  stage_id: string | null;
  /** Label of its stage. */
  stage_name: string | null;
  /** Its account. */
  account_id: string | null;
  /** Its primary contact. Filters also compare its additional contacts. */
  contact_id: string | null;
  /** Its contacts other than the primary one. */
  additional_contacts: Array<AdditionalContact>;
  /** Custom field values by slug, in their stored form: for example, an option as its `value`, a datetime in UTC. */
  custom_fields: Record<string, unknown>;
  /** Its id in another system. */
  external_id?: string | null;
  /** Deal size. */
  amount?: number | null;
  /** ISO 4217 code. */
  currency?: string | null;
  /** Unix milliseconds. */
  close_date?: number | null;
  /** Unix milliseconds. */
  next_action_date?: number | null;
  /** The next step. */
  next_step?: string | null;
  /** Id of the member who owns the deal. */
  owner_id?: string | null;
  /** Email of the owner. */
  owner_email?: string | null;
  /** Outcome of its stage: `open`, `won` or `lost`. Null without a stage. */
  outcome?: 'open' | 'won' | 'lost' | null;
  /** When it entered its stage. Null without a stage. */
  stage_entered_at?: string | null;
  /** When it entered its stage, if that is won or lost; null while it is open. */
  closed_at?: string | null;
  /** Probability of its stage, in percent. */
  probability?: number | null;
  /** `amount` × `probability` ÷ 100, with all decimals. Null if one of them is null. */
  weighted_amount?: number | null;
  /** Whole seconds since `stage_entered_at`, at the time of the read. Only if `fields` names it. */
  seconds_in_stage?: number | null;
  /** Days from `created_at` to `closed_at`, with up to 8 decimals. Null while it is open. Only if `fields` names it. */
  days_to_close?: number | null;
  /** When it was created. */
  created_at?: string;
  /** When it last changed. */
  updated_at?: string;
  /** Increases with every change; the `ETag` begins with it. */
  version?: number;
  /** Domain of its account. */
  account_domain?: string | null;
  /** `external_id` of its account. */
  account_external_id?: string | null;
  /** Name of its account. */
  account_name?: string | null;
  /** Email of the primary contact. */
  contact_email?: string | null;
  /** `external_id` of the primary contact. */
  contact_external_id?: string | null;
  /** First name of the primary contact. */
  contact_first_name?: string | null;
  /** Last name of the primary contact. */
  contact_last_name?: string | null;
  /** Name of its pipeline. */
  pipeline_name?: string;
}

/** Two opportunities that a merge would give the same natural key. */
export interface OpportunityConflict {
  /** Id of the opportunity of the record `from`. */
  id: string;
  /** Id of the opportunity of the kept record. */
  existing_id: string;
  /** Pipeline of both. */
  pipeline_id: string;
  /** Name of both. */
  name: string;
}

/** One opportunity with every system field and visible custom field, unless `fields` narrows it. */
export interface OpportunityDetail {
  opportunity: Opportunity;
  /** Definitions of the custom fields in this response, by slug: the keys of each record’s `custom_fields`. */
  custom_field_definitions: Record<string, CustomFieldDefinition>;
  included?: Included;
}

/** A page of opportunities. */
export interface OpportunityPage {
  /** The records of this page. */
  opportunities: Array<Opportunity>;
  /** Definitions of the custom fields in this response, by slug: the keys of each record’s `custom_fields`. */
  custom_field_definitions: Record<string, CustomFieldDefinition>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** An option to create. */
export interface OptionInput {
  /** Display text. */
  label: string;
  /** Stored value. Default: the label. */
  value?: string | null;
  /** A color name, or `#rrggbb`. */
  color?: string | null;
}

/** Parameters of lists that have only pages. */
export interface PageQuery {
  /** `next_cursor` of the previous page. Valid only with the same query, filters, sort and limit. */
  cursor?: string;
  /** Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true. Default: 100. From 1 to 500. */
  limit?: number;
}

/** A record whose events wait. */
export interface ParkedRecord {
  /** Object of the record. */
  object: string;
  /** Id of the record. */
  record_id: string;
  /** Position of the first event that was not delivered. */
  position: number;
  /** How many times it was tried. */
  attempts: number;
  /** When it is tried again; null after the last try. */
  next_retry_at: string | null;
  /** Why the last try failed. */
  error: string | null;
}

/** A page of parked records. */
export interface ParkedRecordPage {
  /** The parked records of this page, sorted by position. */
  parked: Array<ParkedRecord>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** A sequence of stages that deals go through. */
export interface Pipeline {
  /** Id of the pipeline. */
  pipeline_id: string;
  /** Name. */
  name: string;
  /** Whether it accepts new deals; false if it is archived. */
  is_active: boolean;
  /** When it was created. */
  created_at: string;
}

/** A pipeline with its stages. */
export interface PipelineDetail {
  pipeline: Pipeline;
  /** Its stages, in order. */
  stages: Array<Stage>;
}

/** A page of pipelines. */
export interface PipelinePage {
  /** The records of this page. */
  pipelines: Array<Pipeline>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** The JSON Schema of the records of one kind. */
export interface RecordSchema {
  /** A JSON Schema (2020-12) of a record with all its fields: those of every organization, and under `custom_fields` the custom fields of this one, hidden ones included, archived ones left out. `x-attribute-type` is the type in the list of fields. */
  schema: Record<string, unknown>;
}

/** Account, contacts and owner of the deal, by their natural keys. */
export interface RelatedObjects {
  /** Emails of additional contacts, who are created if missing. */
  additional_contact_emails?: Array<string> | null;
  /** Email of the member who owns the deal. */
  owner_email?: string | null;
  /** Domain of the account, which is created if it is missing. */
  account_domain?: string | null;
  /** `external_id` of the account, which must exist. */
  account_external_id?: string | null;
  /** Email of the primary contact, who is created if missing. */
  primary_contact_email?: string | null;
  /** `external_id` of the primary contact, who must exist. */
  primary_contact_external_id?: string | null;
  /** `external_id`s of additional contacts, who must exist. They join those of `additional_contact_emails`. */
  additional_contact_external_ids?: Array<string> | null;
}

/** What happens to the deals of a member who is removed. */
export interface RemoveMemberQuery {
  /** `keep`: the deals keep their owner, who becomes a former member. */
  opportunities?: 'keep';
  /** The member who gets the deals; then the person is deleted. */
  reassign_to?: string;
}

export interface ReplayWebhook {
  /** Position of the first event to send again. */
  from: number;
  /** Position of the last one; by default only `from`. */
  to?: number;
}

export type RestorableObject = 'account' | 'opportunity';

/** The deletion to undo: by its position, or the last one of a record. */
export interface RestoreBody {
  /** Position of the `deleted` event in the change log. Instead, send `object` and `id`. */
  position?: number;
  /** The kind of the record. */
  object?: RestorableObject;
  /** Id of the record. */
  id?: string;
}

/** The restored record. */
export interface Restored {
  /** The kind of the record. */
  object: 'account' | 'opportunity';
  /** Id of the record, the same as before. */
  id: string;
  /** Its new version. */
  version: number;
}

/** Words, filters and sort of a search. */
export interface SearchBody {
  /** Only records that contain all of these words. At most 200 characters. */
  query?: string | null;
  /** Another name of `query`. */
  q?: string | null;
  /** A filter node. An array of nodes, which must all match, is accepted too. At most 50 conditions, nested up to 5 levels. */
  filters?: Filter | null;
  /** Up to 3 keys, the most significant first. One key alone, and keys as texts, "field" or "field:desc", are accepted too. Default: updated_at:desc. */
  sort?: Array<SortKey> | null;
  /** Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true. Default: 100. */
  limit?: number | null;
  /** `next_cursor` of the previous page. Valid only with the same query, filters, sort and limit. */
  cursor?: string | null;
  /** Fields to include: names of system fields, and slugs or `custom__<slug>` of custom fields. `custom_fields` stands for all visible custom fields, `default` for the fields of a search without `fields`. One text with names between commas is accepted too. */
  fields?: Array<string> | null;
}

/** Words, filters and sort of a search. */
export interface SearchOpportunitiesBody {
  /** Only opportunities of this pipeline. */
  pipeline_id?: string | null;
  /** Only opportunities in this stage. */
  stage_id?: string | null;
  /** Only opportunities of this person, as primary or as additional contact. */
  contact_id?: string | null;
  /** Only records that contain all of these words. At most 200 characters. */
  query?: string | null;
  /** Another name of `query`. */
  q?: string | null;
  /** A filter node. An array of nodes, which must all match, is accepted too. At most 50 conditions, nested up to 5 levels. */
  filters?: Filter | null;
  /** Up to 3 keys, the most significant first. One key alone, and keys as texts, "field" or "field:desc", are accepted too. Default: updated_at:desc. */
  sort?: Array<SortKey> | null;
  /** Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true. Default: 100. */
  limit?: number | null;
  /** `next_cursor` of the previous page. Valid only with the same query, filters, sort and limit. */
  cursor?: string | null;
  /** Fields to include: names of system fields, and slugs or `custom__<slug>` of custom fields. `custom_fields` stands for all visible custom fields, `default` for the fields of a search without `fields`. One text with names between commas is accepted too. */
  fields?: Array<string> | null;
}

export interface SkipWebhook {
  /** Position of the first event to give up. */
  from?: number;
  /** Position of the last one; by default only `from`. It may be beyond `position`, which then moves. */
  to?: number;
  /** True instead of positions: gives up the event that failed of each parked record. */
  parked?: boolean;
}

/** A webhook and how many of its events were given up. */
export interface SkippedEvents {
  webhook: Webhook;
  /** How many events were given up. */
  skipped_events: number;
}

export type SortDirection = 'asc' | 'desc';

/** One key of a sort. */
export interface SortKey {
  /** Any field with a single value. */
  field: string;
  /** Nulls come last in both directions. Default: asc. */
  direction?: SortDirection;
}

/** A step of a pipeline. */
export interface Stage {
  /** Id of the stage. */
  stage_id: string;
  /** Its pipeline. */
  pipeline_id: string;
  /** Display text: `stage_name` of an opportunity. */
  label: string;
  /** Position in the pipeline, from 1. */
  stage_order: number;
  /** Display colour. */
  color: string;
  /** Whether it is in use. */
  is_active: boolean;
  /** Whether new opportunities start here. */
  is_default: boolean;
  /** Chance of winning, in percent. */
  probability: number | null;
  /** Whether deals in it are open, won or lost. */
  outcome: 'open' | 'won' | 'lost';
}

/** A stage. */
export interface StageDetail {
  stage: Stage;
}

/** The stays in one stage that began in the period. */
export interface StageFigures {
  /** Id of the stage. */
  stage_id: string;
  /** Its label. */
  stage_name: string;
  /** Whether deals in it are open, won or lost. */
  outcome: 'open' | 'won' | 'lost';
  /** The number of stays. A deal that enters the stage twice has two. */
  entered: number;
  /** How many of them have ended. */
  left: number;
  /** Median length of the ended ones, in seconds; null if none has. */
  median_seconds: number | null;
  /** The 90th percentile of their lengths, in seconds. */
  p90_seconds: number | null;
  /** Where the ended ones went, the most frequent first. */
  moves: Array<StageMoves>;
}

/** A stage to create. */
export interface StageInput {
  /** Display text, unique in the pipeline. */
  label: string;
  /** A color name, or `#rrggbb`. */
  color?: string | null;
  /** Chance of winning, in percent. */
  probability?: number | null;
  /** Whether deals in it are open, won or lost. Default: open. */
  outcome?: StageOutcome | null;
  /** Whether new deals start here. */
  is_default?: boolean | null;
}

/** How many of the stays in a stage ended with a move to another one. */
export interface StageMoves {
  /** The next stage; null if the deal left for none, or was merged into another one. */
  stage_id: string | null;
  /** Its label; null without a stage, or if it was deleted since. */
  stage_name: string | null;
  /** The number of stays. */
  count: number;
  /** `count` divided by `entered`. */
  rate: number;
}

export type StageOutcome = 'open' | 'won' | 'lost';

/** A page of stages. */
export interface StagePage {
  /** The stages of this page, in order. */
  stages: Array<Stage>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** How deals went through the stages of a pipeline. */
export interface StageSummary {
  /** The stages of the pipeline in their order, archived ones too. */
  stages: Array<StageFigures>;
  /** The stays since this time are complete: the creation of the first deal; null without deals. */
  complete_from: string | null;
}

/** A pipeline and a period. */
export interface StageSummaryBody {
  /** The pipeline whose stages to summarize. */
  pipeline_id: string;
  /** Only stays that began at this time or later: RFC 3339, YYYY-MM-DD (UTC) or Unix milliseconds. */
  from?: number | string | null;
  /** Only stays that began before this time. A date is its first instant, in UTC. */
  to?: number | string | null;
}

/** A stay of a deal in a stage. */
export interface StageVisit {
  /** Id of the opportunity. */
  opportunity_id: string;
  /** Id of the stage. */
  stage_id: string;
  /** Label of the stage; null if it was deleted since. */
  stage_name: string | null;
  /** When the deal entered the stage. */
  entered_at: string;
  /** When it left the stage; null for the stage that it is in. */
  left_at: string | null;
  /** Id of the key whose request moved it into the stage; null if no request did. */
  api_key_id: string | null;
}

/** A page of the stays of a deal in stages. */
export interface StageVisitPage {
  /** The stays of this page, oldest first. */
  stages: Array<StageVisit>;
  /** The stays since this time are complete: the creation of the deal. */
  complete_from: string;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** The records to count, the groups and the measures. */
export interface SummarizeOpportunitiesBody {
  /** Only opportunities of this pipeline. */
  pipeline_id?: string | null;
  /** Only opportunities in this stage. */
  stage_id?: string | null;
  /** Only opportunities of this person, as primary or as additional contact. */
  contact_id?: string | null;
  /** Only records that contain all of these words. At most 200 characters. */
  query?: string | null;
  /** Another name of `query`. */
  q?: string | null;
  /** A filter node. An array of nodes, which must all match, is accepted too. At most 50 conditions, nested up to 5 levels. */
  filters?: Filter | null;
  /** What to group by: `stage_id`, `outcome`, `owner_id`, `pipeline_id`, `account_id`, `currency`, `industry`, `employee_range`, `is_freemail`, a select, radio or checkbox field, or a date with its unit, as in `close_date:month` (day, week, month, quarter or year). Also those of the account, as in `account.industry`. */
  group_by?: Array<string> | null;
  /** `sum:`, `avg:`, `min:`, `max:`, `median:` or `p90:` followed by a numeric field, as in `sum:amount`. `count` is always returned. At most 2 of `median:` and `p90:`. */
  measures?: Array<string> | null;
  /** Up to 3 keys, before `limit` cuts: `count`, or a measure or group as the request names it. One key alone, and keys as texts, "sum:amount:desc", are accepted too. Nulls come last. Default: count:desc. */
  sort?: Array<SummarySortKey> | null;
  /** The IANA time zone of the days, months and so on, such as `Europe/Berlin`. Default: UTC. Dates without a time stay on their day. */
  time_zone?: string | null;
  /** Maximum number of groups in the response, in the order of `sort`. Totals cover all groups. Default: 1000. */
  limit?: number | null;
}

/** Counts and measures of the matching records, by group. */
export interface Summary {
  /** The groups, in the order of `sort`. */
  groups: Array<SummaryGroup>;
  total: SummaryTotal;
  /** Totals per currency; empty without a measure of `amount`. */
  total_by_currency: Array<SummaryCurrencyTotal>;
  /** Whether there are more groups than `limit`. */
  truncated: boolean;
}

/** The records to count, the groups and the measures. */
export interface SummaryBody {
  /** Only records that contain all of these words. At most 200 characters. */
  query?: string | null;
  /** Another name of `query`. */
  q?: string | null;
  /** A filter node. An array of nodes, which must all match, is accepted too. At most 50 conditions, nested up to 5 levels. */
  filters?: Filter | null;
  /** What to group by: `stage_id`, `outcome`, `owner_id`, `pipeline_id`, `account_id`, `currency`, `industry`, `employee_range`, `is_freemail`, a select, radio or checkbox field, or a date with its unit, as in `close_date:month` (day, week, month, quarter or year). Also those of the account, as in `account.industry`. */
  group_by?: Array<string> | null;
  /** `sum:`, `avg:`, `min:`, `max:`, `median:` or `p90:` followed by a numeric field, as in `sum:amount`. `count` is always returned. At most 2 of `median:` and `p90:`. */
  measures?: Array<string> | null;
  /** Up to 3 keys, before `limit` cuts: `count`, or a measure or group as the request names it. One key alone, and keys as texts, "sum:amount:desc", are accepted too. Nulls come last. Default: count:desc. */
  sort?: Array<SummarySortKey> | null;
  /** The IANA time zone of the days, months and so on, such as `Europe/Berlin`. Default: UTC. Dates without a time stay on their day. */
  time_zone?: string | null;
  /** Maximum number of groups in the response, in the order of `sort`. Totals cover all groups. Default: 1000. */
  limit?: number | null;
}

/** Totals of all matching records with this currency. */
export interface SummaryCurrencyTotal {
  /** ISO 4217 code; null for records without one. */
  currency: string | null;
  /** Records. */
  count: number;
  /** A measure: a decimal number as a string. Exact, except that averages and days are rounded to 8 decimals. Null if no record has a value. */
  [key: `${'sum' | 'avg' | 'min' | 'max' | 'median' | 'p90'}:${string}`]: string | null;
}

/** The records with the same key. */
export interface SummaryGroup {
  /** The values of the group, by the names in `group_by`; null for records without a value. A date is the first day of its unit. `currency` is added if a measure uses `amount` or `weighted_amount`. */
  key: Record<string, string | boolean | null>;
  /** The same values as display texts; null if there is none. */
  label: Record<string, string | null>;
  /** Records. */
  count: number;
  /** A measure: a decimal number as a string. Exact, except that averages and days are rounded to 8 decimals. Null if no record has a value. */
  [key: `${'sum' | 'avg' | 'min' | 'max' | 'median' | 'p90'}:${string}`]: string | null;
}

/** One key of the sort of groups. */
export interface SummarySortKey {
  /** `count`, or a measure or group as the request names it. */
  field: string;
  /** Nulls come last in both directions. Default: asc. */
  direction?: SortDirection;
}

/** Totals of all matching records. A measure of `amount` is null if the amounts have several currencies. */
export interface SummaryTotal {
  /** Records. */
  count: number;
  /** A measure: a decimal number as a string. Exact, except that averages and days are rounded to 8 decimals. Null if no record has a value. */
  [key: `${'sum' | 'avg' | 'min' | 'max' | 'median' | 'p90'}:${string}`]: string | null;
}

/** A message that tests a webhook. */
export interface TestMessage {
  /** Always `webhook.test`. */
  type: 'webhook.test';
  /** When the test was sent. */
  timestamp: string;
  /** What was tested. */
  data: {
    /** Id of the webhook. */
    webhook_id: string;
  };
}

/** A change of a record, without its values. */
export interface ThinEvent {
  /** Id of the event. */
  id: string;
  /** Id of this log. It changes when the database is restored from a backup, a replica is promoted or `pg_upgrade` is run: then copy all records again. */
  log_id: string;
  /** Its number in the organization: 1, 2, 3 … without gaps, in commit order. */
  position: number;
  /** What happened. */
  type:
    | 'opportunity.created'
    | 'opportunity.updated'
    | 'opportunity.deleted'
    | 'opportunity.merged'
    | 'opportunity.restored'
    | 'account.created'
    | 'account.updated'
    | 'account.deleted'
    | 'account.merged'
    | 'account.restored'
    | 'contact.created'
    | 'contact.updated'
    | 'contact.deleted'
    | 'contact.merged'
    | 'contact.restored'
    | 'note.created'
    | 'note.updated'
    | 'note.deleted'
    | 'note.restored';
  /** The kind of the changed record. */
  object: 'opportunity' | 'account' | 'contact' | 'note';
  /** Id of the changed record. */
  record_id: string;
  /** Version of the record after the change. */
  version: number;
  /** When the change was made. */
  occurred_at: string;
  /** Names of the changed fields; a custom field is `custom_fields.<slug>`. */
  changed: Array<string>;
  /** Of a `deleted` event: id of the record that the deleted one was merged into; null if it was not merged. */
  merged_into: string | null;
  /** Of a `merged` event: id of the record that was merged into this one, and deleted. */
  merged_from: string | null;
}

/** A message with an event, without values. */
export interface ThinEventMessage {
  /** The type of the event. */
  type:
    | 'opportunity.created'
    | 'opportunity.updated'
    | 'opportunity.deleted'
    | 'opportunity.merged'
    | 'opportunity.restored'
    | 'account.created'
    | 'account.updated'
    | 'account.deleted'
    | 'account.merged'
    | 'account.restored'
    | 'contact.created'
    | 'contact.updated'
    | 'contact.deleted'
    | 'contact.merged'
    | 'contact.restored'
    | 'note.created'
    | 'note.updated'
    | 'note.deleted'
    | 'note.restored';
  /** When the change was made. */
  timestamp: string;
  /** Id of this log. It changes when the database is restored from a backup, a replica is promoted or `pg_upgrade` is run: then copy all records again. */
  log_id: string;
  data: ThinEvent;
}

/** Changes to an account. Absent fields stay; `null` clears a field. */
export interface UpdateAccountBody {
  /** Company domain: the natural key of an account. */
  domain?: string;
  /** Name. By default, a new account is named after its domain. */
  name?: string | null;
  /** Id in another system, unique among records of this kind and case-sensitive. A create finds the record by it. */
  external_id?: string | null;
  /** Industry. */
  industry?: string | null;
  /** Description. */
  description?: string | null;
  /** Website. */
  website?: string | null;
  /** Number of employees, as a range. */
  employee_range?: string | null;
  /** Custom field values by slug, such as `{"deal_tier": "enterprise"}` if the object has a field `deal_tier`. Values are never coerced; `null` clears on updates. */
  custom_fields?: Record<string, unknown>;
  /** A custom field value under its `property_name`. */
  [key: `custom__${string}`]: unknown;
}

/** Changes to the account with this id. */
export interface UpdateAccountItem {
  /** Id of the record to change. */
  id: string;
  /** Apply the change only if the record has this version. */
  version?: number;
  /** Company domain: the natural key of an account. */
  domain?: string;
  /** Name. By default, a new account is named after its domain. */
  name?: string | null;
  /** Id in another system, unique among records of this kind and case-sensitive. A create finds the record by it. */
  external_id?: string | null;
  /** Industry. */
  industry?: string | null;
  /** Description. */
  description?: string | null;
  /** Website. */
  website?: string | null;
  /** Number of employees, as a range. */
  employee_range?: string | null;
  /** Custom field values by slug, such as `{"deal_tier": "enterprise"}` if the object has a field `deal_tier`. Values are never coerced; `null` clears on updates. */
  custom_fields?: Record<string, unknown>;
  /** A custom field value under its `property_name`. */
  [key: `custom__${string}`]: unknown;
}

/** Changes to a contact. Absent fields stay; `null` clears a field. A new email moves the contact to the account of its domain. */
export interface UpdateContactBody {
  /** First name. */
  first_name?: string | null;
  /** Last name. */
  last_name?: string | null;
  /** Email: the natural key of a contact. */
  email?: string;
  /** Id in another system, unique among records of this kind and case-sensitive. A create finds the record by it. */
  external_id?: string | null;
  /** Job title. */
  job_title?: string | null;
  /** Phone number. */
  phone?: string | null;
  /** Domain of its account, which is created if it is missing. By default that of the email. */
  account_domain?: string | null;
  /** `external_id` of its account, which must exist. By default, the account is that of the email. */
  account_external_id?: string | null;
  /** Custom field values by slug, such as `{"deal_tier": "enterprise"}` if the object has a field `deal_tier`. Values are never coerced; `null` clears on updates. */
  custom_fields?: Record<string, unknown>;
  /** A custom field value under its `property_name`. */
  [key: `custom__${string}`]: unknown;
}

/** Changes to the contact with this id. */
export interface UpdateContactItem {
  /** Id of the record to change. */
  id: string;
  /** Apply the change only if the record has this version. */
  version?: number;
  /** First name. */
  first_name?: string | null;
  /** Last name. */
  last_name?: string | null;
  /** Email: the natural key of a contact. */
  email?: string;
  /** Id in another system, unique among records of this kind and case-sensitive. A create finds the record by it. */
  external_id?: string | null;
  /** Job title. */
  job_title?: string | null;
  /** Phone number. */
  phone?: string | null;
  /** Domain of its account, which is created if it is missing. By default that of the email. */
  account_domain?: string | null;
  /** `external_id` of its account, which must exist. By default, the account is that of the email. */
  account_external_id?: string | null;
  /** Custom field values by slug, such as `{"deal_tier": "enterprise"}` if the object has a field `deal_tier`. Values are never coerced; `null` clears on updates. */
  custom_fields?: Record<string, unknown>;
  /** A custom field value under its `property_name`. */
  [key: `custom__${string}`]: unknown;
}

export interface UpdateField {
  /** New display name. */
  current_name?: string;
  /** Whether reads leave it out unless `fields` names it. */
  is_hidden?: boolean;
  /** False archives it: requests that name it are refused, and its values stay. True restores it. */
  is_active?: boolean;
  /** Currency fields: ISO 4217 code. */
  currency?: string | null;
  /** With a new `currency`, of a field that has values: the numbers stay and become amounts in it. */
  reinterpret_values?: boolean;
  /** Rating fields: the highest value. */
  max?: number | null;
  /** Position in the list, from 1. */
  position?: number;
}

export interface UpdateMember {
  /** New email of the person. */
  email?: string;
  /** Name; not blank. */
  name?: string;
  /** True makes a former member a member again. */
  is_active?: boolean;
}

/** Changes to a note. A title or a content must remain. */
export interface UpdateNoteBody {
  /** The changes. Absent texts stay; `null` clears a text. */
  note: {
    /** Title. */
    title?: string | null;
    /** Text. */
    content?: string | null;
  };
}

/** Changes to an opportunity. Absent fields stay; `null` clears a field; a list of contacts replaces the old list. */
export interface UpdateOpportunityBody {
  /** The changes of the deal. Absent fields stay; `null` clears a field. The pipeline cannot change. */
  opportunity?: {
    /** Name of the deal, not blank: part of its natural key, together with account and pipeline. */
    name?: string;
    /** A stage of the pipeline. A new deal without one starts in the default stage. */
    stage_id?: string | null;
    /** Label of the stage, for `stage_id`. Case, invisible characters and the amount of white space do not count. */
    stage?: string | null;
    /** Id in another system, unique among records of this kind and case-sensitive. A create finds the record by it. */
    external_id?: string | null;
    /** A number with at most 15 digits, including up to 4 decimals. Reads return it as `amount`. */
    deal_size?: number | null;
    /** Another name of `deal_size`. */
    amount?: number | null;
    /** Currency of `deal_size`: an ISO 4217 code in capital letters. */
    currency?: string | null;
    /** When it is expected to close: Unix milliseconds, YYYY-MM-DD (UTC) or RFC 3339. */
    close_date?: number | string | null;
    /** When the next action is due: like `close_date`. */
    next_action_date?: number | string | null;
    /** The next step. */
    next_step?: string | null;
    /** Another name of `next_step`. */
    next_steps?: string | null;
    /** Custom field values by slug, such as `{"deal_tier": "enterprise"}` if the object has a field `deal_tier`. Values are never coerced; `null` clears on updates. */
    custom_fields?: Record<string, unknown>;
    /** A custom field value under its `property_name`. */
    [key: `custom__${string}`]: unknown;
  };
  related_objects?: RelatedObjects;
}

/** Changes to the opportunity with this id. */
export interface UpdateOpportunityItem {
  /** Id of the record to change. */
  id: string;
  /** Apply the change only if the record has this version. */
  version?: number;
  /** The changes of the deal. Absent fields stay; `null` clears a field. The pipeline cannot change. */
  opportunity?: {
    /** Name of the deal, not blank: part of its natural key, together with account and pipeline. */
    name?: string;
    /** A stage of the pipeline. A new deal without one starts in the default stage. */
    stage_id?: string | null;
    /** Label of the stage, for `stage_id`. Case, invisible characters and the amount of white space do not count. */
    stage?: string | null;
    /** Id in another system, unique among records of this kind and case-sensitive. A create finds the record by it. */
    external_id?: string | null;
    /** A number with at most 15 digits, including up to 4 decimals. Reads return it as `amount`. */
    deal_size?: number | null;
    /** Another name of `deal_size`. */
    amount?: number | null;
    /** Currency of `deal_size`: an ISO 4217 code in capital letters. */
    currency?: string | null;
    /** When it is expected to close: Unix milliseconds, YYYY-MM-DD (UTC) or RFC 3339. */
    close_date?: number | string | null;
    /** When the next action is due: like `close_date`. */
    next_action_date?: number | string | null;
    /** The next step. */
    next_step?: string | null;
    /** Another name of `next_step`. */
    next_steps?: string | null;
    /** Custom field values by slug, such as `{"deal_tier": "enterprise"}` if the object has a field `deal_tier`. Values are never coerced; `null` clears on updates. */
    custom_fields?: Record<string, unknown>;
    /** A custom field value under its `property_name`. */
    [key: `custom__${string}`]: unknown;
  };
  related_objects?: RelatedObjects;
}

export interface UpdateOption {
  /** Stored value of the option. */
  value: string;
  /** New display text. */
  label?: string;
  /** A color name, or `#rrggbb`. */
  color?: string | null;
  /** Position in the list, from 1. */
  position?: number;
  /** False archives it: it can still be read but no longer written. True restores it. */
  is_active?: boolean;
}

export interface UpdatePipeline {
  /** New name, unique in the organization. */
  name?: string;
  /** Position in the list, from 1. */
  position?: number;
  /** False archives it: it keeps its deals and accepts no new ones. True restores it. */
  is_active?: boolean;
}

export interface UpdateStage {
  /** New display text, unique in the pipeline. */
  label?: string;
  /** A color name, or `#rrggbb`. */
  color?: string | null;
  /** Chance of winning, in percent. */
  probability?: number | null;
  /** Whether deals in it are open, won or lost. */
  outcome?: StageOutcome;
  /** Position in the list, from 1. */
  position?: number;
  /** Whether new deals start here. */
  is_default?: boolean;
  /** False archives it, true restores it. */
  is_active?: boolean;
  /** With `is_active: false`: the stage of the same pipeline that gets its deals. */
  move_opportunities_to?: string | null;
}

export interface UpdateWebhook {
  /** Where events are posted: `https`, port 443 or 8443, at a public address. The operator can allow private networks, with any scheme and port. */
  url?: string;
  /** A note for people. */
  description?: string | null;
  /** Only events of these objects; empty for all. */
  objects?: Array<EventObject>;
  /** Only events of these types; empty for all. */
  types?: Array<EventType>;
  /** Of the `updated` events, only those that changed one of these fields; empty for all. All other events pass. Names as in `changed` of events, or slugs or `custom__<slug>` of custom fields. */
  changed?: Array<string>;
  /** `full`: the event as in `GET /v1/events`. `thin`: only which record and which fields changed, without any value. */
  payload?: WebhookPayload;
  /** `active` also continues a disabled webhook. */
  state?: WebhookState;
}

/** A value in the request that was not applied, or that may be a mistake. */
export interface Warning {
  /** Dotted path of the field. */
  field: string;
  /** Why it was not applied. */
  message: string;
}

/** A receiver of events. */
export type Webhook = {
  /** Id of the webhook. */
  webhook_id: string;
  /** Where events are posted: `https`, port 443 or 8443, at a public address. The operator can allow private networks, with any scheme and port. */
  url: string;
  /** A note for people. */
  description: string | null;
  /** Only events of these objects; empty for all. */
  objects: Array<'opportunity' | 'account' | 'contact' | 'note'>;
  /** Only events of these types; empty for all. */
  types: Array<
    | 'opportunity.created'
    | 'opportunity.updated'
    | 'opportunity.deleted'
    | 'opportunity.merged'
    | 'opportunity.restored'
    | 'account.created'
    | 'account.updated'
    | 'account.deleted'
    | 'account.merged'
    | 'account.restored'
    | 'contact.created'
    | 'contact.updated'
    | 'contact.deleted'
    | 'contact.merged'
    | 'contact.restored'
    | 'note.created'
    | 'note.updated'
    | 'note.deleted'
    | 'note.restored'
  >;
  /** Of the `updated` events, only those that changed one of these fields; empty for all. All other events pass. */
  changed: Array<string>;
  /** `full`: the event as in `GET /v1/events`. `thin`: only which record and which fields changed, without any value. */
  payload: 'full' | 'thin';
  /** `disabled`: the worker stopped, see `state_reason`. `active` continues from `position`. */
  state: 'active' | 'paused' | 'disabled';
  /** Why the worker disabled the webhook. */
  state_reason: string | null;
  /** True after the first tries of five records failed and none succeeded since. The worker then sends one new record at a time. */
  is_failing: boolean;
  /** All events up to this position are delivered, filtered out or parked. */
  position: number;
  /** Position of the newest event of the organization. */
  last_position: number;
  /** How many records have an event that was not delivered. Their later events wait for it. */
  parked_records: number;
  /** When the worker tries again, if it waits: for a retry, or because the receiver asked; else null. */
  next_retry_at: string | null;
  /** The replay in progress; null if there is none. */
  replay: {
    /** Last position sent. */
    position: number;
    /** Last position to send. */
    to: number;
  } | null;
  /** Until when the secret before the last rotation signs too. */
  previous_secret_until: string | null;
  /** When the webhook was created. */
  created_at: string;
  /** When it was last changed through the API. */
  updated_at: string;
};

/** A failed attempt, or deliveries. */
export interface WebhookAttempt {
  /** Id of the entry. */
  attempt_id: string;
  /** `deferred`: the receiver asked to wait, which charges no try. `expired`: retention deleted these events before they were delivered; for a record, at least one. `skipped`: a caller gave them up. */
  outcome: 'delivered' | 'failed' | 'deferred' | 'expired' | 'skipped';
  /** Type of the event, or `webhook.test`. */
  type: string | null;
  /** Object of the event. */
  object: string | null;
  /** Id of the record. */
  record_id: string | null;
  /** Position of the first event. */
  first_position: number | null;
  /** Position of the last event. */
  last_position: number | null;
  /** The number of events. */
  events: number;
  /** Which try this was, from 1. */
  attempt: number | null;
  /** HTTP status of the answer; null if none arrived. With an incomplete body, the attempt failed. */
  status: number | null;
  /** Why it failed. */
  error: string | null;
  /** The beginning of the answer, at most 1 KB. */
  response: string | null;
  /** How long the try took. */
  duration_ms: number | null;
  /** When it happened. */
  occurred_at: string;
}

/** A page of attempts. */
export interface WebhookAttemptPage {
  /** The attempts of this page, newest first. */
  attempts: Array<WebhookAttempt>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

/** A webhook. */
export interface WebhookDetail {
  webhook: Webhook;
}

/** A page of webhooks. */
export interface WebhookPage {
  /** The webhooks of this page, sorted by id. */
  webhooks: Array<Webhook>;
  /** Whether another page exists. */
  has_more: boolean;
  /** Send it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** The page size used. */
  limit: number;
}

export type WebhookPayload = 'full' | 'thin';

/** A webhook and its secret. */
export interface WebhookSecret {
  webhook: Webhook;
  /** Signs the messages, as Standard Webhooks describes. It is shown only in this response. */
  secret: string;
}

export type WebhookState = 'active' | 'paused';
