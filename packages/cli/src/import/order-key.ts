import { normalizeDomain, normalizeEmail } from '@crm/domain';

import type { RequestBody } from './convert-row.js';
import type { ImportObject } from './targets.js';

/**
 * A text that is the same for all rows of one record, so that they can be sent in the order of the file. It may be the same
 * for rows of several records, which then only wait for each other. Notes are never the same.
 */
export const orderKey = (object: ImportObject, body: RequestBody): string | undefined => {
  switch (object) {
    case 'account':
      return domainKey(textAt(body, 'domain'));
    case 'contact':
      return emailKey(textAt(body, 'email'));
    case 'opportunity':
      return opportunityKey(body);
    case 'note':
      return undefined;
  }
};

/** The account's part is that of the primary contact's domain where no account is named, as the gateway has it. */
const opportunityKey = (body: RequestBody): string => {
  const domain = textAt(body, 'related_objects', 'account_domain');
  const contact = textAt(body, 'related_objects', 'primary_contact_email');
  const account = domain === '' ? domainKey(emailKey(contact).split('@').at(-1) ?? '') : domainKey(domain);
  const name = textAt(body, 'opportunity', 'name').normalize('NFC').trim();
  return JSON.stringify([textAt(body, 'pipeline_id'), account, name]);
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
