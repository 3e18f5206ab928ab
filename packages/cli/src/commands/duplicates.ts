import type { CrmClient, Duplicate } from '@crm/client';
import { Argument, type Command } from 'commander';

import { textTable } from '../administration/text-table.js';
import { type CliContext, printResult } from '../cli-context.js';
import { CliError } from '../errors.js';
import {
  connectClient,
  findReadGateway,
  gatewayErrorText,
  type GatewayOptions,
  withGatewayOptions,
} from '../api/gateways.js';
import { type OutputOptions, wholeNumber, withJson } from '../options.js';
import { collections, objectChoices } from '../import/targets.js';

type DuplicateObject = 'account' | 'contact' | 'opportunity';

interface DuplicatesOptions extends OutputOptions, GatewayOptions {
  readonly limit: number;
}

const examples = `
Lists records that may be duplicates of older ones, with the reason. The older record comes first. It is usually the one to keep.

Examples:
  For the local stack (crm start):
    $ crm duplicates account
  For scripts:
    $ crm duplicates contact --json | jq '.duplicates[].id'

The key needs the group search.
Next: crm merge --help`;

/** Adds `crm duplicates`. */
export const addDuplicatesCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('duplicates')
    .description('list records that may be duplicates')
    .addArgument(objectChoices(new Argument('<object>', 'which kind of record'), ['account', 'contact', 'opportunity']))
    .option('--limit <count>', 'the most records to list', wholeNumber(1, 100_000), 100)
    .addHelpText('after', examples);
  withJson(withGatewayOptions(command, 'read')).action((object: DuplicateObject, options: DuplicatesOptions) =>
    listDuplicates(context, object, options),
  );
};

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

const listDuplicates = async (
  context: CliContext,
  object: DuplicateObject,
  options: DuplicatesOptions,
): Promise<void> => {
  const { url, apiKey } = await findReadGateway(context, options);
  const client = connectClient({ readUrl: url, apiKey });
  try {
    const json = await readDuplicates(client, object, options.limit);
    const more = json.has_more ? `\nThere may be more: --limit ${options.limit} was reached.` : '';
    printResult(context, options, { json: { ...json }, text: `${tableOf(json.duplicates)}${more}` });
  } catch (error) {
    throw new CliError(gatewayErrorText({ name: 'read gateway', url, option: '--url', groups: 'search' }, error));
  }
};
