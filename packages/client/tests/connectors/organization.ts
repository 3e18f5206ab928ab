// An organization with values of every kind, its changes, and its records as a connector must have copied them.
import { guardWalk, type TestStack, until } from '@crm/testing';
import { expect } from '@jest/globals';
import type { CreateField, CrmClient } from '../../src/index.js';
import { startTestCrm, type TestCrm } from '../support/crm.js';

/** A record with a column for each field; null values left out. */
export type Row = Readonly<Record<string, unknown>>;
/** The records of each object by id. */
export type Copy = Readonly<Record<Plural, Readonly<Record<string, Row>>>>;
/** An object in paths. */
export type Plural = 'accounts' | 'contacts' | 'opportunities' | 'notes';

const recordSql: Readonly<Record<Plural, string>> = {
  accounts: 'SELECT account_event_record(r, additional_domains(r.organization_id, r.id)) AS record FROM accounts r',
  contacts: 'SELECT contact_event_record(r, additional_emails(r.organization_id, r.id)) AS record FROM contacts r',
  opportunities:
    'SELECT opportunity_event_record(r, additional_contact_ids(r.organization_id, r.id)) AS record FROM opportunities r',
  notes: `SELECT note_event_record(r, note_links(r.organization_id, r.id)) AS record FROM notes r`,
};
const linkLists = ['account_ids', 'contact_ids', 'opportunity_ids'];
/** Columns of a copy that no event has: values of other records, and what the tools add. */
const otherRecords = new Set([
  ...['stage_name', 'pipeline_name', 'owner_email', 'account_domain', 'account_external_id', 'account_name'],
  ...['contact_email', 'contact_external_id', 'contact_first_name', 'contact_last_name', 'additional_contacts'],
  ...['account_domains', 'contact_emails', '_position', '_sdc_deleted_at'],
]);

const options = ['gold', 'silver'].map((value) => ({ value, label: value.toUpperCase() }));
const ofDeal = (attribute_type: CreateField['attribute_type'], more: Partial<CreateField> = {}): CreateField => {
  const slug = `of_${attribute_type}`;
  return { object: 'opportunity', attribute_type, current_name: `The ${more.slug ?? slug}`, slug, ...more };
};
const fields: readonly CreateField[] = [
  ...(['number', 'percentage', 'timestamp', 'datetime', 'time', 'location', 'checkbox', 'string'] as const).map(
    (type) => ofDeal(type),
  ),
  ...(['date', 'date_range', 'rating', 'team_members', 'url', 'email', 'phone', 'website'] as const).map((type) =>
    ofDeal(type),
  ),
  ofDeal('currency', { currency: 'EUR' }),
  ofDeal('select', { options }),
  ofDeal('radio', { options }),
  ofDeal('multi_select', { options }),
  ofDeal('string', { slug: 'of_twin_' }),
  ofDeal('string', { slug: 'of_twinx' }),
  ofDeal('string', { slug: 'of_secret', is_hidden: true }),
  { object: 'contact', attribute_type: 'string', current_name: 'Nickname', slug: 'nickname' },
  { object: 'account', attribute_type: 'number', current_name: 'Founded', slug: 'founded' },
];

const values = (n: number, memberId: string) => ({
  of_number: [0, 2.5, -3.25, 123_456_789_012_345, 0.000001, null][n % 6],
  of_percentage: n % 2 === 0 ? 33.333333 : null,
  of_currency: [0.1, 1_234.5678, 99_999_999_999.9999, null][n % 4],
  of_timestamp: [1_772_442_000_123 + n, null, -62_135_596_800_000, 253_402_300_799_999, null][n % 5],
  of_datetime: ['2026-03-02T09:00:00.5+02:00', '9999-12-31T23:59:59.999Z', null, '0001-01-01T00:00:00Z'][n % 4],
  of_time: n % 2 === 0 ? '09:30' : null,
  of_location: n % 5 === 0 ? { city: 'São Paulo', lat: -23.55, lng: -46.6333333 } : null,
  of_checkbox: [true, false, null][n % 3],
  of_string: ['007', 'true', 'null', '2026-01-02', ' ä\n"b", 💾 ', null][n % 6],
  of_date: ['2024-02-29', '0001-01-01', null, '9999-12-31'][n % 4],
  of_date_range: n % 4 === 0 ? { start: '2026-01-01', end: null } : null,
  of_rating: n % 6 === 5 ? null : n % 6,
  of_team_members: n % 3 === 0 ? [memberId] : null,
  of_url: n % 7 === 0 ? 'https://example.com/ü?q=1' : null,
  of_email: n % 7 === 1 ? 'a@b.example' : null,
  of_phone: n % 7 === 2 ? '+14155550123' : null,
  of_website: n % 7 === 3 ? 'example.com' : null,
  of_select: ['gold', null, 'silver'][n % 3],
  of_radio: [null, 'silver'][n % 2],
  of_multi_select: n % 2 === 0 ? ['gold', 'silver'] : null,
  // Two columns for programs that change names.
  of_twin_: n % 3 === 0 ? 'a' : null,
  of_twinx: n % 3 === 1 ? 'b' : null,
  of_secret: n % 2 === 1 ? `hidden ${n}` : null,
});

/** An organization whose client may do everything. */
export interface Subject {
  readonly crm: TestCrm;
  readonly client: CrmClient;
  readonly key: string;
}

const ok = (results: { readonly results: readonly { readonly success: boolean }[] }): void => {
  if (results.results.some(({ success }) => !success)) throw new Error(JSON.stringify(results.results));
};

/** Makes the organization with records of every kind. */
export const fillOrganization = async (stack: TestStack): Promise<Subject> => {
  const crm = await startTestCrm(stack);
  const allow = ['list', 'search', 'inbound', 'bulk', 'delete', 'setup'] as const;
  const { key } = await crm.organization.createKey({ allow: [...allow] });
  const client = crm.clientWith({ apiKey: key });
  for (const field of fields) await client.fields.create(field);
  const numbers = Array.from({ length: 45 }, (_, n) => n);
  ok(
    (
      await client.accounts.bulkCreate(
        numbers.map((n) => ({
          domain: `firm${n}.example`,
          name: ['Müller', '東京商事', 'O’Neil & Söhne'][n % 3] ?? '',
          custom_fields: { founded: 1900 + n },
          ...(n % 2 === 0 ? { description: `Été “${n}”\nline\ttab 🚀`, external_id: `00${n}` } : {}),
        })),
      )
    ).data,
  );
  ok(
    (
      await client.contacts.bulkCreate(
        numbers.map((n) => ({
          email: `p${n}@firm${n}.example`,
          ...(n % 3 === 0 ? {} : { first_name: 'Zoë', last_name: 'van ’t "Hof"' }),
          ...(n % 4 === 0 ? { phone: '+14155550123', custom_fields: { nickname: '1e5' } } : {}),
        })),
      )
    ).data,
  );
  const { pipeline, otherPipeline, member } = crm.organization;
  ok(
    (
      await client.opportunities.bulkCreate(
        numbers.map((n) => ({
          pipeline_id: (n % 3 === 0 ? otherPipeline : pipeline).id,
          opportunity: {
            name: `Deal ${n}`,
            ...(n % 2 === 0 ? { deal_size: [0.1, 1_234.56, 99_999_999_999.9999, 5][n % 4], currency: 'EUR' } : {}),
            ...(n % 5 === 0
              ? {
                  close_date: [1_798_675_200_000 + n, 253_402_300_799_999, -62_135_596_800_000][n % 3],
                  next_action_date: '2026-12-31',
                  next_step: 'null',
                }
              : {}),
            custom_fields: Object.fromEntries(
              Object.entries(values(n, member.id)).filter(([, value]) => value !== null),
            ),
          },
          related_objects: {
            primary_contact_email: `p${n}@firm${n}.example`,
            ...(n % 4 === 1 ? { additional_contact_emails: [`q${n}@firm${n}.example`, `r${n}@firm${n}.example`] } : {}),
          },
        })) as Parameters<typeof client.opportunities.bulkCreate>[0],
      )
    ).data,
  );
  for (const n of numbers.slice(0, 24)) {
    await client.notes.create({
      note: { title: `Note ${n} ☎`, content: 'Ligne é\n* x' },
      contact_emails: [`p${n}@firm${n}.example`],
    });
  }
  return { crm, client, key };
};

/** Creates, changes, deletes, restores and merges records, defines and archives fields. Each round has its own records. */
export const changeOrganization = async ({ crm, client }: Subject, round: number): Promise<void> => {
  const slug = `new_${round}`;
  const at = round * 6;
  await client.fields.create({ object: 'opportunity', attribute_type: 'number', current_name: slug, slug });
  const created = await client.opportunities.create({
    pipeline_id: crm.organization.pipeline.id,
    opportunity: {
      name: `New ${round}`,
      deal_size: round + 0.25,
      custom_fields: { [slug]: 1.5, of_string: `round ${round}` },
    },
    related_objects: { account_domain: `new${round}.example`, primary_contact_email: `a@new${round}.example` },
  });
  const deals: string[] = [];
  for await (const deal of client.opportunities.search({ sort: 'created_at' })) deals.push((deal as { id: string }).id);
  const [first = '', second = '', third = ''] = deals.slice(at);
  await client.opportunities.update(first, {
    opportunity: { deal_size: null, next_step: `mut ${round}`, close_date: null },
  });
  await client.opportunities.delete(second);
  await client.opportunities.delete(third);
  await client.events.restore({ object: 'opportunity', id: third });
  const contactOf = async (n: number) => (await client.contacts.getByEmail(`p${n}@firm${n}.example`)).data.contact.id;
  const accountOf = async (n: number) => (await client.accounts.getByDomain(`firm${n}.example`)).data.account.id;
  await client.contacts.update(await contactOf(at), { first_name: 'Nové', last_name: null });
  await client.contacts.delete(await contactOf(at + 1));
  await client.contacts.merge(await contactOf(at + 2), { from: await contactOf(at + 3) });
  await client.accounts.merge(await accountOf(at + 4), { from: await accountOf(at + 5), deals: 'merge' });
  const notes: string[] = [];
  for await (const note of client.notes.list()) notes.push(note.id);
  await client.notes.update(notes[0] ?? '', { note: { title: null, content: `changed ${round}` } });
  await client.notes.delete(notes[1] ?? '');
  // Each round archives a field, and restores the one of the round before the last.
  const archived = ['of_rating', 'of_url', 'of_phone', 'of_email', 'of_website'];
  for await (const { name, field_id: id = '' } of client.opportunities.fields({ include_archived: 'true' })) {
    if (name === archived[round]) await client.fields.update(id, { is_active: false });
    if (name === archived[round - 2]) await client.fields.update(id, { is_active: true });
  }
  // The read gateway uses a change of the setup within a second. A program that is faster would copy with the earlier fields.
  await until(async () => {
    const names = new Set((await client.opportunities.fields().page()).data.fields.map(({ name }) => name));
    return !names.has(archived[round] ?? '') && (round < 2 || names.has(archived[round - 2] ?? ''));
  });
  await client.opportunities.update(created.data.opportunity_id, { opportunity: { custom_fields: { [slug]: 9.5 } } });
};

const isInstant = (name: string, types: ReadonlyMap<string, string>): boolean =>
  ['close_date', 'next_action_date', 'created_at', 'updated_at'].includes(name) ||
  ['timestamp', 'datetime'].includes(types.get(name) ?? '');

const comparable = (name: string, value: unknown, types: ReadonlyMap<string, string>): unknown => {
  if (linkLists.includes(name)) return (value as string[]).toSorted();
  if (!isInstant(name, types)) return value;
  const at = new Date(value as string | number);
  // What is no instant, or finer than milliseconds, shows as it is.
  const isExact = !Number.isNaN(at.getTime()) && !/\.\d{3}\d*[1-9]/.test(String(value));
  return isExact ? at.toISOString() : value;
};

/** The custom fields that a copy has: their types by column. */
export const readCustomTypes = async (
  { client }: Subject,
  withHidden: boolean,
): Promise<ReadonlyMap<string, string>> => {
  const types = new Map<string, string>();
  for (const object of ['accounts', 'contacts', 'opportunities'] as const) {
    for await (const field of client[object].fields()) {
      if (field.is_custom && (withHidden || field.is_hidden !== true))
        types.set(field.property_name, field.attribute_type);
    }
  }
  return types;
};

/** A row as it is compared: a column for each field, instants as texts, no nulls, no values of other records. */
export const toRow = ({ custom_fields: custom = {}, ...record }: Row, types: ReadonlyMap<string, string>): Row => {
  const others = record['additional_contacts'] as { contact_id: string }[] | undefined;
  const columns = [
    ...Object.entries(record).filter(([name]) => !name.startsWith('custom__') || types.has(name)),
    ...Object.entries(custom as object)
      .map(([slug, value]) => [`custom__${slug}`, value] as const)
      .filter(([name]) => types.has(name)),
    ...(others === undefined ? [] : [['additional_contact_ids', others.map((other) => other.contact_id)] as const]),
  ];
  return Object.fromEntries(
    columns
      .filter(([name, value]) => value !== null && !otherRecords.has(name))
      .map(([name, value]) => [name, comparable(name, value, types)]),
  );
};

/** Rows by id. */
export const byId = (rows: readonly Row[], types: ReadonlyMap<string, string>): Readonly<Record<string, Row>> =>
  Object.fromEntries(rows.map((row) => [String(row['id']), toRow(row, types)]));

/** The records in the database. */
export const readTruth = async (subject: Subject, withHidden = true): Promise<Copy> => {
  const types = await readCustomTypes(subject, withHidden);
  const { database, organization } = subject.crm;
  const copies = await Promise.all(
    Object.entries(recordSql).map(async ([plural, sql]) => {
      const { rows } = await database.pool.query<{ record: Row }>(`${sql} WHERE r.organization_id = $1`, [
        organization.id,
      ]);
      return [
        plural,
        byId(
          rows.map(({ record }) => record),
          types,
        ),
      ] as const;
    }),
  );
  return Object.fromEntries(copies) as unknown as Copy;
};

/** The change log by position. */
export const readEvents = async ({ client }: Subject): Promise<Readonly<Record<string, Row>>> => {
  const events: Record<string, Row> = {};
  const guarded = guardWalk();
  for (let after = 0, hasMore = true; hasMore;) {
    const { data } = await client.events.list({ after, limit: 500 });
    for (const event of data.events) events[event.position] = { ...event };
    if (data.has_more) guarded(data.next_position);
    [after, hasMore] = [data.next_position, data.has_more];
  }
  return events;
};

/** Compares copied events with the log, which removes the values of a record from all its events when it is deleted. */
export const expectEvents = (copied: Readonly<Record<string, Row>>, log: Readonly<Record<string, Row>>): void => {
  const compared = (event: Row, inLog: Row | undefined): Row =>
    Object.fromEntries(
      Object.entries(event).filter(
        ([name, value]) => value !== null && !(['record', 'previous'].includes(name) && inLog?.['record'] === null),
      ),
    );
  const both = [copied, log].map((events) =>
    Object.fromEntries(Object.entries(events).map(([position, event]) => [position, compared(event, log[position])])),
  );
  expect(both[0]).toEqual(both[1]);
};
