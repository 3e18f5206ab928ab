import { ContactDetail, ContactPage } from '../schemas/contact.js';
import {
  BulkCreateContactsBody,
  BulkUpdateContactsBody,
  CreateContactBody,
  CreatedContact,
  UpdateContactBody,
  UpdateContactItem,
} from '../schemas/contact-write.js';
import { EmailInput } from '../schemas/input.js';
import { SearchBody } from '../schemas/search.js';
import { SummaryBody } from '../schemas/summary.js';
import { getByKeyOf, mergeOf, readOperationsOf, writeOperationsOf } from './object-operations.js';
import { FieldsListQuery, ListQuery } from './shared.js';

const names = { one: 'contact', a: 'a contact', many: 'contacts' } as const;

/** The reads of contacts. */
export const {
  list: listContacts,
  search: searchContacts,
  summarize: summarizeContacts,
  duplicates: listContactDuplicates,
  fields: listContactFields,
  get: getContact,
  history: listContactHistory,
} = readOperationsOf(
  names,
  {
    listQuery: ListQuery,
    fieldsQuery: FieldsListQuery,
    searchBody: SearchBody,
    summaryBody: SummaryBody,
    page: ContactPage,
    detail: ContactDetail,
  },
  { summary: 'List contacts', description: 'Pages through the contacts, newest first.' },
);

/** `GET /v1/contacts/by-email/{email}` */
export const getContactByEmail = getByKeyOf(
  names,
  'email',
  { email: EmailInput('Email of the contact; normalized as on creation.') },
  ContactDetail,
);

/** The writes of contacts. */
export const {
  create: createContact,
  update: updateContact,
  delete: deleteContact,
  bulkCreate: bulkCreateContacts,
  bulkUpdate: bulkUpdateContacts,
} = writeOperationsOf(
  names,
  {
    create: CreateContactBody,
    created: CreatedContact,
    update: UpdateContactBody,
    updateItem: UpdateContactItem,
    bulkCreate: BulkCreateContactsBody,
    bulkUpdate: BulkUpdateContactsBody,
    detail: ContactDetail,
    extra: {},
  },
  {
    create: {
      summary: 'Create a contact',
      description:
        'Creates a contact, and the account of the email’s domain if it is missing. If a contact has the email or ' +
        '`external_id`, it is returned instead and its missing names are filled in.',
    },
    delete:
      'Deletes a contact and erases its data permanently. Its opportunities and notes stay. A large deletion may answer ' +
      '503 with `Retry-After`: repeat the request to continue it.',
  },
  { create: [409, 422], delete: [404, 412] },
);

/** `POST /v1/inbound/contacts/{id}/merge` */
export const mergeContact = mergeOf(names, 'email', 'opportunities and notes');
