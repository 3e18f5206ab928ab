import type { ErrorCollector } from '../errors.js';
import type { Result } from '../result.js';
import { type Change, changeOf } from './change.js';
import { contact } from './contact.js';
import type { Body } from './read-change.js';
import { readSentWith, valueReaders } from './value-readers.js';

/** The fields of a contact that a create of an opportunity can send as `primary_contact`. */
export const contactPartFields: readonly string[] = ['email', 'first_name', 'last_name', 'job_title', 'phone'];

/** Reads `primary_contact` of a create. Adds every fault to `errors`. @param sent - fits its schema */
export const readContactPart = (sent: Body, path: string, errors: ErrorCollector): Change => {
  const values: Record<string, unknown> = {};
  for (const { name, write } of contact.fields.map((field) => ({ write: undefined, ...field }))) {
    if (write === undefined || !contactPartFields.includes(name)) continue;
    const read = valueReaders[write.as] as (input: unknown) => Result<unknown>;
    const value = readSentWith(read, sent[name], `${path}.${name}`, errors) ?? null;
    if (value !== null) values[name] = value;
  }
  return changeOf('contact', values);
};
