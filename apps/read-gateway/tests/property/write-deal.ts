import { opportunityCreate, runWrite } from '@crm/db';
import { normalizeForSearch, isFreeMail } from '@crm/domain';
import { ownerEmails, type RecordDraw } from './record-draw.js';
import { customOf, normalizeOrNull, historyOf, type RecordModel } from './record-model.js';
import type { AccountModel } from './write-account.js';
import type { ContactModel } from './write-contact.js';
import type { Writing } from './writing.js';

/** The accounts, contacts and so on that deals may have. */
export interface DealTargets {
  readonly accounts: readonly AccountModel[];
  readonly contacts: readonly ContactModel[];
  readonly byDomain: ReadonlyMap<string, AccountModel>;
  /** Natural keys in use. A repeated key would change the contacts of the existing deal. */
  readonly taken: Set<string>;
}

const pick = <T>(list: readonly T[], choice: number | null | undefined): T | null =>
  choice === null || choice === undefined ? null : (list[choice % list.length] ?? null);

const currencies = ['EUR', 'USD', 'CHF'];

const textOf = (record: RecordModel | null, name: string): string | null =>
  (record?.system[name] as string | null | undefined) ?? null;

/** Sets the currency of a deal after it was written. */
const writeCurrency = async ({ database, setup }: Writing, id: string, currency: string | null): Promise<void> => {
  if (currency === null) return;
  const text = `UPDATE opportunities SET currency = $3, normalized = normalized || jsonb_build_object('currency', lower($3))
    WHERE organization_id = $1 AND id = $2`;
  await database.query(setup.organizationId, { text, values: [id, currency] });
};

/** Writes a deal. Returns null if its natural key is in use. */
export const writeDeal = async (
  { database, setup }: Writing,
  draw: RecordDraw,
  { accounts, contacts, byDomain, taken }: DealTargets,
): Promise<RecordModel | null> => {
  const [stagePick, ownerPick, accountPick, contactPick, currencyPick, pipelinePick] = draw.picks;
  const pipeline = pick(setup.pipelines, pipelinePick ?? 0);
  if (pipeline === null) throw new Error('There is no pipeline');
  const stage = pick(pipeline.stages, stagePick);
  const owner = setup.findMember(pick(ownerEmails, ownerPick) ?? '') ?? null;
  const contact = pick(contacts, contactPick);
  const named = pick(accounts, accountPick);
  const ofContact =
    contact === null || isFreeMail(contact.email.domain) ? null : (byDomain.get(contact.email.domain) ?? null);
  const account = named ?? ofContact;
  const key = JSON.stringify([pipeline.id, account?.id ?? contact?.email.email ?? '', draw.name]);
  if (taken.has(key)) return null;
  taken.add(key);
  const externalId = taken.size % 3 === 1 ? `Row-${taken.size}` : null;
  const currency = pick(currencies, currencyPick);
  const [nextStep = null] = draw.texts;
  const [closeDateMs = null, nextActionDateMs = null] = draw.dates;
  const row = {
    externalId,
    name: draw.name,
    stageId: stage?.id ?? null,
    ownerId: owner?.id ?? null,
    amount: draw.amount,
    closeDateMs,
    nextActionDateMs,
    nextStep,
    accountDomain: named?.domain ?? null,
    primaryContact: contact?.email ?? null,
    additionalContacts: [],
    definitions: draw.definitions,
    values: draw.values,
  };
  const write = opportunityCreate(setup, pipeline, row, 'keep');
  const { result: created } = await runWrite(database, setup.organizationId, write, null);
  await writeCurrency({ database, setup }, created.id, currency);
  const normalizedName = normalizeForSearch(draw.name);
  const related = {
    account_domain: account?.domain ?? null,
    account_name: textOf(account, 'name'),
    contact_email: contact?.email.email ?? null,
  };
  return {
    id: created.id,
    createdAtMs: draw.createdAtMs,
    system: {
      id: created.id,
      external_id: normalizeOrNull(externalId),
      name: normalizedName,
      pipeline_id: pipeline.id,
      pipeline_name: normalizeForSearch(pipeline.name),
      stage_id: stage?.id ?? null,
      stage_name: normalizeOrNull(stage?.label ?? null),
      account_id: account?.id ?? null,
      contact_id: contact?.id ?? null,
      amount: draw.amount,
      currency: normalizeOrNull(currency),
      close_date: closeDateMs,
      next_action_date: nextActionDateMs,
      next_step: normalizeOrNull(nextStep),
      owner_id: owner?.id ?? null,
      owner_email: owner?.email ?? null,
      contact_first_name: textOf(contact, 'first_name'),
      contact_last_name: textOf(contact, 'last_name'),
      ...related,
      ...historyOf(draw),
    },
    relations: {
      'account.domain': related.account_domain,
      'account.name': related.account_name,
      'contact.email': related.contact_email,
    },
    custom: customOf(draw),
    searched: [normalizedName, related.account_name, related.account_domain].filter((text) => text !== null),
  };
};
