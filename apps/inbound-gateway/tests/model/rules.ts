import type { Fields, ModelDeal, ModelState, Parts, Related } from './state.js';

const isArchivedStage = ({ stage }: Fields): boolean => typeof stage === 'object' && stage?.isActive === false;

/** The expected answer of a call: an HTTP status, or the record status. */
export type Outcome = 'created' | 'matched' | 'updated' | 'deleted' | 'merged' | 'restored' | 400 | 404 | 409;
/** What a create does with an existing record. */
export type OnMatch = 'keep' | 'update';

const bump = (record: { version: number }, isChanged: boolean): 'updated' | 'matched' => {
  if (isChanged) record.version += 1;
  return isChanged ? 'updated' : 'matched';
};

const sentOnly = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/** `POST accounts` */
export const createAccount = (state: ModelState, domain: string, fields: Fields, onMatch: OnMatch): Outcome => {
  const found = state.findAccount(domain);
  if (found === undefined) {
    state.assign(state.ensureAccount(domain), sentOnly(fields));
    return 'created';
  }
  return onMatch === 'keep' ? 'matched' : bump(found, state.assign(found, sentOnly(fields)));
};

/** `POST contacts` */
export const createContact = (state: ModelState, email: string, fields: Fields, onMatch: OnMatch): Outcome => {
  const found = state.findContact(email);
  if (found === undefined) {
    state.assign(state.ensureContact(email), sentOnly(fields));
    return 'created';
  }
  if (onMatch === 'update') return bump(found, state.assign(found, sentOnly(fields)));
  const { first_name: first, last_name: last } = sentOnly(fields);
  const names = { first_name: found.first_name ?? first, last_name: found.last_name ?? last };
  return bump(found, state.assign(found, names));
};

const addNote = (deal: ModelDeal, note: string | undefined): void => {
  if (note !== undefined && !deal.notes.includes(note)) deal.notes.push(note);
};

/** `POST opportunities` */
export const createDeal = (
  state: ModelState,
  name: string,
  fields: Fields,
  sent: Related,
  { person, note }: Parts,
  onMatch: OnMatch,
): Outcome => {
  const related = person === undefined ? sent : { ...sent, primary: person.email };
  if (isArchivedStage(fields)) return 400;
  if (!state.isPipelineActive && !state.hasDeal(name, related)) return 400;
  if (person !== undefined) createContact(state, person.email, person.fields, onMatch);
  const { account, owner } = state.ownerOf(related);
  const primary = related.primary ? state.ensureContact(related.primary) : null;
  const additional = (related.additional ?? []).map((email) => state.ensureContact(email));
  const found = state.findDeal(name, account, owner);
  if (found === undefined) {
    const empty = { amount: null, next_step: null, score: null, primary: null, additional: [], notes: [] };
    const defaults = { stage: state.defaultStage(), currency: state.currency };
    const deal = { name, account, owner, version: 1, ...empty, ...defaults };
    state.assign(deal, sentOnly(fields));
    state.assignContacts(deal, primary, additional);
    addNote(deal, note);
    state.deals.push(deal);
    return 'created';
  }
  addNote(found, note);
  const newPrimary = primary ?? found.primary;
  if (onMatch === 'keep') {
    const before = found.primary === null ? [] : [found.primary];
    return bump(found, state.assignContacts(found, newPrimary, [...found.additional, ...before, ...additional]));
  }
  const isChanged = state.assign(found, sentOnly(fields));
  const wanted = related.additional ? additional : found.additional;
  return bump(found, state.assignContacts(found, newPrimary, wanted) || isChanged);
};

/** `PATCH accounts` */
export const updateAccount = (state: ModelState, domain: string, fields: Fields): Outcome => {
  const found = state.accountAt(domain);
  if (found === undefined) return 404;
  const holder = typeof fields['domain'] === 'string' ? state.findAccount(fields['domain']) : undefined;
  if (holder !== undefined && holder !== found) return 409;
  const isChanged = state.assign(found, fields);
  found.aliases = found.aliases.filter((alias) => alias !== found.domain);
  return bump(found, isChanged);
};

/** `PATCH contacts` */
export const updateContact = (state: ModelState, email: string, { email: newEmail, ...fields }: Fields): Outcome => {
  const found = state.contactAt(email);
  if (found === undefined) return 404;
  const isMove = typeof newEmail === 'string' && newEmail !== email;
  const holder = isMove ? state.findContact(newEmail) : undefined;
  if (holder !== undefined && holder !== found) return 409;
  const isChanged = state.assign(found, fields);
  if (isMove) state.moveContact(found, newEmail);
  return bump(found, isChanged || isMove);
};

/** `PATCH opportunities` for the deal at an index of the model's list. */
export const updateDeal = (state: ModelState, index: number, fields: Fields, related: Related): Outcome => {
  const found = state.deals[index];
  if (found === undefined) return 404;
  if (isArchivedStage(fields)) return 400;
  // Decide whether the call is refused before creating anything, because a refused call must leave nothing.
  const account = related.account === undefined ? found.account?.domain : (related.account ?? undefined);
  const primary = related.primary === undefined ? found.primary?.email : (related.primary ?? undefined);
  // Sending the stored account or contact again does not compute the key again.
  const isRekeyed = account !== found.account?.domain || primary !== found.primary?.email;
  const holderOf = (email: string | undefined) => (email === undefined ? null : state.findContact(email));
  // Undefined: the contact does not exist yet and so has no deals.
  const owner = isRekeyed ? holderOf(primary) : found.owner;
  const known = account === undefined ? null : (state.findAccount(account) ?? null);
  const name = typeof fields['name'] === 'string' ? fields['name'] : found.name;
  const isNewOwner = account === undefined ? owner === undefined : known === null;
  const holder = isNewOwner ? undefined : state.findDeal(name, known, owner ?? null);
  if (holder !== undefined && holder !== found) return 409;

  const before = found.account;
  found.account = account === undefined ? null : state.ensureAccount(account);
  const isChanged = state.assign(found, fields) || found.account !== before;
  const newPrimary = primary === undefined ? null : state.ensureContact(primary);
  if (isRekeyed) found.owner = newPrimary;
  const wanted = (related.additional ?? []).map((email) => state.ensureContact(email));
  const additional = related.additional === undefined ? found.additional : wanted;
  return bump(found, state.assignContacts(found, newPrimary, additional) || isChanged);
};

/** `DELETE accounts` */
export const deleteAccount = (state: ModelState, domain: string): Outcome => {
  const found = state.accountAt(domain);
  if (found === undefined) return 404;
  if ([...state.contacts, ...state.deals].some(({ account }) => account === found)) return 409;
  state.deletedAccounts.push(...state.accounts.splice(state.accounts.indexOf(found), 1));
  return 'deleted';
};

/** `DELETE contacts` */
export const deleteContact = (state: ModelState, email: string): Outcome => {
  const found = state.contactAt(email);
  if (found === undefined) return 404;
  for (const deal of state.deals) {
    const primary = deal.primary === found ? null : deal.primary;
    bump(
      deal,
      state.assignContacts(
        deal,
        primary,
        deal.additional.filter((contact) => contact !== found),
      ),
    );
  }
  state.contacts.splice(state.contacts.indexOf(found), 1);
  return 'deleted';
};

/** `DELETE opportunities` */
export const deleteDeal = (state: ModelState, index: number): Outcome => {
  if (state.deals[index] === undefined) return 404;
  state.deletedDeals.push(...state.deals.splice(index, 1));
  return 'deleted';
};
