import {
  accountCreate,
  contactCreate,
  type Database,
  opportunityCreate,
  type OrganizationSetup,
  runWrite,
  type Write,
} from '@crm/db';
import {
  accountNameFromDomain,
  isFreeMail,
  normalizeEmail,
  type NormalizedEmail,
  normalizeForSearch,
} from '@crm/domain';
import { ownerEmails, type RecordDraw } from './record-draw.js';
import { customOf, historyOf, normalizeOrNull, type RecordModel } from './record-model.js';

/** The inputs of the functions that write records. */
export interface Writing {
  readonly database: Database;
  readonly setup: OrganizationSetup;
}

/** Runs a write. @returns the id of the record */
const run = async ({ database, setup }: Writing, write: Write<{ readonly id: string }>): Promise<string> =>
  (await runWrite(database, setup.organizationId, write, null)).result.id;

/** An account for contacts and deals. */
export interface AccountModel extends RecordModel {
  readonly domain: string;
}

const domains = ['gmail.com', 'acme.example', 'xn--mnchen-3ya.de', 'a-b.example', 'acme.example.org', 'x.y.z.example'];

/** Writes an account. Every third one is created without a name and so is named after its domain; some others have no name. */
export const writeAccount = async (writing: Writing, draw: RecordDraw, index: number): Promise<AccountModel> => {
  const domain = domains[index] ?? `d${index}.example`;
  const [industry = null, description = null, website = null, employeeRange = null] = draw.texts;
  const name = index % 3 === 0 ? undefined : (draw.texts[4] ?? null);
  const custom = { definitions: draw.definitions, values: draw.values };
  const externalId = index % 3 === 1 ? `Row-${index}` : null;
  const row = { externalId, domain, name, industry, description, website, employeeRange, ...custom };
  const id = await run(writing, accountCreate(row, 'keep'));
  const normalizedName = name === null ? null : normalizeForSearch(name ?? accountNameFromDomain(domain));
  return {
    id,
    domain,
    createdAtMs: draw.createdAtMs,
    system: {
      id,
      external_id: normalizeOrNull(externalId),
      domain,
      name: normalizedName,
      industry: normalizeOrNull(industry),
      description: normalizeOrNull(description),
      website: normalizeOrNull(website),
      employee_range: normalizeOrNull(employeeRange),
      is_freemail: isFreeMail(domain),
      ...historyOf(draw),
    },
    relations: {},
    custom: customOf(draw),
    searched: [...(normalizedName === null ? [] : [normalizedName]), domain],
  };
};

/** A contact for deals. */
export interface ContactModel extends RecordModel {
  readonly email: NormalizedEmail;
}

const localParts = ['ann', 'a_b', 'a%b', 'a.b', "o'neil", 'x+1'];

/** Writes a contact. One with a free mail address has no account. */
export const writeContact = async (
  writing: Writing,
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
  const id = await run(writing, contactCreate(writing.setup, row, 'keep'));
  const account = domain === 'gmail.com' ? undefined : accounts.get(domain);
  const name = [firstName, lastName].filter((one) => one !== null).join(' ');
  const texts = {
    first_name: normalizeOrNull(firstName),
    last_name: normalizeOrNull(lastName),
    email: email.value.email,
  };
  return {
    id,
    email: email.value,
    createdAtMs: draw.createdAtMs,
    system: {
      id,
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

/** Writes a deal. Returns null if its natural key is in use. */
export const writeDeal = async (
  writing: Writing,
  draw: RecordDraw,
  { accounts, contacts, byDomain, taken }: DealTargets,
): Promise<RecordModel | null> => {
  const { setup } = writing;
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
    currency,
    closeDateMs,
    nextActionDateMs,
    nextStep,
    accountDomain: named?.domain ?? null,
    primaryContact: contact?.email ?? null,
    additionalContacts: [],
    definitions: draw.definitions,
    values: draw.values,
  };
  const id = await run(writing, opportunityCreate(setup, pipeline, row, 'keep'));
  const normalizedName = normalizeForSearch(draw.name);
  const related = {
    account_domain: account?.domain ?? null,
    account_name: textOf(account, 'name'),
    contact_email: contact?.email.email ?? null,
  };
  return {
    id,
    createdAtMs: draw.createdAtMs,
    system: {
      id,
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
