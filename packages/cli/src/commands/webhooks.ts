import type { Event, ParkedRecord, Webhook, WebhookAttempt } from '@crm/client';
import {
  createWebhook,
  deleteWebhook,
  replayWebhook,
  rotateWebhookSecret,
  skipWebhookEvents,
  testWebhook,
  updateWebhook,
} from '@crm/contract';
import type { LoggedEvent } from '@crm/webhooks';
import type { Command } from 'commander';

import { textTable } from '../administration/text-table.js';
import type { GatewayOptions } from '../api/gateways.js';
import { printable, type CliContext } from '../cli-context.js';
import type { AddCommand } from '../command.js';
import { type EventOptions, followLog, withEventOptions } from '../events/event-options.js';
import { httpUrl, wholeNumber } from '../options.js';
import { findWebhook, listWebhooks } from '../setup/lookup.js';
import { addSetupCommand, type SetupCommand, webhookCommand } from '../setup/make-command.js';

const stateOf = ({ state, is_failing: isFailing }: Webhook): string =>
  state === 'active' && isFailing ? 'failing' : state;

const show = ({ webhook, secret }: { readonly webhook: Webhook; readonly secret?: string }) => ({
  json: { ...webhook, ...(secret !== undefined && { secret }) },
  text:
    `Webhook ${webhook.url}, ${stateOf(webhook)}: ${webhook.webhook_id}` +
    (secret === undefined ? '' : `\nSecret, not shown again: ${secret}`),
});

const onWebhook = { argument: { entry: 'webhook' }, show } as const;

const helpOf = (command: string, note = ''): string =>
  `\nExample:\n  $ crm webhook ${command}${note === '' ? '' : `\n\n${note}`}`;

const url = 'https://hooks.example.com/crm';
const seeAttempts = 'The result is in: crm webhook attempts';

/** The commands with one operation each. */
const operationCommands: readonly SetupCommand[] = [
  {
    name: 'webhook create',
    contract: createWebhook,
    argument: { property: 'url' },
    call: (client, _id, body) => client.webhooks.create(body),
    show,
    description: 'add a receiver, which gets the events after now',
    help: `
Examples:
  $ crm webhook create http://127.0.0.1:3999/hook
  $ crm webhook create ${url} --object opportunity --type opportunity.updated --payload thin

The key needs the group webhooks. Next: crm webhook test URL`,
  },
  {
    ...onWebhook,
    name: 'webhook update',
    contract: updateWebhook,
    call: (client, id, body) => client.webhooks.update(id, body),
    description: 'change, pause or continue a webhook',
    help: helpOf(
      `update ${url} --state paused`,
      'A paused or disabled webhook continues from its position with --state active.',
    ),
  },
  {
    ...onWebhook,
    name: 'webhook delete',
    contract: deleteWebhook,
    call: (client, id) => client.webhooks.delete(id),
    show: ({ id }: { readonly id: string }) => ({ json: { webhook_id: id }, text: 'The webhook is deleted.' }),
    description: 'delete a webhook',
    help: helpOf(`delete ${url}`),
  },
  {
    ...onWebhook,
    name: 'webhook test',
    contract: testWebhook,
    call: (client, id) => client.webhooks.test(id),
    description: 'send a message of the type webhook.test',
    help: helpOf(`test ${url}`, seeAttempts),
  },
  {
    ...onWebhook,
    name: 'webhook replay',
    contract: replayWebhook,
    call: (client, id, body) => client.webhooks.replay(id, body),
    description: 'send events again',
    help: helpOf(`replay ${url} --from 1000 --to 1042`, seeAttempts),
  },
  {
    ...onWebhook,
    name: 'webhook skip',
    contract: skipWebhookEvents,
    call: (client, id, body) => client.webhooks.skip(id, body),
    show: (data: { readonly webhook: Webhook; readonly skipped_events: number }) => ({
      json: { ...data.webhook, skipped_events: data.skipped_events },
      text: `${show(data).text}\nEvents given up: ${data.skipped_events}`,
    }),
    description: 'give up events that were not delivered',
    help: helpOf(`skip ${url} --from 1042`, `See what is left: crm webhook parked\n\n${seeAttempts}`),
  },
  {
    ...onWebhook,
    name: 'webhook rotate-secret',
    contract: rotateWebhookSecret,
    call: (client, id) => client.webhooks.rotateSecret(id),
    description: 'create a new secret',
    help: helpOf(`rotate-secret ${url}`, 'For a day, messages are signed with the new and the old secret.'),
  },
];

const list = webhookCommand({
  name: 'list',
  description: 'list webhooks and the state of their deliveries',
  run: async ({ client }) => {
    const webhooks = await listWebhooks(client);
    const cells = webhooks.map((webhook) => [
      webhook.webhook_id,
      webhook.url,
      stateOf(webhook),
      String(webhook.last_position - webhook.position),
      String(webhook.parked_records),
      webhook.next_retry_at ?? '',
      webhook.state_reason ?? '',
    ]);
    const header = ['WEBHOOK', 'URL', 'STATE', 'EVENTS LEFT', 'PARKED RECORDS', 'NEXT TRY', ''];
    return { json: { webhooks }, text: textTable(header, cells, 'There is none yet: crm webhook create URL') };
  },
});

const attemptCells = (attempt: WebhookAttempt): readonly string[] => {
  const { first_position: first, last_position: last, type, record_id: record } = attempt;
  const positions = first === last ? `${first ?? ''}` : `${first ?? ''}-${last ?? ''}`;
  const what = [type, record].filter((text) => text !== null).join(' ');
  const why = [attempt.error, attempt.response].filter((text) => text !== null && text !== '').join(': ');
  return [attempt.occurred_at, attempt.outcome, positions, String(attempt.attempt ?? ''), what, why];
};

const attempts = webhookCommand({
  name: 'attempts',
  description: 'show what the worker did, newest first: failed attempts, and deliveries by the minute',
  define: (command) =>
    command
      .argument('<webhook>', 'its id or URL')
      .option('--limit <n>', 'the most entries to show', wholeNumber(1, 500), 20),
  run: async ({ client }, { limit }: GatewayOptions & { readonly limit: number }, webhook: string) => {
    const { webhook_id: id } = await findWebhook(client, webhook);
    const { attempts: found } = (await client.webhooks.attempts(id, { limit }).page()).data;
    const header = ['AT', 'OUTCOME', 'POSITIONS', 'TRY', 'EVENT', 'ERROR'];
    const text = textTable(header, found.map(attemptCells), 'Nothing was sent in the last seven days.');
    return { json: { attempts: found }, text };
  },
});

const parkedCells = (record: ParkedRecord): readonly string[] => [
  `${record.object} ${record.record_id}`,
  String(record.position),
  String(record.attempts),
  record.next_retry_at ?? '',
  record.error ?? '',
];

const parked = webhookCommand({
  name: 'parked',
  description: 'show the records with an event that was not delivered, sorted by position',
  define: (command) =>
    command
      .argument('<webhook>', 'its id or URL')
      .option('--limit <n>', 'the most records to show', wholeNumber(1, 500), 20),
  run: async ({ client }, { limit }: GatewayOptions & { readonly limit: number }, webhook: string) => {
    const { webhook_id: id } = await findWebhook(client, webhook);
    const { parked: found } = (await client.webhooks.parked(id, { limit }).page()).data;
    const header = ['RECORD', 'POSITION', 'TRIES', 'NEXT TRY', 'ERROR'];
    return { json: { parked: found }, text: textTable(header, found.map(parkedCells), 'No record is parked.') };
  },
});

interface ListenOptions extends EventOptions {
  readonly forward: string;
  readonly secret?: string;
}

const addListenCommand = (group: Command, context: CliContext): void => {
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

/** The commands of `crm webhook`. */
export const webhookCommands: readonly AddCommand[] = [
  ...operationCommands.map(addSetupCommand),
  list,
  attempts,
  parked,
  addListenCommand,
];
