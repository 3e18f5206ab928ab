import type { Event, Webhook, WebhookAttempt } from '@crm/client';
import {
  createWebhook,
  deleteWebhook,
  type OperationContract,
  replayWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '@crm/contract';
import type { LoggedEvent } from '@crm/webhooks';
import type { Command } from 'commander';

import { textTable } from '../administration/text-table.js';
import { connectClient, findReadGateway } from '../api/gateways.js';
import { printable, printResult, type CliContext } from '../cli-context.js';
import { eventError, type EventOptions, withEventOptions } from '../events/event-options.js';
import { httpUrl, wholeNumber } from '../options.js';
import { findWebhook, listWebhooks } from '../setup/lookup.js';
import type { SetupCommand } from '../setup/make-command.js';
import { withWebhookOptions, withWebhooks, type WebhookOptions } from '../setup/session.js';
import { followLog } from './events-tail.js';

const stateOf = ({ state, is_failing: isFailing }: Webhook): string =>
  state === 'active' && isFailing ? 'failing' : state;

const show = ({ webhook, secret }: { readonly webhook: Webhook; readonly secret?: string }) => ({
  json: { ...webhook, ...(secret !== undefined && { secret }) },
  text:
    `Webhook ${webhook.url}, ${stateOf(webhook)}: ${webhook.webhook_id}` +
    (secret === undefined ? '' : `\nSecret, not shown again: ${secret}`),
});

const onWebhook = (
  word: string,
  contract: OperationContract,
  description: string,
  [example, note = '']: readonly [options: string, note?: string],
  call: SetupCommand['call'],
): SetupCommand => ({
  ...{ name: `webhook ${word}`, contract, description, argument: { entry: 'webhook' }, call, show },
  help: `\nExample:\n  $ crm webhook ${word} https://hooks.example.com/crm${example}${note === '' ? '' : `\n\n${note}`}`,
});

const seeAttempts = 'The result is in: crm webhook attempts';

/** The commands of webhooks with one operation each. */
export const webhookCommands: readonly SetupCommand[] = [
  {
    ...{ name: 'webhook create', contract: createWebhook, argument: { property: 'url' }, show },
    call: (client, _id, body) => client.webhooks.create(body),
    description: 'add a receiver, which gets the events after now',
    help: `
Examples:
  $ crm webhook create http://127.0.0.1:3999/hook
  $ crm webhook create https://hooks.example.com/crm --object opportunity --type opportunity.updated --payload thin

The key needs the group webhooks. Next: crm webhook test URL`,
  },
  onWebhook(
    ...(['update', updateWebhook, 'change, pause or continue a webhook'] as const),
    [' --state paused', 'A paused or disabled webhook continues from its position with --state active.'],
    (client, id, body) => client.webhooks.update(id, body),
  ),
  {
    ...onWebhook('delete', deleteWebhook, 'delete a webhook', [''], (client, id) => client.webhooks.delete(id)),
    show: ({ id }: { readonly id: string }) => ({ json: { webhook_id: id }, text: 'The webhook is deleted.' }),
  },
  onWebhook('test', testWebhook, 'send a message of the type webhook.test', ['', seeAttempts], (client, id) =>
    client.webhooks.test(id),
  ),
  onWebhook(
    ...(['replay', replayWebhook, 'send events again'] as const),
    [' --from 1000 --to 1042', seeAttempts],
    (client, id, body) => client.webhooks.replay(id, body),
  ),
  onWebhook(
    ...(['rotate-secret', rotateWebhookSecret, 'create a new secret'] as const),
    ['', 'For a day, messages are signed with the new and the old secret.'],
    (client, id) => client.webhooks.rotateSecret(id),
  ),
];

/** Adds `crm webhook list`. */
export const addWebhookListCommand = (group: Command, context: CliContext): void => {
  const command = group.command('list').description('list webhooks and the state of their deliveries');
  withWebhookOptions(command).action(async (options: WebhookOptions) => {
    const webhooks = await withWebhooks(context, options, ({ client }) => listWebhooks(client));
    const cells = webhooks.map((webhook) => [
      ...[webhook.webhook_id, webhook.url, stateOf(webhook), String(webhook.last_position - webhook.position)],
      ...[String(webhook.parked_records), webhook.next_retry_at ?? '', webhook.state_reason ?? ''],
    ]);
    const header = ['WEBHOOK', 'URL', 'STATE', 'EVENTS LEFT', 'PARKED RECORDS', 'NEXT TRY', ''];
    const text = textTable(header, cells, 'There is none yet: crm webhook create URL');
    printResult(context, options, { json: { webhooks }, text });
  });
};

const attemptCells = (attempt: WebhookAttempt): readonly string[] => {
  const { first_position: first, last_position: last, type, record_id: record } = attempt;
  const positions = first === last ? `${first ?? ''}` : `${first ?? ''}-${last ?? ''}`;
  const what = [type, record].filter((text) => text !== null).join(' ');
  const why = [attempt.error, attempt.response].filter((text) => text !== null && text !== '').join(': ');
  return [attempt.occurred_at, attempt.outcome, positions, String(attempt.attempt ?? ''), what, why];
};

/** Adds `crm webhook attempts`. */
export const addWebhookAttemptsCommand = (group: Command, context: CliContext): void => {
  const command = group
    .command('attempts')
    .description('show what the worker did, newest first: failed attempts, and deliveries by the minute')
    .argument('<webhook>', 'its id or URL')
    .option('--limit <n>', 'the most entries to show', wholeNumber(1, 500), 20);
  withWebhookOptions(command).action(async (name: string, options: WebhookOptions & { readonly limit: number }) => {
    const { limit } = options;
    const { attempts } = await withWebhooks(context, options, async ({ client }) => {
      const { webhook_id: id } = await findWebhook(client, name);
      return (await client.webhooks.attempts(id, { limit }).page()).data;
    });
    const header = ['AT', 'OUTCOME', 'POSITIONS', 'TRY', 'EVENT', 'ERROR'];
    const text = textTable(header, attempts.map(attemptCells), 'Nothing was sent in the last seven days.');
    printResult(context, options, { json: { attempts }, text });
  });
};

interface ListenOptions extends EventOptions {
  readonly forward: string;
  readonly secret?: string;
}

/** Adds `crm webhook listen`. */
export const addWebhookListenCommand = (group: Command, context: CliContext): void => {
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

const toLogged = ({ record_id: recordId, occurred_at: occurredAt, ...rest }: Event, json: string): LoggedEvent => ({
  ...{ recordId, occurredAt, json: Buffer.from(json) },
  ...rest,
});

const listen = async (context: CliContext, options: ListenOptions): Promise<void> => {
  const { eventMessage, newSecret, Sender } = await import('@crm/webhooks');
  const { url, apiKey } = await findReadGateway(context, options);
  const { forward, secret = newSecret() } = options;
  const signal = context.onInterrupt();
  const sender = new Sender(['0.0.0.0/0', '::/0']);
  context.stderr.write(`Posting changes to ${forward}, signed with the secret ${secret}\n`);
  try {
    const stream = await followLog(connectClient({ readUrl: url, apiKey }), options, signal);
    for await (const { events, log_id: logId } of stream.pages()) {
      for (const event of events) {
        const message = eventMessage(toLogged(event, JSON.stringify(event)), 'full', logId);
        const { status, error } = await sender.send(forward, [secret], message);
        const line = `${event.position} ${event.type} ${event.record_id}: ${error ?? `answered ${status}`}`;
        context.stdout.write(`${printable(line)}\n`);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw eventError(url, error, 'Without --after the command posts new changes only.');
  } finally {
    sender.close();
  }
};
