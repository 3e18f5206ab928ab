import type { CreateContactBody } from '@crm/contract';
import type { OrganizationSetup, ContactChange, NewContact } from '@crm/db';
import type { ErrorCollector } from '@crm/domain';
import { readCustomValues } from './read-custom-values.js';
import { readEmail, readExternalId, readName, readPhone, requireKey } from './read-fields.js';
import { withoutNulls } from './without-nulls.js';

/** Normalizes changes to a contact; adds every fault to `errors`. */
export const readContactChange = (
  setup: OrganizationSetup,
  body: Partial<CreateContactBody>,
  errors: ErrorCollector,
): ContactChange => ({
  ...readCustomValues(setup, { objectType: 'contact', input: body, path: '', pipelineId: null }, errors),
  email: readEmail(body.email, 'email', errors) ?? undefined,
  externalId: readExternalId(body.external_id, 'external_id', errors),
  firstName: readName(body.first_name, 'first_name', errors),
  lastName: readName(body.last_name, 'last_name', errors),
  jobTitle: readName(body.job_title, 'job_title', errors),
  phone: readPhone(body.phone, 'phone', errors),
});

/** Normalizes the body of a contact's create; adds every fault to `errors`. */
export const readNewContact = (
  setup: OrganizationSetup,
  body: CreateContactBody,
  errors: ErrorCollector,
): NewContact => {
  const contact = withoutNulls(readContactChange(setup, body, errors));
  requireKey(['email', body.email], contact.externalId, errors);
  return contact;
};
