import { getContactByEmail as contract } from '@crm/contract';
import { normalizeEmail, validationError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { getRecord } from '../get-record.js';

/** `GET /v1/contacts/by-email/{email}`: the contact of an email, normalized as in every request. */
export const getContactByEmail = defineOperation<Context, typeof contract>(
  contract,
  async (context, { caller, params, query }) => {
    const email = normalizeEmail(params.email);
    if (!email.ok) throw validationError({ email: email.message });
    return getRecord(context, caller, { objectType: 'contact', email: email.value.email }, query.fields);
  },
);
