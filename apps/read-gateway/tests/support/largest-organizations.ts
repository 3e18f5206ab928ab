import { bounds, bulkCreateOpportunities } from '@crm/contract';
import type { AdministrationDatabase } from '@crm/db';
import { type ObjectType, objectTypes } from '@crm/domain';
import type { TestClient, TestOrganization } from '@crm/testing';
import { createTestOrganization } from '@crm/testing/suites';
import { copyRecord } from './bulk-rows.js';
import type { LargestOrganization } from './costly-requests.js';
import { textIn } from './costly-values.js';
import { createLargestSetup, largeFields, largeSlug, largeType, selectSlug } from './largest-setup.js';
import { recordsOf } from './records.js';
import { addRecord, subjects } from './subject.js';

const copies = 600;
/** Of the record with the largest custom fields, each of which makes an event. */
const updates = 10;
const notes = 50;
const attempts = 600;

const longName = `repeat('𝕬', 255)`;
const columns: Readonly<Record<Exclude<ObjectType, 'opportunity'>, Readonly<Record<string, string>>>> = {
  account: {
    domain: `repeat('a', 60) || '.' || repeat('b', 60) || '.' || repeat('c', 60) || '.n' || n || '.example'`,
    name: longName,
    normalized_name: longName,
  },
  contact: {
    email: `'n' || n || '@' || repeat('a', 60) || '.' || repeat('b', 60) || '.example'`,
    first_name: longName,
    last_name: longName,
    normalized_name: longName,
    phone: `'+14155550123'`,
    normalized: `t.normalized || '{"phone": "+14155550123"}'`,
  },
};

/** Custom values of 250 KB. */
const largestFields = (text: string): Readonly<Record<string, string>> => {
  const strings = Array.from({ length: largeFields - 1 }, (_, index) => index).filter((n) => largeType(n) === 'string');
  return Object.fromEntries(strings.slice(0, 24).map((index) => [largeSlug(index), text]));
};

type Create = LargestOrganization['create'];

/** Creates records through the inbound gateway, and deletes with the key `DELETE`. */
const creator =
  (inbound: TestClient, key: string): Create =>
  async (path, body, name) => {
    const isDeletion = name === 'DELETE';
    const request = isDeletion ? { key } : { key, body };
    const answer = await inbound.send(isDeletion ? 'DELETE' : 'POST', `/v1/inbound/${path}`, request);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    let value: unknown = answer.data;
    for (const part of isDeletion ? ['id'] : name.split('.')) value = (value as Record<string, unknown>)[part];
    return String(value);
  };

/** Creates deals of one account with names that are equal in the characters that are compared. @returns their ids */
const createDeals = async (inbound: TestClient, { key, pipeline }: TestOrganization): Promise<string[]> => {
  const ids: string[] = [];
  for (let start = 0; start < copies; start += bounds.bulkCreateItems) {
    const items = Array.from({ length: bounds.bulkCreateItems }, (_, n) => ({
      pipeline_id: pipeline.id,
      opportunity: { name: `${'𝕬'.repeat(240)}${start + n}` },
      related_objects: { account_domain: 'acme.example' },
    }));
    const { data } = await inbound.call(bulkCreateOpportunities, { key, body: { items } });
    ids.push(...data.results.flatMap(({ id }) => id ?? []));
  }
  return ids;
};

/** Creates the records of an object with the longest names. @returns their ids */
const createRecords = async (
  database: AdministrationDatabase,
  inbound: TestClient,
  objectType: ObjectType,
  organization: TestOrganization,
): Promise<string[]> => {
  if (objectType === 'opportunity') return createDeals(inbound, organization);
  const id = await addRecord(database, organization, objectType, { key: 'template', name: 'Template' });
  return copyRecord(database, organization.id, { objectType, id, count: copies, columns: columns[objectType] });
};

const createLargest = async (
  database: AdministrationDatabase,
  inbound: TestClient,
  objectType: ObjectType,
): Promise<LargestOrganization> => {
  const organization = await createTestOrganization(database);
  await createLargestSetup(database, organization, objectType);
  const ids = await createRecords(database, inbound, objectType, organization);
  const largestId = await addRecord(database, organization, objectType, { key: 'largest', name: 'Largest' });
  const { collection } = subjects[objectType];
  for (let n = 0; n < updates; n += 1) {
    const custom = { custom_fields: largestFields(`${n}${textIn('accents', 4_900)}`) };
    const body = objectType === 'opportunity' ? { opportunity: custom } : custom;
    const { key } = organization;
    const answer = await inbound.send('PATCH', `/v1/inbound/${collection}/${largestId}`, { key, body });
    if (answer.status !== 200) throw new Error(answer.text.slice(0, 500));
  }
  const records = recordsOf(database, organization);
  const noteId = await records.addNote({ title: 'Note', content: 'x', domains: ['acme.example'] });
  const run = (text: string, ...values: readonly unknown[]) =>
    database.query<{ id: string }>(organization.id, { text, values });
  await run(
    `INSERT INTO notes (organization_id, id, title, content, search_text, created_at, updated_at)
     SELECT $1, gen_random_uuid(), 'Long', repeat('😀', 50000), 'long', now(), now() FROM generate_series(1, ${notes})`,
  );
  const webhookId = await records.addWebhook('x'.repeat(1_000));
  await run(
    `INSERT INTO webhook_attempts (organization_id, endpoint_id, id, outcome, events, response, error, occurred_at)
     SELECT $1, $2, gen_random_uuid(), 'failed', 1, repeat('é', 1000), 'answered 500', now() FROM generate_series(1, ${attempts})`,
    webhookId,
  );
  await run(
    `INSERT INTO webhook_parked (organization_id, endpoint_id, object, record_id, position, attempts, error)
     SELECT $1, $2, 'account', gen_random_uuid(), 1, 5, repeat('é', 500) FROM generate_series(1, ${attempts})`,
    webhookId,
  );
  await run(
    `INSERT INTO stage_visits (organization_id, opportunity_id, place, stage_id, entered_at, left_at, api_key_id)
     SELECT $1, o.id, n, gen_random_uuid(), now(), now(), gen_random_uuid()
       FROM opportunities o, generate_series(1, 1000) n WHERE o.organization_id = $1 AND o.id = $2`,
    largestId,
  );
  const [select] = await run(
    'SELECT f.id FROM custom_fields f WHERE f.organization_id = $1 AND f.slug = $2',
    selectSlug,
  );
  const create = creator(inbound, organization.key);
  return { organization, largestId, ids, selectId: select?.id ?? '', webhookId, noteId, create };
};

/** Creates an organization with the largest setup and records of each object. */
export const createLargestOrganizations = async (
  database: AdministrationDatabase,
  inbound: TestClient,
): Promise<ReadonlyMap<ObjectType, LargestOrganization>> => {
  const created = new Map<ObjectType, LargestOrganization>();
  for (const objectType of objectTypes) created.set(objectType, await createLargest(database, inbound, objectType));
  return created;
};
