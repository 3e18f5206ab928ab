import { isFreeMail } from '@crm/domain';
import { accountSeed } from './related.js';
import { type Change, type CustomValues, normalizeOrNull, columnChange, sentOnly } from './stored-values.js';
import type { CreatedRecord, OnMatch, UpdateTarget, Write, WrittenRecord } from './write.js';

/** Changes of an account, with values normalized by the package `domain`. Undefined keeps the value, null clears it. */
export interface AccountChange extends CustomValues {
  readonly domain?: string | undefined;
  readonly externalId?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly industry?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly website?: string | null | undefined;
  readonly employeeRange?: string | null | undefined;
}

/** An account to create or find. It has a domain or an external id. The default name is derived from the domain. */
export type NewAccount = AccountChange;

/** The result of creating an account. */
export interface CreatedAccount extends CreatedRecord {
  readonly domain: string;
  readonly name: string | null;
}

/** The columns of a change and the columns derived from them. */
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

/** Finds the account with the external id or domain, or creates it. */
export const accountCreate = (account: NewAccount, onMatch: OnMatch): Write<CreatedAccount> => ({
  function: 'create_account',
  input: {
    defaults: account.domain === undefined ? {} : accountSeed(account.domain),
    change: accountColumns(account),
    on_match: onMatch,
  },
});

/** Changes an account. A new name or domain is copied to its opportunities. */
export const accountUpdate = ({ id, version }: UpdateTarget, account: AccountChange): Write<WrittenRecord> => ({
  function: 'update_account',
  input: { id, change: { ...accountColumns(account), version } },
});
