import {
  normalizeDomain,
  normalizeEmail,
  normalizeOptionalName,
  opportunityAccountSource,
  type OpportunityAccountSource,
} from '@crm/domain';

import type { RequestBody } from '../mapping/convert-row.js';
import type { ImportObject } from '../targets.js';

/**
 * Returns the keys of a row: one for its natural key and one for its external id. Rows that share a key are sent in
 * file order, because they may write the same record. Notes have no keys.
 */
export const orderKeys = (object: ImportObject, body: RequestBody): string[] => {
  if (object === 'note') return [];
  const externalId = externalIdOf(object, body);
  const naturalKey = naturalKeyOf(object, body);
  return [...(naturalKey ? [naturalKey] : []), ...(externalId === '' ? [] : [JSON.stringify({ externalId })])];
};

/** The external id of a row; empty for none. */
export const externalIdOf = (object: ImportObject, body: RequestBody): string =>
  nameOf(textAt(body, ...(object === 'opportunity' ? [object] : []), 'external_id'));

/** The natural key of a row; null or empty for none. */
export const naturalKeyOf = (object: Exclude<ImportObject, 'note'>, body: RequestBody): string | null => {
  if (object === 'account') return domainOf(textAt(body, 'domain'));
  if (object === 'contact') return emailOf(textAt(body, 'email'));
  const name = nameOf(textAt(body, 'opportunity', 'name'));
  return name && JSON.stringify([textAt(body, 'pipeline_id'), accountSourceOf(body), name]);
};

/** The domain of the account of a deal. Undefined if it has none. */
export const accountDomainOf = (body: RequestBody): string | undefined => {
  const source = accountSourceOf(body);
  return 'kind' in source && source.kind === 'account' ? source.domain : undefined;
};

/** Whose deal it is, as the gateway decides it. Only the gateway knows the records of external ids. */
const accountSourceOf = (body: RequestBody): OpportunityAccountSource | { readonly externalId: string } => {
  const related = (name: string): string => textAt(body, 'related_objects', name).normalize('NFC').trim();
  const domain = domainOf(related('account_domain'));
  const account = related('account_external_id');
  if (domain === null && account !== '') return { externalId: `account ${account}` };
  const email = emailOf(related('primary_contact_email'));
  const contact = related('primary_contact_external_id');
  if (domain === null && email === null && contact !== '') return { externalId: `contact ${contact}` };
  return opportunityAccountSource(domain, email);
};

/** A name or external id as the gateway stores it; empty for none. */
const nameOf = (text: string): string => {
  const name = normalizeOptionalName(text);
  return name.ok ? (name.value ?? '') : '';
};

const domainOf = (text: string): string | null => {
  const domain = normalizeDomain(text);
  return domain.ok ? domain.value.domain : null;
};

const emailOf = (text: string): string | null => {
  const email = normalizeEmail(text);
  return email.ok ? email.value.email : null;
};

const textAt = (body: RequestBody, ...path: readonly string[]): string => {
  let value: unknown = body;
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof value === 'string' ? value : '';
};

/** A batch's place in the order. */
export interface Turn {
  /** Resolves once all earlier turns that share a key are done. */
  readonly ready: Promise<unknown>;
  /** Lets later turns begin. Must be called even if this turn failed. */
  readonly done: () => void;
}

/** Keeps batches that share a key in order. Other batches may overtake each other. */
export class KeyOrder {
  readonly #last = new Map<string, Promise<void>>();

  /** Adds a turn after all earlier turns that share one of the keys. */
  enter(keys: readonly string[]): Turn {
    const before = keys.flatMap((key) => this.#last.get(key) ?? []);
    let resolve: () => void = () => undefined;
    const ended = new Promise<void>((end) => (resolve = end));
    for (const key of keys) this.#last.set(key, ended);
    return {
      ready: Promise.all(before),
      done: () => {
        resolve();
        for (const key of keys) if (this.#last.get(key) === ended) this.#last.delete(key);
      },
    };
  }
}
