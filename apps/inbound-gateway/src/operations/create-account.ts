import { createAccount as contract } from '@crm/contract';
import { createAccount as insertAccount, type NewAccount } from '@crm/db';
import { ErrorCollector } from '@crm/domain';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { readAccount } from '../input/read-account.js';
import { keptValueWarnings, warningsExtra } from '../warnings.js';

const sentColumns = (account: NewAccount) => [
  { field: 'name', column: 'name', value: account.name },
  { field: 'industry', column: 'industry', value: account.industry },
  { field: 'description', column: 'description', value: account.description },
  { field: 'website', column: 'website', value: account.website },
  { field: 'employee_range', column: 'employee_range', value: account.employeeRange },
];

/** `POST /v1/inbound/accounts`: the account of a domain, made or found as it is. */
export const createAccount = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) =>
  context.catalogs.use(caller.organizationId, async (catalog) => {
    const errors = new ErrorCollector();
    const account = readAccount(catalog, body, errors);
    errors.throwIfAny();
    const { id, domain, name, recordStatus, stored } = await insertAccount(context.database, catalog, account);
    return {
      message: recordStatus === 'created' ? 'Account created' : 'Account exists already',
      data: { company_id: id, domain, name },
      extra: warningsExtra(keptValueWarnings(stored, sentColumns(account), account, '')),
      headers: { 'X-Record-Status': recordStatus },
    };
  }),
);
