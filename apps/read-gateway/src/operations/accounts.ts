import { accountReads, getAccountByDomain } from '@crm/contract';
import { normalizeDomain, validationError } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { readByKey } from '../get-record.js';
import { objectReads } from './object-reads.js';

/** The reads of accounts. */
export const accountOperations: readonly Operation<Context>[] = [
  ...objectReads('account', accountReads),
  // The domain is normalized as in every request.
  operation(getAccountByDomain, async (context, { caller, params, query }) => {
    const domain = normalizeDomain(params.domain);
    if (!domain.ok) throw validationError({ domain: domain.message });
    return readByKey(context, caller, { objectType: 'account', domain: domain.value.domain }, query);
  }),
];
