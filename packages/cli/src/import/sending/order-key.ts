import { normalizeDomain, normalizeEmail } from '@crm/domain';

import type { RequestBody } from '../mapping/convert-row.js';
import type { ImportObject } from '../targets.js';

/**
 * Returns the keys of a row: one for its natural key and one for its external id. Rows that share a key are sent in
 * file order, because they may write the same record. If rows of different records share a key, they only wait for each
 * other. Notes have no keys.
 */
export const orderKeys = (object: ImportObject, body: RequestBody): string[] => {
  const externalId =
    object === 'opportunity' ? textAt(body, 'opportunity', 'external_id') : textAt(body, 'external_id');
  const naturalKey = naturalKeyOf(object, body);
  return [
    ...(naturalKey === undefined ? [] : [naturalKey]),
    ...(externalId === '' || object === 'note'
      ? []
      : [JSON.stringify({ externalId: externalId.normalize('NFC').trim() })]),
  ];
};

/** The natural key of a row; undefined for none. */
const naturalKeyOf = (object: ImportObject, body: RequestBody): string | undefined => {
  switch (object) {
    case 'account':
      return domainKey(textAt(body, 'domain')) || undefined;
    case 'contact':
      return emailKey(textAt(body, 'email')) || undefined;
    case 'opportunity':
      return opportunityKey(body);
    case 'note':
      return undefined;
  }
};

/**
 * Without an account, uses the domain of the primary contact's email. The gateway uses the contact itself if the domain
 * is a mail provider's, so more rows share a key here than there.
 */
const opportunityKey = (body: RequestBody): string | undefined => {
  const domain = textAt(body, 'related_objects', 'account_domain');
  const contact = textAt(body, 'related_objects', 'primary_contact_email');
  const account = domain === '' ? domainKey(emailKey(contact).split('@').at(-1) ?? '') : domainKey(domain);
  const name = textAt(body, 'opportunity', 'name').normalize('NFC').trim();
  return name === '' ? undefined : JSON.stringify([textAt(body, 'pipeline_id'), account, name]);
};

const domainKey = (text: string): string => {
  const domain = normalizeDomain(text);
  return domain.ok ? domain.value.domain : text;
};

const emailKey = (text: string): string => {
  const email = normalizeEmail(text);
  return email.ok ? email.value.email : text;
};

const textAt = (body: RequestBody, ...path: readonly string[]): string => {
  let value: unknown = body;
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof value === 'string' ? value : '';
};
