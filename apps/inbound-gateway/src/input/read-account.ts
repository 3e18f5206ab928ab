import type { CreateAccountBody } from '@crm/contract';
import type { AccountChange, OrganizationSetup, NewAccount } from '@crm/db';
import type { ErrorCollector } from '@crm/domain';
import { readCustomValues } from './read-custom-values.js';
import { readDomain, readExternalId, readName, readText, readWebsite, requireKey } from './read-fields.js';
import { withoutNulls } from './without-nulls.js';

const maxTextLength = 10_000;
const maxShortTextLength = 255;

/** Normalizes changes to an account; adds every fault to `errors`. */
export const readAccountChange = (
  setup: OrganizationSetup,
  body: Partial<CreateAccountBody>,
  errors: ErrorCollector,
): AccountChange => ({
  ...readCustomValues(setup, { objectType: 'account', input: body, path: '', pipelineId: null }, errors),
  domain: readDomain(body.domain, 'domain', errors) ?? undefined,
  externalId: readExternalId(body.external_id, 'external_id', errors),
  name: readName(body.name, 'name', errors),
  industry: readText(body.industry, 'industry', maxShortTextLength, errors),
  description: readText(body.description, 'description', maxTextLength, errors),
  website: readWebsite(body.website, 'website', errors),
  employeeRange: readText(body.employee_range, 'employee_range', maxShortTextLength, errors),
});

/** Normalizes the body of an account's create; adds every fault to `errors`. */
export const readNewAccount = (
  setup: OrganizationSetup,
  body: CreateAccountBody,
  errors: ErrorCollector,
): NewAccount => {
  const account = withoutNulls(readAccountChange(setup, body, errors));
  requireKey(['domain', body.domain], account.externalId, errors);
  return account;
};
