import type { Outcome } from './rules.js';
import type { ModelAccount, ModelContact, ModelDeal, ModelState } from './state.js';

const fill = <Key extends string>(
  kept: Record<Key, unknown>,
  other: Record<Key, unknown>,
  names: readonly Key[],
): void => {
  for (const name of names) if (kept[name] === null || kept[name] === '') kept[name] = other[name];
};

/** Merges a deal into one that would have the same natural key. `renamed` is the contact that replaces a merged one. */
const mergeDeal = (
  state: ModelState,
  kept: ModelDeal,
  other: ModelDeal,
  renamed: (contact: ModelContact) => ModelContact,
): void => {
  if (kept.amount === null && (kept.currency === null || kept.currency === other.currency)) {
    fill(kept, other, ['amount', 'currency']);
  }
  fill(kept, other, ['next_step', 'score']);
  const others = [...(other.primary === null ? [] : [other.primary]), ...other.additional];
  const primary = kept.primary ?? other.primary;
  state.assignContacts(kept, primary && renamed(primary), [...kept.additional, ...others].map(renamed));
  kept.notes.push(...other.notes);
  kept.version += 1;
  state.deals.splice(state.deals.indexOf(other), 1);
};

/** The pairs of deals that a merge would give the same natural key: the one that moves, and the one that has the key. */
const collisionsOf = (
  state: ModelState,
  moved: readonly ModelDeal[],
  holder: (deal: ModelDeal) => ModelDeal | undefined,
) =>
  moved.flatMap((other) => {
    const kept = holder(other);
    return kept === undefined || !state.deals.includes(kept) ? [] : [{ kept, other }];
  });

/** `POST accounts/{id}/merge`, of two accounts that exist */
export const mergeAccounts = (
  state: ModelState,
  kept: ModelAccount,
  from: ModelAccount,
  mergesDeals: boolean,
): Outcome => {
  const moved = state.deals.filter(({ account }) => account === from);
  const collisions = collisionsOf(state, moved, ({ name }) => state.findDeal(name, kept, null));
  if (collisions.length > 0 && !mergesDeals) return 409;
  fill(kept, from, ['name', 'industry', 'score']);
  kept.version += 1;
  for (const pair of collisions) mergeDeal(state, pair.kept, pair.other, (contact) => contact);
  for (const record of [...state.contacts, ...state.deals]) {
    if (record.account !== from) continue;
    record.account = kept;
    record.version += 1;
  }
  kept.aliases.push(from.domain, ...from.aliases);
  from.mergedInto = kept;
  state.accounts.splice(state.accounts.indexOf(from), 1);
  return 'merged';
};

/** `POST contacts/{id}/merge`, of two contacts that exist */
export const mergeContacts = (
  state: ModelState,
  kept: ModelContact,
  from: ModelContact,
  mergesDeals: boolean,
): Outcome => {
  const renamed = (contact: ModelContact): ModelContact => (contact === from ? kept : contact);
  const moved = state.deals.filter(({ account, owner }) => account === null && owner === from);
  const collisions = collisionsOf(state, moved, ({ name }) => state.findDeal(name, null, kept));
  if (collisions.length > 0 && !mergesDeals) return 409;
  fill(kept, from, ['first_name', 'last_name', 'score']);
  kept.version += 1;
  for (const pair of collisions) mergeDeal(state, pair.kept, pair.other, renamed);
  for (const deal of state.deals) {
    if (deal.owner === from) deal.owner = kept;
    if (deal.primary !== from && !deal.additional.includes(from)) continue;
    state.assignContacts(deal, deal.primary && renamed(deal.primary), deal.additional.map(renamed));
    deal.version += 1;
  }
  kept.aliases.push(from.email, ...from.aliases);
  from.mergedInto = kept;
  state.contacts.splice(state.contacts.indexOf(from), 1);
  return 'merged';
};

const current = <R extends { mergedInto?: R | undefined }>(record: R | null, all: readonly R[]): R | null => {
  if (record?.mergedInto !== undefined) return current(record.mergedInto, all);
  return record !== null && all.includes(record) ? record : null;
};

/** `POST restore` of a deleted account */
export const restoreAccount = (state: ModelState, deleted: ModelAccount): Outcome => {
  if (state.findAccount(deleted.domain) !== undefined) return 409;
  state.accounts.push({ ...deleted, aliases: [], version: deleted.version + 1 });
  const [restored] = state.accounts.slice(-1);
  deleted.mergedInto = restored;
  state.deletedAccounts.splice(state.deletedAccounts.indexOf(deleted), 1);
  return 'restored';
};

/** `POST restore` of a deleted deal */
export const restoreDeal = (state: ModelState, deleted: ModelDeal): Outcome => {
  if (!state.isPipelineActive) return 409;
  const account = current(deleted.account, state.accounts);
  const primary = current(deleted.primary, state.contacts);
  const owner = account === null ? primary : null;
  if (state.findDeal(deleted.name, account, owner) !== undefined) return 409;
  const contacts = deleted.additional
    .map((contact) => current(contact, state.contacts))
    .filter((contact) => contact !== null);
  const stage = deleted.stage.isActive ? deleted.stage : state.defaultStage();
  const deal = { ...deleted, account, owner, stage, notes: [], version: deleted.version + 1 };
  state.assignContacts(deal, primary, contacts);
  state.deals.push(deal);
  state.deletedDeals.splice(state.deletedDeals.indexOf(deleted), 1);
  return 'restored';
};
