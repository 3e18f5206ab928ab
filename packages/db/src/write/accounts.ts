import type { Change } from '@crm/domain';
import { accountSeed } from './related.js';
import type { CreatedRecord, OnMatch, UpdateTarget, Write, WrittenRecord } from './write.js';

/** The result of creating an account. */
export interface CreatedAccount extends CreatedRecord {
  readonly domain: string;
  readonly name: string | null;
}

/** Finds the account with the external id or domain, or creates it. The change has one of the two. */
export const accountCreate = (change: Change, onMatch: OnMatch): Write<CreatedAccount> => {
  const domain = change.set['domain'] as string | undefined;
  return {
    function: 'create_account',
    input: {
      defaults: domain === undefined ? {} : accountSeed(domain),
      change,
      on_match: onMatch,
    },
  };
};

/** Changes an account. A new name or domain is copied to its opportunities. */
export const accountUpdate = ({ id, version }: UpdateTarget, change: Change): Write<WrittenRecord> => ({
  function: 'update_account',
  input: { id, change: { ...change, version } },
});
