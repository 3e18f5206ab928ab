import { CrmApiError } from '@crm/client';
import { Argument } from 'commander';

import { uuid } from '../administration/session.js';
import { gatewayCommand, type GatewayOptions } from '../api/gateways.js';
import { CliError } from '../errors.js';
import { objectChoices } from '../import/targets.js';

/** Adds `crm restore`. */
export const addRestoreCommand = gatewayCommand(
  'inbound',
  'inbound',
)({
  name: 'restore',
  description: 'restore a deleted account or opportunity',
  help: `
The record gets back its id, its values and its links to records that still exist. Contacts and notes cannot be restored, because
deleting them erases their data. Events are retained for EVENT_RETENTION_DAYS.

Examples:
  For the local stack (crm start):
    $ crm restore account ID

The key needs the group inbound.
Next: crm events tail --help prints deletions with the ids of their records`,
  define: (command) =>
    command
      .addArgument(objectChoices(new Argument('<object>', 'which kind of record'), ['account', 'opportunity']))
      .argument('<id>', 'id of the deleted record', uuid),
  run: async ({ client }, _options: GatewayOptions, object: 'account' | 'opportunity', id: string) => {
    const { data, warnings } = await client.events.restore({ object, id }).catch((error: unknown) => {
      if (!(error instanceof CrmApiError) || error.code !== 'not_found') throw error;
      throw new CliError(`The change log retains no deletion of the ${object} ${id}.`);
    });
    const lines = warnings.map(({ field, message }) => `${field}: ${message}.`);
    return { json: { ...data, warnings }, text: [`Restored ${data.object} ${data.id}.`, ...lines].join('\n') };
  },
});
