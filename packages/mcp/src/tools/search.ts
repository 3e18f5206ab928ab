import type { CrmClient } from '@crm/client';
import { z } from 'zod';
import { shorten } from '../budget.js';
import { filterArguments, pageArguments, readFilters } from '../filters.js';
import { readFittingPage } from '../pages.js';
import { collections, listFields, readContactId, recordsIn, showRecord } from '../records.js';
import type { RecordKind } from '../setup.js';
import { anyObject, defineTool, foreignWords, notice, reads, resultProperties, text, texts } from '../tool.js';

/** The argument of deals that names a person. */
const contactArgument = {
  contact: text('only deals of this person, as primary or as additional contact: the email or id of a contact'),
};

const searchTool = (kind: RecordKind, operation: string, hint: string) => {
  const name = `${kind}s`;
  return defineTool({
    name: `search_${name}`,
    title: `Search ${name}`,
    description: `Finds ${name} by words and filters. ${hint} ${foreignWords}`,
    annotations: reads,
    needs: [['search', operation]],
    input: z.object({
      ...filterArguments,
      ...(kind === 'deal' ? contactArgument : ({} as typeof contactArgument)),
      sort: text('as in "name" or "updated_at:desc" (default)'),
      fields: texts('further fields to return, such as custom__tier; default adds all custom fields'),
      ...pageArguments,
    }),
    output: z.object({ [name]: z.array(anyObject), ...resultProperties }),
    run: async ({ crm, setup }, { sort, fields = [], contact, limit, cursor, ...filters }) => {
      const body = {
        ...(await readFilters(kind, filters, setup)),
        ...(contact !== undefined && { contact_id: await readContactId(crm, contact) }),
        // The API checks these names; the type is that of any.
        ...(sort !== undefined && { sort: sort.split(',').map((key) => key.trim() as 'name') }),
        // Those of the caller first, so that errors have their index.
        fields: [...fields, ...listFields[kind]] as 'name'[],
      };
      const records = crm[collections[kind]] as CrmClient['opportunities'];
      const { items, ...rest } = await readFittingPage(cursor, limit, async (page) => {
        const { data } = await records.search({ ...body, ...page }).page();
        const shown = recordsIn(data).map(async (record) => shorten(await showRecord(record, kind, setup)));
        return { items: await Promise.all(shown), next: data.next_cursor };
      });
      return { [name]: items, ...rest, notice };
    },
  });
};

/** `search_deals`, `search_accounts` and `search_contacts` */
export const searchTools = [
  searchTool('deal', 'searchOpportunities', 'Filter by stage_name, owner_email, account_domain, amount, close_date …'),
  searchTool('account', 'searchAccounts', 'Accounts are companies.'),
  searchTool('contact', 'searchContacts', 'Contacts are people; account.domain is their company.'),
];
