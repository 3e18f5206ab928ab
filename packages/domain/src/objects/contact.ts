import { externalId, history, type ObjectDescription } from './field.js';

/** A person, known by an email. */
export const contact = {
  one: 'contact',
  a: 'a contact',
  many: 'contacts',
  fields: [
    { name: 'id', kind: 'uuid', always: true, required: true, about: 'Id of the contact.', example: 'contact' },
    {
      name: 'name',
      kind: 'text',
      always: true,
      about: 'First and last name; null if it has neither.',
      example: 'Ada Lovelace',
    },
    {
      name: 'first_name',
      kind: 'text',
      always: true,
      copied: true,
      about: 'First name.',
      example: 'Ada',
      write: { as: 'name' },
    },
    {
      name: 'last_name',
      kind: 'text',
      always: true,
      copied: true,
      about: 'Last name.',
      example: 'Lovelace',
      write: { as: 'name' },
    },
    {
      name: 'email',
      kind: 'email',
      always: true,
      required: true,
      copied: true,
      about: 'Email: its natural key.',
      example: 'ada@acme.com',
      write: { as: 'email', isKey: true, about: 'Email: the natural key of a contact.' },
    },
    { name: 'account_id', kind: 'uuid', always: true, about: 'Its account.', example: 'account' },
    {
      name: 'additional_emails',
      kind: 'text_list',
      required: true,
      about: 'Other emails that find the contact: those of contacts that were merged into it.',
      example: ['ada@acme-old.example'],
    },
    externalId,
    { name: 'job_title', kind: 'text', about: 'Job title.', example: 'Head of Procurement', write: { as: 'name' } },
    { name: 'phone', kind: 'text', about: 'Phone number.', example: '+14155550123', write: { as: 'phone' } },
    ...history,
  ],
} as const satisfies ObjectDescription;
