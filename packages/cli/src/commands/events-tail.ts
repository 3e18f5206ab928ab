import type { Event } from '@crm/client';
import type { Command } from 'commander';

import { type CliContext, jsonLine, printable } from '../cli-context.js';
import { type EventOptions, followLog, withEventOptions } from '../events/event-options.js';
import { writeText } from '../export/output.js';

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

const tailEvents = (context: CliContext, options: TailOptions): Promise<void> =>
  followLog(context, options, { next: 'Without --after the command shows new changes only.' }, async ({ events }) => {
    const lines = events.map((event) => (options.json === true ? jsonLine(event) : printable(eventLine(event))));
    return lines.length === 0 || writeText(context.stdout, `${lines.join('\n')}\n`);
  });

/** The fields that name a record, in order of preference. */
const nameKeys = ['name', 'title', 'domain', 'email'] as const;

const mostCharacters = 200;

const nameOf = ({ record, previous }: Event): string => {
  const values = record ?? previous ?? {};
  for (const key of nameKeys) {
    const value = values[key];
    if (typeof value === 'string' && value !== '') return ` ${JSON.stringify(value)}`;
  }
  return '';
};

const customPrefix = 'custom_fields.';

const valueOf = (values: Event['record'], name: string): unknown =>
  name.startsWith(customPrefix)
    ? (values?.['custom_fields'] as Record<string, unknown> | undefined)?.[name.slice(customPrefix.length)]
    : values?.[name];

const changeText = (event: Event, name: string): string => {
  const [before, after] = [valueOf(event.previous, name), valueOf(event.record, name)];
  return `${name}: ${JSON.stringify(before ?? null)} → ${JSON.stringify(after ?? null)}`;
};

const cut = (text: string): string => (text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}…`);

/** Formats an event: `1042 2026-03-02T09:30:00.000Z account.updated 0197… "Acme Inc." name: "Acme" → "Acme Inc."` */
const eventLine = (event: Event): string => {
  const changes = event.type.endsWith('.updated')
    ? event.changed.map((name) => changeText(event, name)).join(', ')
    : '';
  const merge = event.merged_into === null ? '' : ` merged into ${event.merged_into}`;
  const head = `${event.position} ${event.occurred_at} ${event.type} ${event.record_id}${nameOf(event)}${merge}`;
  return cut(changes === '' ? head : `${head} ${changes}`);
};
