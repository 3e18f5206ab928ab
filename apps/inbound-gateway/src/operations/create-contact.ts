import { createContact as contract } from '@crm/contract';
import { createContact as insertContact, type NewContact, type RecordStatus } from '@crm/db';
import { ErrorCollector } from '@crm/domain';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { readContact } from '../input/read-contact.js';
import { keptValueWarnings, warningsExtra } from '../warnings.js';

const messages: Readonly<Record<RecordStatus, string>> = {
  created: 'Contact created',
  matched: 'Contact exists already',
  updated: 'Contact exists already; its empty names were filled',
};

const sentColumns = (contact: NewContact) => [
  { field: 'first_name', column: 'first_name', value: contact.firstName },
  { field: 'last_name', column: 'last_name', value: contact.lastName },
  { field: 'job_title', column: 'job_title', value: contact.jobTitle },
  { field: 'phone', column: 'phone', value: contact.phone },
];

/** `POST /v1/inbound/contacts`: the contact of an email and the account of its domain, made or found. */
export const createContact = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) =>
  context.catalogs.use(caller.organizationId, async (catalog) => {
    const errors = new ErrorCollector();
    const contact = readContact(catalog, body, errors);
    errors.throwIfAny();
    const { id, email, firstName, lastName, recordStatus, stored } = await insertContact(
      context.database,
      catalog,
      contact,
    );
    return {
      message: messages[recordStatus],
      data: { people_id: id, email, first_name: firstName, last_name: lastName },
      extra: warningsExtra(keptValueWarnings(stored, sentColumns(contact), contact, '')),
      headers: { 'X-Record-Status': recordStatus },
    };
  }),
);
