import { isDeepStrictEqual } from 'node:util';

import { CrmApiError, type CrmClient } from '@crm/client';
import type { StoredCondition } from '@crm/domain';

import { externalIdOf } from '../sending/row-order.js';
import type { ImportObject } from '../targets.js';
import type { RequestBody } from './convert-row.js';

type Stored = Readonly<Record<string, unknown>>;

/** A filter of a field by a value. */
const equals = (field: string, value: unknown) => ({ field, operator: 'eq', value });

const textAt = (part: unknown, key: string): string => {
  const value = typeof part === 'object' && part !== null ? (part as Stored)[key] : undefined;
  return typeof value === 'string' ? value : '';
};

/** The record that a create would find, with the fields that its body names; undefined for a new one. */
const findRecord = async (
  client: CrmClient,
  object: Exclude<ImportObject, 'note'>,
  body: RequestBody,
  fields: readonly string[],
): Promise<Stored | undefined> => {
  const collection = { account: 'accounts', contact: 'contacts', opportunity: 'opportunities' } as const;
  // The three clients differ only in the types of their filters and records.
  const records = client[collection[object]] as unknown as {
    search(body: object): { page(): Promise<{ data: Readonly<Record<string, readonly Stored[]>> }> };
  };
  const search = async (filters: readonly object[], more: object = {}): Promise<readonly Stored[]> =>
    (await records.search({ filters, fields, limit: 2, ...more }).page()).data[collection[object]] ?? [];
  const externalId = externalIdOf(object, body);
  const [known] = externalId === '' ? [] : await search([equals('external_id', externalId)]);
  if (known !== undefined) return known;
  if (object !== 'opportunity') {
    const key = object === 'account' ? 'domain' : 'email';
    const text = textAt(body, key);
    return text === '' ? undefined : (await search([equals(key, text)]))[0];
  }
  const related = body['related_objects'];
  const [domain, email] = [textAt(related, 'account_domain'), textAt(related, 'primary_contact_email')];
  const whose =
    domain !== '' ? [equals('account.domain', domain)] : email !== '' ? [equals('contact.email', email)] : [];
  const name = equals('name', textAt(body['opportunity'], 'name'));
  const found = await search([name, ...whose], { pipeline_id: body['pipeline_id'] });
  return found.length === 1 ? found[0] : undefined;
};

const contains = (stored: unknown, { part, isExact }: StoredCondition): boolean => {
  if (isExact === true || !Array.isArray(part)) return isDeepStrictEqual(stored ?? null, part);
  return Array.isArray(stored) && part.every((one) => stored.some((other) => isDeepStrictEqual(one, other)));
};

/**
 * The conditions of a body that its record does not meet: all of them for a new record. Undefined if the key may not search.
 * @param toStored - the stored forms of the custom values of a record, by slug
 */
export const unmetConditions = async (
  client: CrmClient,
  object: Exclude<ImportObject, 'note'>,
  body: RequestBody,
  conditions: readonly StoredCondition[],
  toStored: (record: Stored) => Stored,
): Promise<readonly StoredCondition[] | undefined> => {
  if (conditions.length === 0) return [];
  const fields = conditions.map(({ column, slug }) => column ?? `custom__${slug ?? ''}`);
  try {
    const record = await findRecord(client, object, body, fields);
    if (record === undefined) return conditions;
    const custom = toStored(record);
    return conditions.filter(
      (one) => !contains(one.slug === undefined ? record[one.column ?? ''] : custom[one.slug], one),
    );
  } catch (error) {
    // A value that no record can have, such as an invalid address: the check of the body has found it.
    if (error instanceof CrmApiError && error.status === 400) return conditions;
    if (error instanceof CrmApiError && error.status === 401) return undefined;
    throw error;
  }
};
