import type { Event } from '@crm/client';

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
export const eventLine = (event: Event): string => {
  const changes = event.type.endsWith('.updated')
    ? event.changed.map((name) => changeText(event, name)).join(', ')
    : '';
  const head = `${event.position} ${event.occurred_at} ${event.type} ${event.record_id}${nameOf(event)}`;
  return cut(changes === '' ? head : `${head} ${changes}`);
};
