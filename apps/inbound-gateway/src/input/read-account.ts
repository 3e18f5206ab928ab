import type { BodyOf, createAccount } from '@crm/contract';
import type { Catalog, NewAccount } from '@crm/db';
import type { ErrorCollector } from '@crm/domain';
import { readCustomValues } from './read-custom-values.js';
import { readDomain, readName, readText, readWebsite } from './read-fields.js';

const maxTextLength = 10_000;
const maxShortTextLength = 255;

/** Normalises the body of an account's create; every fault is noted in `errors`. */
export const readAccount = (
  catalog: Catalog,
  body: BodyOf<typeof createAccount>,
  errors: ErrorCollector,
): NewAccount => ({
  ...readCustomValues(catalog, { objectType: 'account', input: body, path: '', pipelineId: null }, errors),
  domain: readDomain(body.domain, 'domain', errors) ?? '',
  name: readName(body.name, 'name', errors),
  industry: readText(body.industry, 'industry', maxShortTextLength, errors),
  description: readText(body.description, 'description', maxTextLength, errors),
  website: readWebsite(body.website, 'website', errors),
  employeeRange: readText(body.employee_range, 'employee_range', maxShortTextLength, errors),
});
