import { Type, type Static } from 'typebox';
import { bulkCreateItems, bulkUpdateItems, nameLength } from '../bounds.js';
import { checkedAs, nullable, optional, uuid } from './build.js';
import { bulkBody, bulkTarget } from './bulk.js';
import { CustomFieldInput } from './custom-field.js';
import { exampleIds } from './example-ids.js';
import { closedWithCustom, EmailInput, ExternalId, requiredWithoutExternalId, ShortText } from './input.js';

const email = EmailInput('Email: the natural key of a contact.');
const emailOrExternalId = EmailInput(
  'Email: the natural key of a contact. Optional if a contact has the `external_id`.',
);

/** The fields of a contact that a create or update can set besides its email. */
const writableFields = {
  external_id: ExternalId,
  first_name: optional(ShortText('First name.', 'Ada')),
  last_name: optional(ShortText('Last name.', 'Lovelace')),
  job_title: optional(ShortText('Job title.', 'Head of Procurement')),
  phone: optional(
    Type.String({
      maxLength: nameLength,
      description: 'Phone number.',
      examples: ['+14155550123'],
      ...checkedAs('phone'),
    }),
  ),
};

/** The body that creates a contact. */
export const CreateContactBody = closedWithCustom(
  { email: optional(emailOrExternalId), ...writableFields, custom_fields: optional(CustomFieldInput) },
  {
    title: 'CreateContactBody',
    description: 'A person. The account of the email’s domain is created if it is missing.',
    examples: [{ email: 'ada@acme.com', first_name: 'Ada', last_name: 'Lovelace' }],
    ...requiredWithoutExternalId('email'),
  },
);
export type CreateContactBody = Static<typeof CreateContactBody>;

const updateProperties = {
  email: Type.Optional(email),
  ...writableFields,
  custom_fields: Type.Optional(CustomFieldInput),
};

/** The body that updates a contact. */
export const UpdateContactBody = closedWithCustom(updateProperties, {
  title: 'UpdateContactBody',
  description:
    'Changes to a contact. Absent fields stay; `null` clears a field. A new email moves the contact to the ' +
    'account of its domain.',
  examples: [{ job_title: 'Chief Procurement Officer', phone: null }],
});
export type UpdateContactBody = Static<typeof UpdateContactBody>;

/** One item of a bulk update of contacts. */
export const UpdateContactItem = closedWithCustom(
  { ...bulkTarget, ...updateProperties },
  { title: 'UpdateContactItem', description: 'Changes to the contact with this id.' },
);
export type UpdateContactItem = Static<typeof UpdateContactItem>;

/** The body that creates many contacts. */
export const BulkCreateContactsBody = bulkBody(CreateContactBody, bulkCreateItems, {
  title: 'BulkCreateContactsBody',
  description: 'The records to create, each as in a single create.',
  examples: [{ items: [{ email: 'ada@acme.com' }, { email: 'grace@acme.com' }] }],
});

/** The body that updates many contacts. */
export const BulkUpdateContactsBody = bulkBody(UpdateContactItem, bulkUpdateItems, {
  title: 'BulkUpdateContactsBody',
  description: 'The changes, each as in a single update, with the id of its record.',
  examples: [{ items: [{ id: exampleIds.contact, version: 1, phone: null }] }],
});

/** `data` of a created or matched contact. */
export const CreatedContact = Type.Object(
  {
    people_id: uuid('Id of the contact.', 'contact'),
    email: Type.String({ format: 'email', description: 'Its email, normalized.', examples: ['ada@acme.com'] }),
    first_name: nullable(Type.String({ description: 'First name; null if it has none.', examples: ['Ada'] })),
    last_name: nullable(Type.String({ description: 'Last name; null if it has none.', examples: ['Lovelace'] })),
  },
  {
    title: 'CreatedContact',
    description: 'The contact that the call created or found.',
    examples: [{ people_id: exampleIds.contact, email: 'ada@acme.com', first_name: 'Ada', last_name: 'Lovelace' }],
  },
);
export type CreatedContact = Static<typeof CreatedContact>;
