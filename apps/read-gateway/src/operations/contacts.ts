import {
  getContact,
  getContactByEmail,
  listContactDuplicates,
  listContactFields,
  listContactHistory,
  listContacts,
  searchContacts,
  summarizeContacts,
} from '@crm/contract';
import { normalizeEmail, validationError } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { getRecord, readByKey } from '../get-record.js';
import { listFields } from '../list-fields.js';
import { listDuplicates, listHistory, listRecords, searchRecords } from '../list-records.js';
import { summarizeRecords } from '../summary.js';

/** The reads of contacts. */
export const contactOperations: readonly Operation<Context>[] = [
  listRecords(listContacts, 'contact'),
  searchRecords(searchContacts, 'contact'),
  summarizeRecords(summarizeContacts, 'contact'),
  getRecord(getContact, 'contact'),
  // The email is normalized as in every request.
  operation(getContactByEmail, async (context, { caller, params, query }) => {
    const email = normalizeEmail(params.email);
    if (!email.ok) throw validationError({ email: email.message });
    return readByKey(context, caller, { objectType: 'contact', email: email.value.email }, query.fields);
  }),
  listHistory(listContactHistory, 'contact'),
  listDuplicates(listContactDuplicates, 'contact'),
  listFields(listContactFields, 'contact'),
];
