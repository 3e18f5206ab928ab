import { Type, type Static } from 'typebox';
import { instant, nullable, uuid } from './build.js';
import { CustomFieldDefinitions, CustomFields } from './custom-field.js';
import { exampleIds } from './example-ids.js';
import { pageProperties } from './pagination.js';

const exampleRecord = {
  id: exampleIds.contact,
  name: 'Ada Lovelace',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@acme.com',
  account_id: exampleIds.account,
  custom_fields: {},
};

/** A contact in lists, searches and gets. */
export const Contact = Type.Object(
  {
    id: uuid('Id of the contact.', 'contact'),
    name: nullable(
      Type.String({ description: 'First and last name; null if it has neither.', examples: ['Ada Lovelace'] }),
    ),
    first_name: nullable(Type.String({ description: 'First name.', examples: ['Ada'] })),
    last_name: nullable(Type.String({ description: 'Last name.', examples: ['Lovelace'] })),
    email: Type.String({ format: 'email', description: 'Email: its natural key.', examples: ['ada@acme.com'] }),
    account_id: nullable(uuid('Its account.', 'account')),
    custom_fields: CustomFields,
    external_id: Type.Optional(
      nullable(Type.String({ description: 'Its id in another system.', examples: ['SF-0012'] })),
    ),
    job_title: Type.Optional(nullable(Type.String({ description: 'Job title.', examples: ['Head of Procurement'] }))),
    phone: Type.Optional(nullable(Type.String({ description: 'Phone number.', examples: ['+14155550123'] }))),
    created_at: Type.Optional(instant('When it was created.')),
    updated_at: Type.Optional(instant('When it last changed.')),
    version: Type.Optional(
      Type.Integer({ description: 'Increases with every change; also the `ETag`.', examples: [1] }),
    ),
  },
  { title: 'Contact', description: 'A person.', examples: [exampleRecord] },
);
export type Contact = Static<typeof Contact>;

/** `data` of a page of contacts. */
export const ContactPage = Type.Object(
  {
    contacts: Type.Array(Contact, { description: 'The records of this page.' }),
    custom_field_definitions: CustomFieldDefinitions,
    ...pageProperties,
  },
  {
    title: 'ContactPage',
    description: 'A page of contacts.',
    examples: [
      { contacts: [exampleRecord], custom_field_definitions: {}, has_more: false, next_cursor: null, limit: 100 },
    ],
  },
);
export type ContactPage = Static<typeof ContactPage>;

/** `data` of one contact. */
export const ContactDetail = Type.Object(
  { contact: Contact, custom_field_definitions: CustomFieldDefinitions },
  {
    title: 'ContactDetail',
    description: 'One contact with every system field and visible custom field, unless `fields` narrows it.',
    examples: [
      {
        contact: { ...exampleRecord, job_title: null, created_at: '2026-03-02T09:30:00.000Z', version: 1 },
        custom_field_definitions: {},
      },
    ],
  },
);
export type ContactDetail = Static<typeof ContactDetail>;
