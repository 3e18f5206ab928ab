import { listNotes } from '@crm/contract';
import { maxPageBytes } from '@crm/domain';
import type { Answer } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { copyRecord } from './support/bulk-rows.js';
import { startTestGateway, useGateway } from './support/gateway.js';
import { addRecord, pageIn } from './support/subject.js';
import { walkPages } from './support/walk.js';

/** In bytes of UTF-8. */
const longText = 200_000;
const longTextSql = `repeat('😀', ${longText / 4})`;
const copies = 18;
const named = 12;
/** Bytes of a record without its long texts, and of the page around the records. */
const otherBytes = 40_000;

const gateway = useGateway(startTestGateway);

const addNotes = async (organizationId: string, content: string): Promise<void> => {
  const text = `INSERT INTO notes (organization_id, id, title, content, search_text, created_at, updated_at)
    SELECT $1, gen_random_uuid(), 'Long', ${content}, 'long', now(), now() FROM generate_series(1, $2::int)`;
  await gateway.database.query(organizationId, { text, values: [copies] });
};

/** Every third account has no name, so that a sort by name has two parts. */
const name = `CASE WHEN n % 3 > 0 THEN 'Long ' || n END`;
const custom_fields = `jsonb_build_object('text', ${longTextSql})`;

beforeAll(async () => {
  const { database, organization } = gateway;
  await addNotes(organization.id, longTextSql);
  await organization.defineField({ objectType: 'account', slug: 'text', attributeType: 'string' });
  const options = Array.from({ length: 300 }, (_, n) => ({ label: `${n} ${'x'.repeat(240)}`, value: `${n}` }));
  const metadata = { options: options.map((option) => ({ ...option, color: 'gray' })) };
  await organization.defineField({ objectType: 'account', slug: 'tier', attributeType: 'select', metadata });
  const account = await addRecord(database, organization, 'account', { key: 'a', name: 'Template' });
  const columns = {
    domain: `'long-' || n || '.example'`,
    name,
    normalized_name: `lower(${name})`,
    search_text: `coalesce(lower(${name}), '')`,
    custom_fields,
  };
  await copyRecord(database, organization.id, { objectType: 'account', id: account, count: copies, columns });
  const deal = await addRecord(database, organization, 'opportunity', { key: 'a', name: 'Template' });
  const record = `jsonb_set(t.record::jsonb || jsonb_build_object('id', s.id), '{next_step}', to_jsonb(${longTextSql}))::text`;
  const deals = {
    objectType: 'opportunity',
    id: deal,
    count: copies,
    columns: { name: `'Long ' || n`, record },
  } as const;
  await copyRecord(database, organization.id, deals);
});

/** Walks to the end. Every page except the last must end because of its size. */
const walk = async (collection: string, read: (cursor: string) => Promise<Answer>, longest = longText) => {
  const answers = await walkPages(read);
  const ids = answers.flatMap((answer) => (pageIn(answer)[collection] ?? []).map(({ id }) => id));
  const bytes = answers.map(({ text }) => Buffer.byteLength(text));
  expect(Math.max(...bytes)).toBeLessThan(maxPageBytes + otherBytes);
  // As many records as fit.
  for (const page of bytes.slice(0, -1)) expect(page).toBeGreaterThan(maxPageBytes - longest - otherBytes);
  expect(new Set(ids).size).toBe(ids.length);
  return { ids, pages: bytes.length };
};

const limit = 500;

describe('R31: a page ends before its records exceed 2 MB', () => {
  test('in the list of notes', async () => {
    const { ids, pages } = await walk('notes', (cursor) =>
      gateway.client.call(listNotes, { query: { limit, cursor } }),
    );
    expect([ids.length, pages]).toEqual([copies, 2]);
  });

  test('in the list of notes with escaped characters, which count as they are sent', async () => {
    const other = await gateway.createOrganization();
    await addNotes(other.id, `repeat(E'\\x01', 50000)`);
    const read = (cursor: string) => gateway.client.call(listNotes, { query: { limit, cursor }, key: other.key });
    expect((await walk('notes', read, 300_000)).ids).toHaveLength(copies);
  });

  test.each(['accounts', 'opportunities'])('in the list of %s', async (collection) => {
    const scope = collection === 'accounts' ? {} : { pipeline_id: gateway.organization.pipeline.id };
    const { ids, pages } = await walk(collection, (cursor) =>
      gateway.client.send('GET', `/v1/${collection}`, { query: { limit, ...scope, cursor } }),
    );
    expect([ids.length, pages]).toEqual([copies + 1, 2]);
  });

  test.each([
    ['sorts by a field that some lack', copies + 1, { sort: 'name' }],
    ['sorts by such a field in descending order', copies + 1, { sort: 'name:desc' }],
    ['sorts by several', copies + 1, { sort: ['name', 'created_at:desc'] }],
    ['words', named, { query: 'long' }],
    ['filters', named, { filters: { field: 'name', operator: 'starts_with', value: 'Long' }, sort: 'updated_at' }],
  ])('in searches with %s', async (_what, count, body) => {
    const { ids, pages } = await walk('accounts', (cursor) =>
      gateway.client.send('POST', '/v1/accounts/search', { body: { limit, ...body, cursor } }),
    );
    expect([ids.length, pages]).toEqual([count, 2]);
  });
});
