import { nearestName } from '@crm/domain';
import { isRecord, type JsonSchema } from './schema-walk.js';

/** Names that people send for a field: those in responses or in other CRMs. The hint is the first name that the body accepts. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  value: ['deal_size'],
  stage: ['stage_id'],
  stage_label: ['stage', 'stage_id'],
  stage_name: ['stage', 'stage_id'],
  pipeline: ['pipeline_id'],
  pipeline_name: ['pipeline', 'pipeline_id'],
  owner: ['owner_email'],
  owner_id: ['owner_email'],
  account: ['account_domain', 'domain'],
  account_id: ['account_domain'],
  account_name: ['account_domain'],
  company: ['account_domain', 'domain'],
  company_domain: ['account_domain', 'domain'],
  contact: ['primary_contact', 'primary_contact_email', 'email'],
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

/** The place of a key inside another object of the body: `related_objects.owner_email`. */
const pathInside = (root: JsonSchema, name: string): string | undefined => {
  const holder = Object.entries(propertiesOf(root)).find(([, inner]) => Object.hasOwn(propertiesOf(inner), name));
  return holder === undefined ? undefined : `${holder[0]}.${name}`;
};

/**
 * The key that the caller probably meant by an unknown one: in the same object under another name, in another object of the body, or in
 * the same object with another spelling. `value` → `deal_size`, `owner` → `related_objects.owner_email`, `nam` → `name`
 */
export const keyProbablyMeant = (key: string, beside: readonly string[], root: JsonSchema): string | undefined => {
  const others = Object.hasOwn(otherNames, key) ? (otherNames[key] ?? []) : [];
  // Only objects at the top of a body have other parts beside them.
  if (Object.hasOwn(propertiesOf(root), key) && !beside.includes(key)) return `${key} one level up`;
  const known = others.find((name) => beside.includes(name));
  if (known !== undefined) return known;
  // If only the object of the key is wrong, the hint is the right path.
  for (const name of [key, ...others]) {
    const path = pathInside(root, name) ?? (Object.hasOwn(propertiesOf(root), name) ? name : undefined);
    if (path !== undefined && path !== key) return path;
  }
  return nearestName(key, beside);
};
