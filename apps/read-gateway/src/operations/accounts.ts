import {
  getAccount,
  getAccountByDomain,
  listAccountDuplicates,
  listAccountFields,
  listAccountHistory,
  listAccounts,
  searchAccounts,
  summarizeAccounts,
} from '@crm/contract';
import { normalizeDomain, validationError } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { getRecord, readByKey } from '../get-record.js';
import { listFields } from '../list-fields.js';
import { listDuplicates, listHistory, listRecords, searchRecords } from '../list-records.js';
import { summarizeRecords } from '../summary.js';

/** The reads of accounts. */
export const accountOperations: readonly Operation<Context>[] = [
  listRecords(listAccounts, 'account'),
  searchRecords(searchAccounts, 'account'),
  summarizeRecords(summarizeAccounts, 'account'),
  getRecord(getAccount, 'account'),
  // The domain is normalized as in every request.
  operation(getAccountByDomain, async (context, { caller, params, query }) => {
    const domain = normalizeDomain(params.domain);
    if (!domain.ok) throw validationError({ domain: domain.message });
    return readByKey(context, caller, { objectType: 'account', domain: domain.value.domain }, query.fields);
  }),
  listHistory(listAccountHistory, 'account'),
  listDuplicates(listAccountDuplicates, 'account'),
  listFields(listAccountFields, 'account'),
];
