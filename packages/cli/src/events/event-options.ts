import { CrmError, CrmStartOverError, type Event, type EventLogPage } from '@crm/client';
import { Option, type Command } from 'commander';

import { CliError, errorText } from '../errors.js';
import {
  connectClient,
  findReadGateway,
  gatewayErrorText,
  type GatewayOptions,
  withGatewayOptions,
} from '../api/gateways.js';
import type { CliContext } from '../cli-context.js';
import { wholeNumber } from '../options.js';
import { eventTexts } from './event-texts.js';
import { objectChoices } from '../import/targets.js';

/** Options of the commands that read the change log. */
export interface EventOptions extends GatewayOptions {
  readonly object?: Event['object'];
  readonly changed?: string[];
  readonly after?: number;
}

const objects = ['opportunity', 'account', 'contact', 'note'] as const;
const largestPosition = 999_999_999;

/** Adds the options of {@link EventOptions}. */
export const withEventOptions = (command: Command): Command =>
  withGatewayOptions(
    command
      .addOption(objectChoices(new Option('--object <object>', 'only events of this kind of record'), objects))
      .option('--changed <field...>', 'of the updates, only those that changed one of these fields')
      .option(
        '--after <position>',
        'only events after this position; 0 for all that are retained',
        wholeNumber(0, largestPosition),
      ),
    'read',
  );

/** Converts a failure to read the change log into an error that says what to do next. */
export const eventError = (url: string, error: unknown, next: string): unknown => {
  if (error instanceof CliError) return error;
  if (error instanceof CrmStartOverError) {
    const oldest =
      error.oldestPosition === undefined ? '' : ` The oldest event has the position ${error.oldestPosition}.`;
    return new CliError(`${error.message}.${oldest} ${next}`);
  }
  const gateway = { name: 'read gateway', url, option: '--url', groups: 'list' } as const;
  return new CliError(error instanceof CrmError ? gatewayErrorText(gateway, error) : `${errorText(error)}.`);
};

/**
 * Follows the change log until Ctrl-C: from `--after`, or new changes only.
 *
 * @param texts - what to print once the gateway is found, and what to do next if events after `--after` have expired
 * @param onPage - returns false to stop; `texts` are the events as they arrived
 */
export const followLog = async (
  context: CliContext,
  options: EventOptions,
  { start = '', next }: { readonly start?: string; readonly next: string },
  onPage: (page: EventLogPage, texts: () => readonly string[]) => Promise<boolean>,
): Promise<void> => {
  const { url, apiKey } = await findReadGateway(context, options);
  context.stderr.write(start);
  // A page is read only after the one before was handled, so this is the answer that the page came from.
  let answer = '';
  const fetchText: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    answer = await response.clone().text();
    return response;
  };
  const { events } = connectClient({ readUrl: url, apiKey, fetch: fetchText });
  const signal = context.onInterrupt();
  try {
    const { data } = await events.latest({ signal });
    const { object, changed, after = data.position } = options;
    // Position 0 means the oldest retained event.
    const from = options.after === 0 ? {} : { after };
    const stream = events.iterate({
      ...from,
      logId: data.log_id,
      signal,
      ...(object && { object }),
      ...(changed && { changed }),
    });
    for await (const page of stream.pages()) if (!(await onPage(page, () => eventTexts(answer)))) return;
  } catch (error) {
    if (!signal.aborted) throw eventError(url, error, next);
  }
};
