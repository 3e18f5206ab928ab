import { contact } from '@crm/domain';
import { nullable, responseObject, text, uuid } from '../schemas/build.js';
import { exampleIds } from '../schemas/example-ids.js';
import { EmailInput } from '../schemas/input.js';
import { bodySchemas, flatBodies, responseSchemas } from '../schemas/object-schemas.js';
import {
  getByKeyOf,
  mergeOf,
  readOperationsOf,
  schemasWithoutPipeline,
  writeOperationsOf,
} from './object-operations.js';

const names = { first_name: 'Ada', last_name: 'Lovelace' };

const { page, detail } = responseSchemas(contact);

const bodies = bodySchemas(contact, flatBodies(contact), {
  create: {
    description: 'A person. The account of the email’s domain is created if it is missing.',
    examples: [{ email: 'ada@acme.com', ...names }],
  },
  update: {
    description:
      'Changes to a contact. Absent fields stay; `null` clears a field. A new email moves the contact to the ' +
      'account of its domain.',
    examples: [{ job_title: 'Chief Procurement Officer', phone: null }],
  },
  createItems: [{ email: 'ada@acme.com' }, { email: 'grace@acme.com' }],
  updateItems: [{ id: exampleIds.contact, version: 1, phone: null }],
});

const created = responseObject('CreatedContact', 'The contact that the call created or found.', {
  people_id: uuid('Id of the contact.', 'contact'),
  email: text('Its email, normalized.', 'ada@acme.com', { format: 'email' }),
  first_name: nullable(text('First name; null if it has none.', 'Ada')),
  last_name: nullable(text('Last name; null if it has none.', 'Lovelace')),
  account_id: nullable(uuid('Id of its account; null if it has none.', 'account')),
  contact_id: uuid('The same as `people_id`.', 'contact'),
});

/** The reads of contacts, as every object has them. */
export const contactReads = readOperationsOf(
  contact,
  { ...schemasWithoutPipeline('contact'), page, detail },
  { summary: 'List contacts', description: 'Pages through the contacts, newest first.' },
);
export const {
  list: listContacts,
  search: searchContacts,
  summarize: summarizeContacts,
  duplicates: listContactDuplicates,
  fields: listContactFields,
  schema: getContactSchema,
  get: getContact,
  history: listContactHistory,
} = contactReads;

/** `GET /v1/contacts/by-email/{email}` */
export const getContactByEmail = getByKeyOf(
  contact,
  'email',
  { email: EmailInput('Email of the contact; normalized as on creation.') },
  detail,
);

/** The writes of contacts. */
export const {
  create: createContact,
  update: updateContact,
  delete: deleteContact,
  bulkCreate: bulkCreateContacts,
  bulkUpdate: bulkUpdateContacts,
} = writeOperationsOf(
  contact,
  bodies,
  { created, detail },
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
export const mergeContact = mergeOf(contact, 'email', 'opportunities and notes');
