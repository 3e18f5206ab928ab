import { CrmApiError } from '@crm/client';
import { Argument, type Command } from 'commander';

import { uuid } from '../administration/session.js';
import {
  connectClient,
  findGateways,
  gatewayErrorText,
  type GatewayOptions,
  noGatewayError,
  withGatewayOptions,
} from '../api/gateways.js';
import { type CliContext, printResult } from '../cli-context.js';
import { CliError } from '../errors.js';
import { type OutputOptions, withJson } from '../options.js';
import { objectChoices } from '../import/targets.js';

type RestorableObject = 'account' | 'opportunity';

const examples = `
The record gets back its id, its values and its links to records that still exist. Contacts and notes cannot be restored, because
deleting them erases their data. Events are retained for EVENT_RETENTION_DAYS.

Examples:
  For the local stack (crm start):
    $ crm restore account ID

The key needs the group inbound.
Next: crm events tail --help prints deletions with the ids of their records`;

/** Adds `crm restore`. */
export const addRestoreCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('restore')
    .description('restore a deleted account or opportunity')
    .addArgument(objectChoices(new Argument('<object>', 'which kind of record'), ['account', 'opportunity']))
    .argument('<id>', 'id of the deleted record', uuid)
    .addHelpText('after', examples);
  withJson(withGatewayOptions(command, 'inbound')).action(
    (object: RestorableObject, id: string, options: OutputOptions & GatewayOptions) =>
      restore(context, { object, id }, options),
  );
};

const restore = async (
  context: CliContext,
  record: { readonly object: RestorableObject; readonly id: string },
  options: OutputOptions & GatewayOptions,
): Promise<void> => {
  const gateways = await findGateways(context, options, 'inbound');
  if (gateways === undefined) throw noGatewayError();
  const { url, apiKey } = gateways;
  const { events } = connectClient({ readUrl: url, inboundUrl: url, apiKey });
  try {
    const { data, warnings } = await events.restore(record);
    const lines = warnings.map(({ field, message }) => `${field}: ${message}.`);
    const text = [`Restored ${data.object} ${data.id}.`, ...lines].join('\n');
    printResult(context, options, { json: { ...data, warnings }, text });
  } catch (error) {
    if (error instanceof CrmApiError && error.code === 'not_found')
      throw new CliError(`The change log retains no deletion of the ${record.object} ${record.id}.`);
    throw new CliError(gatewayErrorText({ name: 'inbound gateway', url, option: '--url', groups: 'inbound' }, error));
  }
};
