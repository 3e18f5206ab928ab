import { contactCreate, runWrite } from '@crm/db';
import { normalizeForSearch, normalizeEmail, type NormalizedEmail } from '@crm/domain';
import { customOf, normalizeOrNull, historyOf, type RecordModel } from './record-model.js';
import type { RecordDraw } from './record-draw.js';
import type { AccountModel } from './write-account.js';
import type { Writing } from './writing.js';

/** A contact for deals. */
export interface ContactModel extends RecordModel {
  readonly email: NormalizedEmail;
}

const localParts = ['ann', 'a_b', 'a%b', 'a.b', "o'neil", 'x+1'];

/** Writes a contact. One with a free mail address has no account. */
export const writeContact = async (
  { database, setup }: Writing,
  draw: RecordDraw,
  index: number,
  domain: string,
  accounts: ReadonlyMap<string, AccountModel>,
): Promise<ContactModel> => {
  const email = normalizeEmail(`${localParts[index] ?? `c${index}`}@${domain}`);
  if (!email.ok) throw new Error(email.message);
  const [firstName = null, lastName = null, jobTitle = null, phone = null] = draw.texts;
  const custom = { definitions: draw.definitions, values: draw.values };
  const externalId = index % 3 === 1 ? `Row-${index}` : null;
  const row = { externalId, email: email.value, firstName, lastName, jobTitle, phone, ...custom };
  const write = contactCreate(setup, row, 'keep');
  const { result: created } = await runWrite(database, setup.organizationId, write, null);
  const account = domain === 'gmail.com' ? undefined : accounts.get(domain);
  const name = [firstName, lastName].filter((one) => one !== null).join(' ');
  const texts = {
    first_name: normalizeOrNull(firstName),
    last_name: normalizeOrNull(lastName),
    email: email.value.email,
  };
  return {
    id: created.id,
    email: email.value,
    createdAtMs: draw.createdAtMs,
    system: {
      id: created.id,
      external_id: normalizeOrNull(externalId),
      name: name === '' ? null : normalizeForSearch(name),
      ...texts,
      account_id: account?.id ?? null,
      job_title: normalizeOrNull(jobTitle),
      phone: normalizeOrNull(phone),
      ...historyOf(draw),
    },
    relations: {
      'account.domain': account?.domain ?? null,
      'account.name': (account?.system['name'] as string | undefined) ?? null,
    },
    custom: customOf(draw),
    searched: Object.values(texts).filter((text) => text !== null),
  };
};
