import { bulkBodyBytes } from '../bounds.js';
import type { OperationContract } from '../operation.js';
import { BulkCreateQuery, BulkQuery, BulkResults } from '../schemas/bulk.js';
import { Deleted } from '../schemas/deleted.js';
import { DuplicatePage } from '../schemas/duplicate.js';
import { FieldPage } from '../schemas/field.js';
import { ContactDetail, ContactPage } from '../schemas/contact.js';
import {
  BulkCreateContactsBody,
  BulkUpdateContactsBody,
  CreateContactBody,
  CreatedContact,
  UpdateContactBody,
  UpdateContactItem,
} from '../schemas/contact-write.js';
import { closed, EmailInput } from '../schemas/input.js';
import { MergeBody, Merged } from '../schemas/merge.js';
import { SearchBody } from '../schemas/search.js';
import { Summary, SummaryBody } from '../schemas/summary.js';
import {
  createHeaders,
  FieldsQuery,
  idParams,
  ListQuery,
  idempotentWriteHeaders,
  OnMatchQuery,
  PageQuery,
  recordHeaders,
  updateHeaders,
  writeExtra,
  writeHeaders,
} from './shared.js';

/** `GET /v1/contacts` */
export const listContacts = {
  id: 'listContacts',
  gateway: 'read',
  method: 'get',
  path: '/v1/contacts',
  group: 'list',
  tag: 'Contacts',
  summary: 'List contacts',
  description: 'Pages through the contacts, newest first.',
  query: ListQuery,
  data: ContactPage,
} as const satisfies OperationContract;

/** `POST /v1/contacts/search` */
export const searchContacts = {
  id: 'searchContacts',
  gateway: 'read',
  method: 'post',
  path: '/v1/contacts/search',
  group: 'search',
  tag: 'Contacts',
  summary: 'Search contacts',
  description: 'Pages through the contacts that match words and filters, sorted.',
  body: SearchBody,
  data: ContactPage,
} as const satisfies OperationContract;

/** `POST /v1/contacts/summary` */
export const summarizeContacts = {
  id: 'summarizeContacts',
  gateway: 'read',
  method: 'post',
  path: '/v1/contacts/summary',
  group: 'search',
  tag: 'Contacts',
  summary: 'Summarize contacts',
  description:
    'Counts the contacts that match words and filters and computes sums, averages, minimums and maximums, ' +
    'grouped by up to two fields.',
  body: SummaryBody,
  data: Summary,
} as const satisfies OperationContract;

/** `GET /v1/contacts/duplicates` */
export const listContactDuplicates = {
  id: 'listContactDuplicates',
  gateway: 'read',
  method: 'get',
  path: '/v1/contacts/duplicates',
  group: 'search',
  tag: 'Contacts',
  summary: 'List contacts that may be duplicates',
  description: 'Pages through contacts that may be duplicates of older ones, with the reasons.',
  query: PageQuery,
  data: DuplicatePage,
} as const satisfies OperationContract;

/** `GET /v1/contacts/fields` */
export const listContactFields = {
  id: 'listContactFields',
  gateway: 'read',
  method: 'get',
  path: '/v1/contacts/fields',
  group: 'list',
  tag: 'Fields',
  summary: 'List the fields of contacts',
  description: 'Pages through the system and custom fields of contacts.',
  query: PageQuery,
  data: FieldPage,
} as const satisfies OperationContract;

/** `GET /v1/contacts/{id}` */
export const getContact = {
  id: 'getContact',
  gateway: 'read',
  method: 'get',
  path: '/v1/contacts/{id}',
  group: 'list',
  tag: 'Contacts',
  summary: 'Get a contact',
  description: 'Returns one contact with every system field and visible custom field, unless `fields` narrows it.',
  params: idParams('contact'),
  query: FieldsQuery,
  data: ContactDetail,
  errors: [404],
  headers: recordHeaders,
} as const satisfies OperationContract;

/** `GET /v1/contacts/by-email/{email}` */
export const getContactByEmail = {
  id: 'getContactByEmail',
  gateway: 'read',
  method: 'get',
  path: '/v1/contacts/by-email/{email}',
  group: 'list',
  tag: 'Contacts',
  summary: 'Get a contact by its email',
  description: 'Returns the contact that a create with this email would find, in the same form as the get by id.',
  params: closed({ email: EmailInput('Email of the contact; normalized as on creation.') }, {}),
  query: FieldsQuery,
  data: ContactDetail,
  errors: [404],
  headers: recordHeaders,
} as const satisfies OperationContract;

/** `POST /v1/inbound/contacts` */
export const createContact = {
  id: 'createContact',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/contacts',
  group: 'inbound',
  tag: 'Contacts',
  summary: 'Create a contact',
  description:
    'Creates a contact, and the account of the email’s domain if it is missing. If a contact has the email or ' +
    '`external_id`, it is returned instead and its missing names are filled in.',
  query: OnMatchQuery,
  body: CreateContactBody,
  data: CreatedContact,
  extra: writeExtra,
  errors: [409, 422],
  headers: createHeaders,
} as const satisfies OperationContract;

/** `PATCH /v1/inbound/contacts/{id}` */
export const updateContact = {
  id: 'updateContact',
  gateway: 'inbound',
  method: 'patch',
  path: '/v1/inbound/contacts/{id}',
  group: 'inbound',
  tag: 'Contacts',
  summary: 'Update a contact',
  description:
    'Changes a contact and returns the whole record. Absent fields keep their values; `null` clears a field.',
  params: idParams('contact'),
  body: UpdateContactBody,
  data: ContactDetail,
  extra: writeExtra,
  errors: [404, 409, 412],
  headers: updateHeaders,
} as const satisfies OperationContract;

/** `DELETE /v1/inbound/contacts/{id}` */
export const deleteContact = {
  id: 'deleteContact',
  gateway: 'inbound',
  method: 'delete',
  path: '/v1/inbound/contacts/{id}',
  group: 'delete',
  tag: 'Contacts',
  summary: 'Delete a contact',
  description:
    'Deletes a contact and erases its data permanently. Its opportunities and notes stay. A large deletion may answer 503 with ' +
    '`Retry-After`: repeat the request to continue it.',
  params: idParams('contact'),
  data: Deleted,
  errors: [404, 412],
  headers: writeHeaders,
} as const satisfies OperationContract;

/** `POST /v1/inbound/contacts/{id}/merge` */
export const mergeContact = {
  id: 'mergeContact',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/contacts/{id}/merge',
  group: 'delete',
  tag: 'Contacts',
  summary: 'Merge a contact into this one',
  description:
    'Moves the opportunities and notes of `from` to this contact, fills the empty fields of this contact and ' +
    'deletes `from`. The email of `from` becomes an alias of this contact.',
  params: idParams('contact'),
  body: MergeBody,
  data: Merged,
  errors: [404, 409, 412, 422],
  headers: idempotentWriteHeaders,
} as const satisfies OperationContract;

/** `POST /v1/inbound/contacts/bulk` */
export const bulkCreateContacts = {
  id: 'bulkCreateContacts',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/contacts/bulk',
  group: 'bulk',
  tag: 'Contacts',
  summary: 'Create many contacts',
  description: 'Creates up to 100 contacts, each as a single create would.',
  query: BulkCreateQuery,
  body: BulkCreateContactsBody,
  item: CreateContactBody,
  maxBodyBytes: bulkBodyBytes,
  data: BulkResults,
  errors: [409, 422],
  headers: idempotentWriteHeaders,
} as const satisfies OperationContract;

/** `PATCH /v1/inbound/contacts/bulk` */
export const bulkUpdateContacts = {
  id: 'bulkUpdateContacts',
  gateway: 'inbound',
  method: 'patch',
  path: '/v1/inbound/contacts/bulk',
  group: 'bulk',
  tag: 'Contacts',
  summary: 'Update many contacts',
  description: 'Changes up to 50 contacts, each as a single update would.',
  query: BulkQuery,
  body: BulkUpdateContactsBody,
  item: UpdateContactItem,
  maxBodyBytes: bulkBodyBytes,
  data: BulkResults,
  headers: writeHeaders,
} as const satisfies OperationContract;
