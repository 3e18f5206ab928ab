import type { BodyOf, createContact } from '@crm/contract';
import type { Catalog, NewContact } from '@crm/db';
import type { ErrorCollector } from '@crm/domain';
import { readCustomValues } from './read-custom-values.js';
import { readEmail, readName, readPhone } from './read-fields.js';

/** Normalises the body of a contact's create; every fault is noted in `errors`. */
export const readContact = (
  catalog: Catalog,
  body: BodyOf<typeof createContact>,
  errors: ErrorCollector,
): NewContact => ({
  ...readCustomValues(catalog, { objectType: 'contact', input: body, path: '', pipelineId: null }, errors),
  email: readEmail(body.email, 'email', errors) ?? { email: '', domain: '' },
  firstName: readName(body.first_name, 'first_name', errors),
  lastName: readName(body.last_name, 'last_name', errors),
  jobTitle: readName(body.job_title, 'job_title', errors),
  phone: readPhone(body.phone, 'phone', errors),
});
