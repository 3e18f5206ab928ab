import { contactReads, getContactByEmail } from '@crm/contract';
import { normalizeEmail, validationError } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { readByKey } from '../get-record.js';
import { objectReads } from './object-reads.js';

/** The reads of contacts. */
export const contactOperations: readonly Operation<Context>[] = [
  ...objectReads('contact', contactReads),
  // The email is normalized as in every request.
  operation(getContactByEmail, async (context, { caller, params, query }) => {
    const email = normalizeEmail(params.email);
    if (!email.ok) throw validationError({ email: email.message });
    return readByKey(context, caller, { objectType: 'contact', email: email.value.email }, query);
  }),
];
