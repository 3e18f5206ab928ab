import type { Event } from '@crm/client';
import type { LoggedEvent } from '@crm/webhooks';
import type { Command } from 'commander';

import { printable, type CliContext } from '../cli-context.js';
import { type EventOptions, followLog, withEventOptions } from '../events/event-options.js';
import { httpUrl } from '../options.js';

interface ListenOptions extends EventOptions {
  readonly forward: string;
  readonly secret?: string;
}

/** Adds `crm webhook listen`. */
export const addListenCommand = (group: Command, context: CliContext): void => {
  const command = group
    .command('listen')
    .description('post changes to a program on this machine, while you develop')
    .requiredOption('--forward <url>', 'where to post them', httpUrl)
    .option('--secret <secret>', 'signs the messages (default: a new one, which is shown)')
    .addHelpText(
      'after',
      `
Reads the change log, so it needs no webhook and no public address. Runs until Ctrl-C. It posts each event once, even if the
program fails. Without --after, it posts new changes only.

Example:
  $ crm webhook listen --forward http://127.0.0.1:3999/hook

The key needs the group list.`,
    );
  withEventOptions(command).action((options: ListenOptions) => listen(context, options));
};

/** @param text - the event as it arrived, which is what the worker sends */
const toLogged = (event: Event, text: string): LoggedEvent => ({
  ...event,
  recordId: event.record_id,
  occurredAt: event.occurred_at,
  mergedInto: event.merged_into,
  mergedFrom: event.merged_from,
  json: Buffer.from(text),
});

const listen = async (context: CliContext, options: ListenOptions): Promise<void> => {
  const { eventMessage, newSecret, Sender } = await import('@crm/webhooks');
  const { forward, secret = newSecret() } = options;
  const sender = new Sender(['0.0.0.0/0', '::/0']);
  const start = `Posting changes to ${forward}, signed with the secret ${secret}\n`;
  const next = 'Without --after the command posts new changes only.';
  await followLog(context, options, { start, next }, async ({ events, log_id: logId }, texts) => {
    const sent = texts();
    for (const [index, event] of events.entries()) {
      const message = eventMessage(toLogged(event, sent[index] ?? ''), 'full', logId);
      const { status, error } = await sender.send(forward, [secret], message);
      const line = `${event.position} ${event.type} ${event.record_id}: ${error ?? `answered ${status}`}`;
      context.stdout.write(`${printable(line)}\n`);
    }
    return true;
  }).finally(() => sender.close());
};
