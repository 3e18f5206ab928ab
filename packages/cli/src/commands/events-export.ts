import type { CrmClient } from '@crm/client';
import type { Command } from 'commander';

import { type CliContext, printResult } from '../cli-context.js';
import { CliError } from '../errors.js';
import { eventError, type EventOptions, withEventOptions } from '../events/event-options.js';
import { type ExportState, resumeHint, runExport, type TextPage } from '../export/output.js';
import { connectClient, findReadGateway } from '../api/gateways.js';
import { type OutputOptions, withJson } from '../options.js';

interface ExportEventsOptions extends OutputOptions, EventOptions {
  readonly output: string;
  readonly restart?: boolean;
}

const examples = `
Writes the events oldest first, one line of JSON for each. Events that happen after the start of the command are left out.

Examples:
  For the local stack (crm start):
    $ crm events export --output events.jsonl
    $ crm events export --object opportunity --after 1041 --output -

If the export is stopped or killed, run the same command again to continue. Until it is complete, the events are in FILE.partial
and the progress is in FILE.progress.json. --restart starts over. Without --after, the file begins at the oldest retained event.
The summary shows the last position. Give it as --after to the next export.
The key needs the group list.
Next: crm events tail --help`;

/** Adds `crm events export`. */
export const addEventsExportCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('export')
    .description('write the change log to a file of JSON lines')
    .requiredOption('--output <file>', 'the file to write; - for stdout')
    .option('--restart', 'start over instead of continuing')
    .addHelpText('after', examples);
  withJson(withEventOptions(command)).action((options: ExportEventsOptions) => exportEvents(context, options));
};

/** The position that an export has reached, and the one where it ends. Stored as the cursor of its state. */
interface Range {
  readonly after: number | undefined;
  readonly end: number;
  readonly logId: string;
}

const findRange = async (
  client: CrmClient,
  { after }: ExportEventsOptions,
  earlier: ExportState | undefined,
  signal: AbortSignal,
): Promise<Range> => {
  if (typeof earlier?.cursor === 'string') return JSON.parse(earlier.cursor) as Range;
  const { data } = await client.events.latest({ signal });
  // Position 0 means the oldest retained event.
  return { after: after === 0 ? undefined : after, end: data.position, logId: data.log_id };
};

/** Reads the pages up to the end of the range. The cursor of each is the rest of the range. */
async function* readPages(
  client: CrmClient,
  options: ExportEventsOptions,
  earlier: ExportState | undefined,
  signal: AbortSignal,
): AsyncGenerator<TextPage, void, undefined> {
  const range = await findRange(client, options, earlier, signal);
  const { after, end, logId } = range;
  if ((after ?? 0) >= end) return;
  const { object, changed } = options;
  const asked = { ...(after !== undefined && { after }), ...(object && { object }), ...(changed && { changed }) };
  for await (const page of client.events.iterate({ ...asked, logId, wait: 0, signal }).pages()) {
    const events = page.events.filter(({ position }) => position <= end);
    const reached = Math.min(page.next_position, end);
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    yield { text, cursor: JSON.stringify({ ...range, after: reached }), records: events.length };
    if (reached === end) return;
  }
}

const exportEvents = async (context: CliContext, options: ExportEventsOptions): Promise<void> => {
  const connection = await findReadGateway(context, options);
  const client = connectClient({ readUrl: connection.url, apiKey: connection.apiKey });
  const signal = context.onInterrupt();
  try {
    const { url = null, object = null, changed = null, after = null } = options;
    const { records, cursor } = await runExport({
      context,
      options,
      request: ['events', url, object, changed, after],
      noun: 'events',
      pages: (earlier) => readPages(client, options, earlier, signal),
    });
    const reached = cursor === null ? options : (JSON.parse(cursor) as Range);
    printSummary(context, options, { records, position: reached.after ?? 0 });
  } catch (error) {
    throw signal.aborted
      ? new CliError(`The export was interrupted.${resumeHint(options)}`)
      : eventError(connection.url, error, 'Start over with --restart and without --after.');
  }
};

const printSummary = (
  context: CliContext,
  options: ExportEventsOptions,
  { records, position }: { records: number; position: number },
): void => {
  const file = options.output === '-' ? null : options.output;
  const json = { file, events: records, last_position: position };
  const text = `${records} events up to position ${position}${file === null ? '' : `, in ${file}`}`;
  // Without a file, stdout has the events, so the summary goes to stderr.
  printResult(file === null ? { ...context, stdout: context.stderr } : context, options, { json, text });
};
