import { Type, type Static } from 'typebox';
import { nullable, optional, uuid } from './build.js';
import { CustomFieldInput } from './custom-field.js';
import { closedWithCustom, EmailInput, ShortText } from './input.js';

/** The fields of a contact that a create or update may set beside its email. */
const writableFields = {
  first_name: optional(ShortText('First name.', 'Ada')),
  last_name: optional(ShortText('Last name.', 'Lovelace')),
  job_title: optional(ShortText('Job title.', 'Head of Procurement')),
  phone: optional(ShortText('Phone number.', '+14155550123')),
  custom_fields: optional(CustomFieldInput),
};

/** The body that creates a contact. */
export const CreateContactBody = closedWithCustom(
  { email: EmailInput('Email: the natural key of a contact.'), ...writableFields },
  {
    title: 'CreateContactBody',
    description: 'A person; the account of the email’s domain is created when absent.',
    examples: [{ email: 'ada@acme.com', first_name: 'Ada', last_name: 'Lovelace' }],
  },
);
export type CreateContactBody = Static<typeof CreateContactBody>;

/** `data` of a created or matched contact. */
export const CreatedContact = Type.Object(
  {
    people_id: uuid('Id of the contact.'),
    email: Type.String({ format: 'email', description: 'Its email, normalised.', examples: ['ada@acme.com'] }),
    first_name: nullable(Type.String({ description: 'First name; null when it has none.', examples: ['Ada'] })),
    last_name: nullable(Type.String({ description: 'Last name; null when it has none.', examples: ['Lovelace'] })),
  },
  {
    title: 'CreatedContact',
    description: 'The contact that the call created or found.',
    examples: [
      {
        people_id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4',
        email: 'ada@acme.com',
        first_name: 'Ada',
        last_name: 'Lovelace',
      },
    ],
  },
);
export type CreatedContact = Static<typeof CreatedContact>;
