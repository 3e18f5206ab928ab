import { getAccountByDomain as contract } from '@crm/contract';
import { normalizeDomain, validationError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { getRecord } from '../get-record.js';

/** `GET /v1/accounts/by-domain/{domain}`: the account of a domain, normalized as in every request. */
export const getAccountByDomain = defineOperation<Context, typeof contract>(
  contract,
  async (context, { caller, params, query }) => {
    const domain = normalizeDomain(params.domain);
    if (!domain.ok) throw validationError({ domain: domain.message });
    return getRecord(context, caller, { objectType: 'account', domain: domain.value.domain }, query.fields);
  },
);
