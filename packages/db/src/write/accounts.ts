import { isFreeMail } from '@crm/domain';
import { accountSeed } from './related.js';
import { type Change, type CustomValues, normalizeOrNull, columnChange, sentOnly } from './stored-values.js';
import type { CreatedRecord, OnMatch, UpdateTarget, Write, WrittenRecord } from './write.js';

/** Changes to a company: normalised, as `domain` makes them. Undefined keeps, null clears. */
export interface AccountChange extends CustomValues {
  readonly domain?: string | undefined;
  readonly externalId?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly industry?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly website?: string | null | undefined;
  readonly employeeRange?: string | null | undefined;
}

/** A company to be created or found: it has a domain or an external id. Its name is made from the domain unless it is given. */
export type NewAccount = AccountChange;

/** What the create of an account answers. */
export interface CreatedAccount extends CreatedRecord {
  readonly domain: string;
  readonly name: string | null;
}

/** The columns of a change, and what follows from them. */
export const accountColumns = (account: AccountChange): Change => {
  const { domain, name } = account;
  const change = columnChange(account, {
    external_id: account.externalId,
    industry: account.industry,
    description: account.description,
    website: account.website,
    employee_range: account.employeeRange,
  });
  return {
    ...change,
    set: { ...sentOnly({ domain, name }), ...change.set },
    derived: {
      ...sentOnly({
        normalized_name: name === undefined ? undefined : normalizeOrNull(name),
        is_freemail: domain === undefined ? undefined : isFreeMail(domain),
      }),
      ...change.derived,
    },
  };
};

/** Creates the account of a domain, or finds that of the domain or external id. */
export const accountCreate = (account: NewAccount, onMatch: OnMatch): Write<CreatedAccount> => ({
  function: 'create_account',
  key: account.domain ?? null,
  input: {
    defaults: account.domain === undefined ? {} : accountSeed(account.domain),
    change: accountColumns(account),
    on_match: onMatch,
  },
});

/** Changes an account; a new name or domain reaches its opportunities. */
export const accountUpdate = ({ id, version }: UpdateTarget, account: AccountChange): Write<WrittenRecord> => ({
  function: 'update_account',
  input: { id, change: { ...accountColumns(account), version } },
});
