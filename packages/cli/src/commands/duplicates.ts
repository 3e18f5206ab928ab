import type { CrmClient, Duplicate } from '@crm/client';
import { Argument } from 'commander';

import { textTable } from '../administration/text-table.js';
import { gatewayCommand, type GatewayOptions } from '../api/gateways.js';
import { collections, objectChoices } from '../import/targets.js';
import { wholeNumber } from '../options.js';

type DuplicateObject = 'account' | 'contact' | 'opportunity';

/** Up to `limit` duplicates, and whether there may be more. */
const readDuplicates = async (
  client: CrmClient,
  object: DuplicateObject,
  limit: number,
): Promise<{ readonly duplicates: readonly Duplicate[]; readonly has_more: boolean }> => {
  const duplicates: Duplicate[] = [];
  for await (const duplicate of client[collections[object]].duplicates({ limit: Math.min(limit, 500) })) {
    if (duplicates.length === limit) return { duplicates, has_more: true };
    duplicates.push(duplicate);
  }
  return { duplicates, has_more: false };
};

const tableOf = (duplicates: readonly Duplicate[]): string =>
  textTable(
    ['OLDER', 'KEY', 'YOUNGER', 'KEY', 'NAME', 'REASON'],
    duplicates.flatMap(({ id, key, name, candidates }) =>
      candidates.map((older) => [older.id, older.key ?? '', id, key ?? '', name ?? '', older.reasons.join(' ')]),
    ),
    'No duplicates found.',
  );

interface DuplicatesOptions extends GatewayOptions {
  readonly limit: number;
}

/** Adds `crm duplicates`. */
export const addDuplicatesCommand = gatewayCommand(
  'read',
  'search',
)({
  name: 'duplicates',
  description: 'list records that may be duplicates',
  help: `
Lists records that may be duplicates of older ones, with the reason. The older record comes first. It is usually the one to keep.

Examples:
  For the local stack (crm start):
    $ crm duplicates account
  For scripts:
    $ crm duplicates contact --json | jq '.duplicates[].id'

The key needs the group search.
Next: crm merge --help`,
  define: (command) =>
    command
      .addArgument(
        objectChoices(new Argument('<object>', 'which kind of record'), ['account', 'contact', 'opportunity']),
      )
      .option('--limit <count>', 'the most records to list', wholeNumber(1, 100_000), 100),
  run: async ({ client }, { limit }: DuplicatesOptions, object: DuplicateObject) => {
    const json = await readDuplicates(client, object, limit);
    const more = json.has_more ? `\nThere may be more: --limit ${limit} was reached.` : '';
    return { json: { ...json }, text: `${tableOf(json.duplicates)}${more}` };
  },
});
