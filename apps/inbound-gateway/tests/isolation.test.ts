import { buildOpenApiDocument } from '@crm/contract';
import {
  documentedOperations,
  type Answer,
  type DocumentedOperation,
  type OpenApiDocument,
  type TestOrganization,
} from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { operations } from '../src/operations/index.js';
import { unknownId } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

/** One organization. Its records contain a mark that occurs nowhere else. */
interface Tenant {
  readonly organization: TestOrganization;
  readonly mark: string;
  /** The address of a member that only this organization has. */
  readonly memberEmail: string;
  /** The id of one record of each collection. */
  readonly ids: Readonly<Record<string, string>>;
  /** The position of the deletion of an account. */
  readonly deletion: number;
  /** A second account and contact, which the merges use up. */
  readonly spare: Readonly<Record<string, string>>;
}

// In the order of the gateway, in which an update differs from the ones before it.
const contracts = operations.map(({ contract }) => contract);
const document = buildOpenApiDocument('inbound', contracts) as unknown as OpenApiDocument;
const documented = documentedOperations(document);

const gateway = useGateway(async () => {
  [ours, theirs] = [await fill('oursmark'), await fill('theirsmark')];
});
let ours: Tenant;
let theirs: Tenant;

const send = ({ organization }: Tenant, method: string, path: string, body?: unknown): Promise<Answer> =>
  gateway().client.send(method, path, { key: organization.key, ...(body === undefined ? {} : { body }) });

const create = async (tenant: Tenant, collection: string, body: object): Promise<string> => {
  const answer = await send(tenant, 'POST', `/v1/inbound/${collection}`, body);
  const [id] = Object.values(answer.data as Record<string, string>);
  return id ?? '';
};

const createWebhook = async (tenant: Tenant): Promise<string> => {
  const answer = await send(tenant, 'POST', '/v1/inbound/webhooks', { url: 'https://hooks.example.com/crm' });
  return (answer.data as { webhook: { webhook_id: string } }).webhook.webhook_id;
};

/** Records with the natural keys of the document's examples, so that both organizations have the same keys. */
const fill = async (mark: string): Promise<Tenant> => {
  const organization = await gateway().createOrganization();
  const memberEmail = `${mark}@only.example`;
  const tenant = { organization, mark, memberEmail, ids: {}, deletion: 2, spare: {} };
  await create(tenant, 'members', { email: memberEmail, name: mark });
  const gone = await create(tenant, 'accounts', { domain: 'gone.com', name: mark });
  await send(tenant, 'DELETE', `/v1/inbound/accounts/${gone}`);
  await organization.defineField({ objectType: 'opportunity', slug: 'team', attributeType: 'team_members' });
  const accounts = await create(tenant, 'accounts', { domain: 'acme.com', name: `Account ${mark}` });
  const person = { email: 'ada@acme.com', first_name: mark, last_name: mark, phone: '+4915112345678' };
  const contacts = await create(tenant, 'contacts', person);
  const opportunities = await create(tenant, 'opportunities', {
    pipeline_id: organization.pipeline.id,
    opportunity: { name: 'Acme renewal', next_step: mark, custom__team: [organization.member.id] },
    related_objects: { account_domain: 'acme.com', primary_contact_email: 'ada@acme.com' },
  });
  const notes = await create(tenant, 'notes', { note: { title: mark }, account_domains: ['acme.com'] });
  const spare = {
    accounts: await create(tenant, 'accounts', { domain: 'spare.com', name: mark }),
    contacts: await create(tenant, 'contacts', { email: 'ada@spare.com', first_name: mark }),
  };
  const field = await send(tenant, 'POST', '/v1/inbound/fields', {
    object: 'contact',
    current_name: mark,
    slug: 'level',
    attribute_type: 'select',
    options: [{ label: mark, value: 'enterprise' }],
  });
  const fields = (field.data as { field: { field_id: string } }).field.field_id;
  const webhooks = await createWebhook(tenant);
  const setUp = {
    webhooks,
    restore: gone,
    pipelines: organization.pipeline.id,
    stages: organization.pipeline.stages[0]?.id ?? '',
    members: organization.member.id,
  };
  return { ...tenant, ids: { accounts, contacts, opportunities, notes, fields, ...setUp }, spare };
};

const collectionOf = ({ path }: DocumentedOperation): string => path.split('/')[3] ?? '';

/** The id of a note to create, which names no record: each organization has its own. */
const newNoteId = 'note.id';

/** A value of a tenant for a field: an id, or an address for fields that name members by address. */
const valueFor = (field: string, operation: DocumentedOperation, tenant: Tenant): string => {
  const { organization, ids, spare } = tenant;
  if (field.endsWith('pipeline_id')) return organization.pipeline.id;
  if (field === 'pipeline_ids[0]') return organization.pipeline.id;
  if (field.endsWith('stage_id') || field === 'move_opportunities_to') return organization.pipeline.stages[0]?.id ?? '';
  if (field.endsWith('owner_email')) return tenant.memberEmail;
  if (field === 'related_objects.opportunity_ids[0]') return ids['opportunities'] ?? '';
  if (field === 'id' || field === 'items[0].id' || field === newNoteId) return ids[collectionOf(operation)] ?? '';
  if (field.endsWith('team[0]')) return organization.member.id;
  if (field === 'from') return spare[collectionOf(operation)] ?? '';
  throw new Error(`Say what ${field} of ${operation.id} is an id of`);
};

type Values = Readonly<Record<string, unknown>>;

/** A copy of a body with one field set; missing objects on the path are created. */
const withField = (body: unknown, field: string, value: unknown): unknown => {
  // The fields that these ones depend on.
  if (field === 'move_opportunities_to') return { is_active: false, move_opportunities_to: value };
  if (field === 'pipeline_ids[0]') return { ...(body as Values), object: 'opportunity', pipeline_ids: [value] };
  if (field.endsWith('.team[0]')) return withField(body, field.replace('.team[0]', ''), { team: [value] });
  if (field === 'related_objects.opportunity_ids[0]')
    return { ...(body as Values), related_objects: { opportunity_ids: [value] } };
  const [name = '', ...rest] = field.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  const inner = rest.length === 0 ? value : withField((body as Values | undefined)?.[name], rest.join('.'), value);
  if (!Array.isArray(body)) return { ...(body as Values | undefined), [name]: inner };
  return body.map((item: unknown, index) => (String(index) === name ? inner : item));
};

/** The document's example for a tenant, with every id replaced by one of the tenant's own. */
const bodyFor = (operation: DocumentedOperation, tenant: Tenant): unknown => {
  if (operation.example === undefined) return undefined;
  if (operation.id === 'restoreRecord') return { object: 'account', id: tenant.ids['restore'] };
  if (operation.id === 'replayWebhook' || operation.id === 'skipWebhookEvents') return { from: tenant.deletion };
  const text = JSON.stringify(operation.example).replaceAll('owner@example.com', tenant.memberEmail);
  // The document's examples of merges are dry runs.
  const example = text.replace('"dry_run":true', '"dry_run":false');
  const required = operation.idFields.filter(
    (field) => !/stage_id|owner_email|move_opportunities_to|pipeline_ids|note\.id/.test(field),
  );
  return required.reduce<unknown>(
    (body, field) => withField(body, field, valueFor(field, operation, tenant)),
    JSON.parse(example),
  );
};

const pathFor = ({ path }: DocumentedOperation, id: string): string => path.replace('{id}', id);

let snapshotSql: string | undefined;

/** Every row of an organization with the transaction that wrote it, so that any change shows. */
const snapshot = async ({ organization }: Tenant): Promise<string> => {
  const { pool } = gateway().database;
  if (snapshotSql === undefined) {
    const { rows: tables } = await pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'organization_id' AND table_name <> 'api_keys' ORDER BY 1`,
    );
    const texts = tables.map(
      ({ name }) => `SELECT '${name} ' || t.xmin::text || t::text AS row FROM ${name} t WHERE t.organization_id = $1`,
    );
    snapshotSql = `${texts.join(' UNION ALL ')} ORDER BY 1`;
  }
  // Prepared once per connection, because planning takes as long as running.
  const query = { name: 'snapshot', text: snapshotSql, values: [organization.id] };
  const { rows } = await pool.query<{ row: string }>(query);
  return rows.map(({ row }) => row).join('\n');
};

/** The rows of the other organization before the first call. No call may change them. */
let untouched: string | undefined;

/** Runs a call of our organization and checks that nothing of the other one changed or is in the answer. */
const withoutTouching = async (call: () => Promise<Answer>): Promise<Answer> => {
  untouched ??= await snapshot(theirs);
  const answer = await call();
  expect(await snapshot(theirs)).toBe(untouched);
  expect(untouched).toContain(theirs.mark);
  expect(answer.text).not.toContain(theirs.mark);
  return answer;
};

describe('200', () => {
  test.each(documented)('R7: $id changes its own organization and no row of the other one', async (operation) => {
    // Later operations need the records that deletions and merges remove.
    const isRemoval = /^(delete|merge)/.test(operation.id);
    const id = ours.ids[collectionOf(operation)] ?? '';
    // An account that is in use cannot be deleted.
    if (operation.id === 'deleteAccount') {
      await send(ours, 'DELETE', `/v1/inbound/opportunities/${ours.ids['opportunities'] ?? ''}`);
      await send(ours, 'DELETE', `/v1/inbound/contacts/${ours.ids['contacts'] ?? ''}`);
    }
    const before = await snapshot(ours);
    const call = () => send(ours, operation.method, pathFor(operation, id), bodyFor(operation, ours));
    const answer = await withoutTouching(call);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/"success":false/);
    for (const foreign of Object.values(theirs.ids)) expect(answer.text).not.toContain(foreign);
    // A record of ours under the shared natural key is matched and stays as it is.
    if (!/^(bulkC|c)reate(Opportunity|Account|Contact)$/.test(operation.id)) {
      expect(await snapshot(ours)).not.toBe(before);
    }
    if (isRemoval) ours = await fill('oursmark');
  });
});

describe('400 and 404', () => {
  const withPathId = documented.filter(({ path }) => path.includes('{id}'));
  test.each(withPathId)('R7: $id answers a record of the other organization like an unknown one', async (operation) => {
    const call = (id: string) => send(ours, operation.method, pathFor(operation, id), bodyFor(operation, ours));
    const answer = await withoutTouching(() => call(theirs.ids[collectionOf(operation)] ?? ''));
    expect(answer.status).toBe(404);
    expect(answer.comparable).toBe((await call(unknownId)).comparable);
  });

  /** The places of ids in bodies, and the fields that list members. */
  const idBearing = documented.flatMap((operation) => {
    const owners = operation.idFields.filter((field) => field.endsWith('owner_email'));
    const teams = owners.map((field) =>
      field.replace('related_objects.owner_email', 'opportunity.custom_fields.team[0]'),
    );
    return [...operation.idFields, ...teams].map((field) => [operation.id, field, operation] as const);
  });
  test.each(idBearing)(
    'R7: %s answers a %s of the other organization like an unknown one',
    async (_id, field, operation) => {
      const id = ours.ids[collectionOf(operation)] ?? '';
      const call = (value: string) =>
        send(ours, operation.method, pathFor(operation, id), withField(bodyFor(operation, ours), field, value));
      const foreign = valueFor(field, operation, theirs);
      const unknown = field.endsWith('owner_email') ? 'nobody@only.example' : unknownId;
      const before = await snapshot(ours);
      const answer = await withoutTouching(() => call(foreign));
      // The server writes WAL of its own between two calls. Here there always is some, so that no answer may depend on it.
      await gateway().database.pool.query(`SELECT pg_logical_emit_message(false, 'test', 'between two calls')`);
      const answerToUnknown = await call(unknown);
      // A note is created with the id that was sent, which the digest of its tag depends on.
      const ofNote = field === newNoteId ? /(?<=1\.)[0-9a-f]{20}/ : '';
      const withoutId = (one: Answer, sent: string) => one.comparable.replaceAll(sent, '').replace(ofNote, '');
      expect(withoutId(answer, foreign)).toBe(withoutId(answerToUnknown, unknown));
      if (field === newNoteId) return;
      expect(await snapshot(ours)).toBe(before);
      if (field.startsWith('items')) {
        expect(answer.data).toMatchObject({ results: [{ success: false }] });
      } else expect(answer.status).toBe(field === 'pipeline_id' || operation.id === 'restoreRecord' ? 404 : 400);
    },
  );
});
