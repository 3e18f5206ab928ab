import { CrmApiError, type CrmClient, type Merged } from '@crm/client';
import { Argument } from 'commander';

import { uuidPattern } from '../administration/session.js';
import { gatewayCommand, gatewayErrorText, type GatewayOptions, requestText } from '../api/gateways.js';
import { CliError, usageError } from '../errors.js';
import { objectChoices } from '../import/targets.js';

const resultText = (object: string, merged: Merged, mergesDeals: boolean): string => {
  const [did, moved] = merged.dry_run ? ['Would merge', 'Would move'] : ['Merged', 'Moved'];
  const counts = `contacts ${merged.contacts}, opportunities ${merged.opportunities}, notes ${merged.notes}`;
  return [
    `${did} ${object} ${merged.from} into ${merged.id}.`,
    `${moved}: ${counts}. Opportunities merged: ${merged.merged_opportunities}. Filled: ${merged.filled.join(', ') || 'nothing'}.`,
    ...merged.conflicts.map(({ id, existing_id: existing, name }) => `Same name: "${name}" ${id} and ${existing}`),
    ...(merged.dry_run && merged.conflicts.length > 0 && !mergesDeals
      ? ['Without --merge-deals the merge is refused. Add it, or rename one opportunity of each pair.']
      : []),
  ].join('\n');
};

/** Finds a record by its id, domain or email. @throws CliError if there is none */
const findId = async (client: CrmClient, object: string, text: string, url: string | undefined): Promise<string> => {
  if (uuidPattern.test(text)) return text;
  if (url === undefined) throw usageError(`${text} is not an id. To name it by domain or email, give --read-url too.`);
  try {
    if (object === 'account') return (await client.accounts.getByDomain(text)).data.account.id;
    return (await client.contacts.getByEmail(text)).data.contact.id;
  } catch (error) {
    if (error instanceof CrmApiError && [400, 404].includes(error.status))
      throw new CliError(`There is no ${object} ${text}. Give a domain, an email or an id that exists.`);
    throw new CliError(gatewayErrorText({ name: 'read gateway', url, option: '--read-url', groups: 'list' }, error));
  }
};

/** Describes why a merge failed. Here, a 404 or a 400 means that a record is unknown, not that the address or an option is wrong. */
const refusalOf = (error: unknown): unknown => {
  if (!(error instanceof CrmApiError)) return error;
  if (error.code === 'not_found') return new CliError(`There is no record KEEP: ${error.message}.`);
  const said = `${error.message}${requestText(error)}`;
  if (error.conflicts === undefined) return error.status === 400 ? new CliError(said) : error;
  const advice = '--dry-run lists the opportunities with the same name; --merge-deals merges them.';
  return new CliError(`${said}. ${advice}`);
};

interface MergeOptions extends GatewayOptions {
  readonly dryRun?: boolean;
  readonly mergeDeals?: boolean;
}

/** Adds `crm merge`. */
export const addMergeCommand = gatewayCommand(
  'inbound',
  'delete',
  true,
)({
  name: 'merge',
  description: 'merge a duplicate account or contact into the one that stays',
  help: `
KEEP and FROM are domains of accounts, emails of contacts, or ids. KEEP gets the opportunities, notes and contacts of FROM. Empty
values of KEEP are filled with those of FROM. FROM is deleted, and its domain or email then refers to KEEP. This cannot be undone.

Examples:
  For the local stack (crm start), first print what would change, then merge:
    $ export CRM_INBOUND_URL=http://127.0.0.1:4001 CRM_READ_URL=http://127.0.0.1:4000 CRM_API_KEY=crm_live_…
    $ crm merge account acme.com acme.de --dry-run
    $ crm merge account acme.com acme.de --merge-deals

The key needs the group delete, and list for domains and emails. No key has delete by default: crm key create --allow list,delete.
Next: crm duplicates --help`,
  define: (command) =>
    command
      .addArgument(objectChoices(new Argument('<object>', 'which kind of record'), ['account', 'contact']))
      .argument('<keep>', 'domain, email or id of the record that stays')
      .argument('<from>', 'domain, email or id of the record to merge into it and delete')
      .option('--dry-run', 'print what would change, and change nothing')
      .option('--merge-deals', 'also merge opportunities that would have the same pipeline, account and name'),
  run: async (
    { client, readUrl },
    { dryRun = false, mergeDeals = false }: MergeOptions,
    object: 'account' | 'contact',
    keep: string,
    from: string,
  ) => {
    const keepId = await findId(client, object, keep, readUrl);
    const body = { from: await findId(client, object, from, readUrl), dry_run: dryRun };
    const records = object === 'account' ? client.accounts : client.contacts;
    try {
      const { data } = await records.merge(keepId, mergeDeals ? { ...body, deals: 'merge' } : body);
      return { json: { ...data }, text: resultText(object, data, mergeDeals) };
    } catch (error) {
      throw refusalOf(error);
    }
  },
});
