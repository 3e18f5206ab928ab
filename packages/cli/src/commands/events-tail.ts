import type { CrmClient, EventStream } from '@crm/client';
import type { Command } from 'commander';

import { type CliContext, jsonLine, printable } from '../cli-context.js';
import { eventLine } from '../events/event-line.js';
import { eventError, type EventOptions, withEventOptions } from '../events/event-options.js';
import { streamOutput } from '../export/output.js';
import { connectClient, findReadGateway } from '../api/gateways.js';

interface TailOptions extends EventOptions {
  readonly json?: boolean;
}

const examples = `
Runs until Ctrl-C. Without --after, it shows new changes only. While the gateway is unreachable, it waits.

Examples:
  For the local stack (crm start), in another terminal:
    $ crm events tail
    $ crm events tail --object opportunity --after 0

  For scripts, each event as one line of JSON:
    $ crm events tail --json | jq --unbuffered .type

The key needs the group list.
Next: crm events export --help`;

/** Adds `crm events tail`. */
export const addEventsTailCommand = (parent: Command, context: CliContext): void => {
  const command = parent.command('tail').description('show changes as they happen').addHelpText('after', examples);
  withEventOptions(command)
    .option('--json', 'print each event as one line of JSON')
    .action((options: TailOptions) => tailEvents(context, options));
};

const startOver = 'Without --after the command shows new changes only.';

/** Follows the change log: from `--after`, or new changes only. */
export const followLog = async (
  client: CrmClient,
  options: EventOptions,
  signal: AbortSignal,
): Promise<EventStream> => {
  const { data } = await client.events.latest({ signal });
  const { object, after = data.position } = options;
  return client.events.iterate({ after, logId: data.log_id, signal, ...(object && { object }) });
};

const tailEvents = async (context: CliContext, options: TailOptions): Promise<void> => {
  const connection = await findReadGateway(context, options);
  const client = connectClient({ readUrl: connection.url, apiKey: connection.apiKey });
  const signal = context.onInterrupt();
  const output = streamOutput(context.stdout);
  try {
    for await (const page of (await followLog(client, options, signal)).pages()) {
      const lines = page.events.map((event) => (options.json === true ? jsonLine(event) : printable(eventLine(event))));
      if (lines.length > 0 && !(await output.writePage(`${lines.join('\n')}\n`, null, 0))) return;
    }
  } catch (error) {
    if (!signal.aborted) throw eventError(connection.url, error, startOver);
  }
};
