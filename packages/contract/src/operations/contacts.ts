import type { OperationContract } from '../operation.js';
import { CreateContactBody, CreatedContact } from '../schemas/contact.js';
import { createHeaders, OnMatchQuery, writeExtra } from './shared.js';

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
    'Creates a person and, where absent, the account of the email’s domain. The email identifies the contact: when it exists, the existing record is returned and its empty names are filled.',
  query: OnMatchQuery,
  body: CreateContactBody,
  data: CreatedContact,
  extra: writeExtra,
  errors: [409, 422],
  headers: createHeaders,
} as const satisfies OperationContract;
