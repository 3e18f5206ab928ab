import { nearestName } from '@crm/domain';
import { isRecord, type JsonSchema } from './schema-walk.js';

/** What people send and the API calls otherwise: read names, and those of other CRMs. The first one that the body takes is named. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  amount: ['deal_size'],
  value: ['deal_size'],
  stage: ['stage_id'],
  stage_name: ['stage_id'],
  pipeline: ['pipeline_id'],
  pipeline_name: ['pipeline_id'],
  owner: ['owner_email'],
  owner_id: ['owner_email'],
  account: ['account_domain', 'domain'],
  account_id: ['account_domain'],
  account_name: ['account_domain'],
  company: ['account_domain', 'domain'],
  company_domain: ['account_domain', 'domain'],
  contact: ['primary_contact_email', 'email'],
  contact_id: ['primary_contact_email'],
  contact_email: ['primary_contact_email', 'email'],
  primary_contact: ['primary_contact_email'],
  contacts: ['additional_contact_emails', 'contact_emails'],
  additional_contacts: ['additional_contact_emails'],
  accounts: ['account_domains'],
  text: ['content'],
  body: ['content'],
  search: ['query', 'q'],
  filter: ['filters'],
  order: ['sort'],
  order_by: ['sort'],
  page_size: ['limit'],
  per_page: ['limit'],
};

const propertiesOf = (schema: unknown): Readonly<Record<string, unknown>> => {
  if (!isRecord(schema)) return {};
  const then = isRecord(schema['then']) ? schema['then']['properties'] : undefined;
  const properties = schema['properties'] ?? then;
  return isRecord(properties) ? properties : {};
};

/** Where an object inside of the body takes a key: `related_objects.owner_email`. */
const pathInside = (root: JsonSchema, name: string): string | undefined => {
  const holder = Object.entries(propertiesOf(root)).find(([, inner]) => Object.hasOwn(propertiesOf(inner), name));
  return holder === undefined ? undefined : `${holder[0]}.${name}`;
};

/**
 * The key that was probably meant by an unknown one: beside it under another name, in another object of the body, or beside it
 * with another spelling. `amount` → `deal_size`, `owner` → `related_objects.owner_email`, `nam` → `name`
 */
export const keyProbablyMeant = (key: string, beside: readonly string[], root: JsonSchema): string | undefined => {
  const others = Object.hasOwn(otherNames, key) ? (otherNames[key] ?? []) : [];
  const known = others.find((name) => beside.includes(name));
  if (known !== undefined) return known;
  // Of a key that only stands in the wrong object, the right path is the hint.
  for (const name of [key, ...others]) {
    const path = pathInside(root, name) ?? (Object.hasOwn(propertiesOf(root), name) ? name : undefined);
    if (path !== undefined && path !== key) return path;
  }
  return nearestName(key, beside);
};
