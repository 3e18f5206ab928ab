import { accountNameFromDomain, isFreeMail } from '@crm/domain';

/** A stage in the model. Each lane has a pipeline of its own. */
export interface ModelStage {
  readonly id: string;
  label: string;
  isActive: boolean;
  isDefault: boolean;
  outcome: string;
}

interface Identified<R> {
  /** Set once a call named the record by its id. */
  id?: string | undefined;
  /** Set if the record was merged, or restored as another one. */
  mergedInto?: R | undefined;
}

/** An account in the model. */
export interface ModelAccount extends Identified<ModelAccount> {
  aliases: string[];
  domain: string;
  name: string | null;
  industry: string | null;
  score: number | null;
  version: number;
}

/** A contact in the model. */
export interface ModelContact extends Identified<ModelContact> {
  aliases: string[];
  email: string;
  first_name: string | null;
  last_name: string | null;
  score: number | null;
  account: ModelAccount;
  version: number;
}

/** A deal in the model. */
export interface ModelDeal {
  /** Set once a call deleted the deal. */
  id?: string | undefined;
  name: string;
  amount: number | null;
  currency: string | null;
  next_step: string | null;
  score: number | null;
  stage: ModelStage;
  account: ModelAccount | null;
  /** The account part of the natural key if there is no account: a contact, even one that was deleted since. */
  owner: ModelContact | null;
  primary: ModelContact | null;
  additional: ModelContact[];
  /** The titles of the notes that creates sent with it. */
  notes: string[];
  version: number;
}

/** The fields that a call can set: undefined was not sent, null clears. */
export type Fields = Readonly<Record<string, string | number | ModelStage | null | undefined>>;

/** The records that a deal refers to, by natural key. */
export interface Related {
  readonly account?: string | null | undefined;
  readonly primary?: string | null | undefined;
  readonly additional?: readonly string[] | null | undefined;
}

/** What a create of a deal sends with it. */
export interface Parts {
  /** The primary contact with its fields. */
  readonly person?: { readonly email: string; readonly fields: Fields } | undefined;
  /** The title of a note. */
  readonly note?: string | undefined;
  /** Whether it names pipeline and stage instead of sending their ids. */
  readonly byName: boolean;
}

const domainOf = (email: string): string => email.slice(email.indexOf('@') + 1);

const sameContacts = (a: readonly ModelContact[], b: readonly ModelContact[]): boolean =>
  a.length === b.length && a.every((contact, index) => contact === b[index]);

/** All records of one client and the rules by which calls change them: a second, simple implementation of the gateway. */
export class ModelState {
  readonly accounts: ModelAccount[] = [];
  readonly contacts: ModelContact[] = [];
  readonly deals: ModelDeal[] = [];
  readonly deletedAccounts: ModelAccount[] = [];
  readonly deletedDeals: ModelDeal[] = [];
  isPipelineActive = true;

  /** @param currency - the organization's default */
  constructor(
    readonly stages: readonly ModelStage[],
    readonly currency: string | null,
  ) {}

  accountAt = (domain: string): ModelAccount | undefined => this.accounts.find((one) => one.domain === domain);
  contactAt = (email: string): ModelContact | undefined => this.contacts.find((one) => one.email === email);
  /** The account with a domain or alias. */
  findAccount = (domain: string): ModelAccount | undefined =>
    this.accounts.find((one) => one.domain === domain || one.aliases.includes(domain));
  /** The contact with an email or alias. */
  findContact = (email: string): ModelContact | undefined =>
    this.contacts.find((one) => one.email === email || one.aliases.includes(email));

  stageAt(index: number): ModelStage {
    const stage = this.stages[index];
    if (stage === undefined) throw new Error(`There is no stage ${index}`);
    return stage;
  }

  /** The stage in which new deals start. */
  defaultStage(): ModelStage {
    const stage = this.stages.find(({ isDefault }) => isDefault) ?? this.stages.find(({ isActive }) => isActive);
    if (stage === undefined) throw new Error('There is no active stage');
    return stage;
  }

  ensureAccount(domain: string): ModelAccount {
    const found = this.findAccount(domain);
    if (found !== undefined) return found;
    const name = accountNameFromDomain(domain);
    const account = { domain, name, industry: null, score: null, version: 1, aliases: [] };
    this.accounts.push(account);
    return account;
  }

  ensureContact(email: string): ModelContact {
    const found = this.findContact(email);
    if (found !== undefined) return found;
    const account = this.ensureAccount(domainOf(email));
    const contact = { email, first_name: null, last_name: null, score: null, account, version: 1, aliases: [] };
    this.contacts.push(contact);
    return contact;
  }

  /** The deal with a natural key. */
  findDeal(name: string, account: ModelAccount | null, owner: ModelContact | null): ModelDeal | undefined {
    return this.deals.find(
      (one) => one.name === name && one.account === account && (account !== null || one.owner === owner),
    );
  }

  /** Whether a create would find a deal. It creates nothing. */
  hasDeal(name: string, { account, primary }: Related): boolean {
    const domain = account ?? (primary && !isFreeMail(domainOf(primary)) ? domainOf(primary) : null);
    const [found, owner] = [domain && this.findAccount(domain), primary && this.findContact(primary)];
    if (domain) return Boolean(found && this.findDeal(name, found, null));
    return primary ? Boolean(owner && this.findDeal(name, null, owner)) : this.findDeal(name, null, null) !== undefined;
  }

  /** The account or contact that a new deal belongs to. Creates it if it is missing. */
  ownerOf({ account, primary }: Related): { account: ModelAccount | null; owner: ModelContact | null } {
    if (account) return { account: this.ensureAccount(account), owner: null };
    if (!primary) return { account: null, owner: null };
    if (isFreeMail(domainOf(primary))) return { account: null, owner: this.ensureContact(primary) };
    return { account: this.ensureAccount(domainOf(primary)), owner: null };
  }

  /** Sets the sent values. @returns whether any value changed */
  assign(record: object, fields: Fields): boolean {
    const target = record as Record<string, unknown>;
    let isChanged = false;
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined || target[name] === value) continue;
      target[name] = value;
      isChanged = true;
    }
    return isChanged;
  }

  /** Sets a deal's contacts. @returns whether any of them changed */
  assignContacts(deal: ModelDeal, primary: ModelContact | null, wanted: readonly ModelContact[]): boolean {
    const additional = [...new Set(wanted)].filter((contact) => contact !== primary);
    const isChanged = deal.primary !== primary || !sameContacts(deal.additional, additional);
    deal.primary = primary;
    deal.additional = additional;
    return isChanged;
  }

  /**
   * Changes a contact's email. The contact keeps its deals, and moves to the account of the new domain unless its account is another one
   * than that of the old domain.
   */
  moveContact(contact: ModelContact, email: string): void {
    const isOfEmail = contact.account === this.findAccount(domainOf(contact.email));
    if (isOfEmail) contact.account = this.ensureAccount(domainOf(email));
    contact.aliases = contact.aliases.filter((alias) => alias !== email);
    contact.email = email;
  }
}
