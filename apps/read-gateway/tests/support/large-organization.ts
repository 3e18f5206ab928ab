import type { AdministrationDatabase } from '@crm/db';
import { type TestOrganization, testSize } from '@crm/testing';
import { copyRecord } from './bulk-rows.js';
import type { Attack } from './noisy-attacks.js';
import { addRecord } from './subject.js';

const deals = testSize({ short: 20_000, soak: 100_000 });
const largeDeals = testSize({ short: 100, soak: 400 });
const largeEvents = 200;
/** The items of a bulk update. */
const items = 50;
/** SQL of custom fields that the database cannot compress: 25 texts of 9,800 characters. */
const largeFields = `(SELECT jsonb_object_agg('text_' || i, (SELECT left(string_agg(md5(random()::text || i || g), ''), 9800)
  FROM generate_series(1, 307) g)) FROM generate_series(0, 24) i)`;

/** Fills an organization with the largest setup and the largest records. @returns the attacks that use them */
export const fillLargeOrganization = async (
  database: AdministrationDatabase,
  organization: TestOrganization,
): Promise<readonly (readonly [string, Attack])[]> => {
  const { id: organizationId } = organization;
  const run = <Row extends Record<string, unknown>>(text: string, ...values: readonly unknown[]): Promise<Row[]> =>
    database.query<Row>(organizationId, { text, values });
  await run(
    `INSERT INTO custom_fields (organization_id, id, object_type, slug, name, attribute_type, position)
     SELECT $1, gen_random_uuid(), 'account', 'text_' || i, repeat('ä', 20000), 'string', i + 1 FROM generate_series(0, 24) i`,
  );
  const accountId = await addRecord(database, organization, 'account', { key: 'large', name: 'Large' });
  await run(`UPDATE accounts SET custom_fields = ${largeFields} WHERE organization_id = $1`);
  const columns = { domain: `'large-' || n || '.example'`, name: `md5(n::text)` };
  const ids = await copyRecord(database, organizationId, {
    objectType: 'account',
    id: accountId,
    count: items,
    columns,
  });
  await run(
    `WITH head AS (UPDATE event_heads SET position = position + ${largeEvents} WHERE organization_id = $1 RETURNING position - ${largeEvents} AS before)
     INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, record, bytes)
     SELECT $1, h.before + n, now(), gen_random_uuid(), 'account.created', 'account', a.id, 1,
            jsonb_build_object('custom_fields', a.custom_fields), octet_length(a.custom_fields::text)
       FROM head h, generate_series(1, ${largeEvents}) n, accounts a WHERE a.organization_id = $1 AND a.id = $2`,
    accountId,
  );
  const dealId = await addRecord(database, organization, 'opportunity', { key: 'large', name: 'Deal' });
  const dealColumns = { name: `'Deal ' || n`, normalized_name: `'deal ' || n` };
  await copyRecord(database, organizationId, {
    objectType: 'opportunity',
    id: dealId,
    count: deals,
    columns: dealColumns,
  });
  const contactId = await addRecord(database, organization, 'contact', { key: 'erased', name: 'Erased Person' });
  await run(
    `WITH chosen AS (SELECT o.id, ${largeFields} AS fields FROM opportunities o WHERE o.organization_id = $1 LIMIT ${largeDeals})
     UPDATE opportunities o SET contact_id = $2, custom_fields = s.fields, record = s.fields::text
       FROM chosen s WHERE o.organization_id = $1 AND o.id = s.id`,
    contactId,
  );
  const [stage] = await run<{ id: string }>(
    'SELECT o.stage_id AS id FROM opportunities o WHERE o.organization_id = $1 AND o.id = $2',
    dealId,
  );
  const inbound = { gateway: 'inbound', isLarge: true, connections: 4 } as const;
  const read = { gateway: 'read', isLarge: true, connections: 24 } as const;
  return [
    ['pages with a megabyte of definitions', { ...read, path: '/v1/accounts?limit=1&q=nothing' }],
    ['pages of events of 245 KB', { ...read, path: '/v1/events?limit=500' }],
    [
      'bulk updates of 50 records of 245 KB',
      {
        ...inbound,
        method: 'PATCH',
        path: '/v1/inbound/accounts/bulk',
        body: { items: ids.map((id) => ({ id, industry: 'COUNTER' })) },
      },
    ],
    [
      'renames of the stage of all deals',
      { ...inbound, method: 'PATCH', path: `/v1/inbound/stages/${stage?.id ?? ''}`, body: { label: 'Stage COUNTER' } },
    ],
    [
      'the erasure of a person with large deals',
      { ...inbound, method: 'DELETE', path: `/v1/inbound/contacts/${contactId}` },
    ],
  ];
};
