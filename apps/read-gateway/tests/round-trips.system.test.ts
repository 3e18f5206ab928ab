import type { TestOrganization } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CountedGateways, type Served, startCountedGateways } from './support/counted-gateways.js';

const quiet = {
  CURSOR_SECRETS: 'a secret that only the tests know',
  WEBHOOK_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  LOG_LEVEL: 'error',
};

let gateways: CountedGateways;
let organization: TestOrganization;
const served = new Map<string, Served>();
/** Ids that earlier calls created, by the name of the response property. */
const made = new Map<string, string>();

beforeAll(async () => {
  gateways = await startCountedGateways(quiet);
  ({ organization } = gateways);
  for (const operation of gateways.served) served.set(operation.id, operation);
});
afterAll(() => gateways.stop());

/** The parts of one request. `id` replaces the id in the path. */
interface Call {
  readonly query?: string;
  readonly body?: unknown;
  readonly id?: string;
}

const bodyOf =
  (make: () => unknown): (() => Call) =>
  () => ({ body: make() });
const ofPipeline = (): Call => ({ query: `?pipeline_id=${organization.pipeline.id}` });
const onRecord =
  (name: string, body?: unknown): (() => Call) =>
  () => ({ id: made.get(name) ?? '', body });
const deal = (name: string) => ({
  pipeline_id: organization.pipeline.id,
  opportunity: { name },
  related_objects: {
    account_domain: 'deal.example',
    primary_contact_email: 'first@deal.example',
    additional_contact_emails: ['second@deal.example'],
  },
});
const form = (name: string) => ({
  pipeline: organization.pipeline.name,
  opportunity: { name, stage: organization.pipeline.stages[0]?.label },
  primary_contact: { email: 'kim@form.example', first_name: 'Kim' },
  note: { title: 'Form' },
});
const withoutInput = (id: string) => [id, 1, () => ({})] as const;
const itemOn = (name: string, change: object) => ({ id: made.get(name), ...change });

/** Creates a record with another natural key and merges it into an existing one. */
const mergeInto = (name: string, path: string, body: object) => async (): Promise<Call> => {
  const answer = await fetch(`${served.get('createAccount')?.url ?? ''}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': organization.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data } = (await answer.json()) as { data: Record<string, string> };
  return { id: made.get(name) ?? '', body: { from: data[name] } };
};

/** The stage that was added to the pipeline. It has no deals. */
const onLastStage = async (): Promise<Call> => {
  const url = `${served.get('listPipelines')?.url ?? ''}/v1/pipelines/${made.get('pipeline_id')}/stages`;
  const answer = await fetch(url, { headers: { 'x-api-key': organization.key } });
  const { data } = (await answer.json()) as { data: { stages: { stage_id: string }[] } };
  return { id: data.stages.at(-1)?.stage_id ?? '' };
};

/** Restores the record of the latest event, which is a deletion. */
const restoringLast = async (): Promise<Call> => {
  const answer = await fetch(`${served.get('getLatestPosition')?.url ?? ''}/v1/events/latest`, {
    headers: { 'x-api-key': organization.key },
  });
  const { data } = (await answer.json()) as { data: { position: number } };
  return { body: { position: data.position } };
};

/** Every operation of both gateways with its number of statements. The order matters: later calls use earlier records. */
const table: readonly (readonly [id: string, statements: number, call: () => Call | Promise<Call>])[] = [
  ['createAccount', 1, bodyOf(() => ({ domain: 'one.example' }))],
  ['createContact', 1, bodyOf(() => ({ email: 'ada@two.example' }))],
  ['createOpportunity', 1, bodyOf(() => deal('First'))],
  ['createNote', 1, bodyOf(() => ({ note: { title: 'Note' }, account_domains: ['one.example'] }))],
  ['bulkCreateAccounts', 1, bodyOf(() => ({ items: [{ domain: 'three.example' }, { domain: 'four.example' }] }))],
  ['bulkCreateContacts', 1, bodyOf(() => ({ items: [{ email: 'a@five.example' }, { email: 'b@six.example' }] }))],
  [
    'bulkCreateOpportunities',
    1,
    bodyOf(() => ({ items: [deal('Second'), deal('Third'), form('Form'), form('Form 2')] })),
  ],
  ['updateAccount', 2, onRecord('company_id', { name: 'One' })],
  ['updateContact', 2, onRecord('people_id', { first_name: 'Ada' })],
  ['updateOpportunity', 3, onRecord('opportunity_id', { opportunity: { next_step: 'call' } })],
  ['updateNote', 2, onRecord('note_id', { note: { content: 'Text' } })],
  ['bulkUpdateAccounts', 1, bodyOf(() => ({ items: [itemOn('company_id', { name: 'Two' })] }))],
  ['bulkUpdateContacts', 1, bodyOf(() => ({ items: [itemOn('people_id', { first_name: 'Eve' })] }))],
  [
    'bulkUpdateOpportunities',
    2,
    bodyOf(() => ({ items: [itemOn('opportunity_id', { opportunity: { next_step: 'write' } })] })),
  ],
  ['listOpportunities', 1, ofPipeline],
  ...['listPipelines', 'listMembers', 'listOpportunityFields', 'listAccountFields', 'listContactFields', 'getKey'].map(
    (id) => [id, 0, () => ({})] as const,
  ),
  ...['Opportunity', 'Account', 'Contact', 'Note'].map((object) => [`get${object}Schema`, 0, () => ({})] as const),
  ...['listAccounts', 'listContacts', 'listNotes', 'listEvents', 'getLatestPosition'].map(withoutInput),
  ...['listOpportunityDuplicates', 'listAccountDuplicates', 'listContactDuplicates'].map(withoutInput),
  ...['searchOpportunities', 'searchAccounts', 'searchContacts', 'summarizeAccounts', 'summarizeContacts'].map(
    (id) => [id, 1, bodyOf(() => ({}))] as const,
  ),
  ...Object.entries({ Opportunity: 'opportunity_id', Account: 'company_id', Contact: 'people_id' }).flatMap(
    ([object, id]) => [[`get${object}`, 1, onRecord(id)] as const, [`list${object}History`, 1, onRecord(id)] as const],
  ),
  ['getNote', 1, onRecord('note_id')],
  ['listOpportunityStages', 1, onRecord('opportunity_id')],
  ['summarizeStages', 1, bodyOf(() => ({ pipeline_id: organization.pipeline.id }))],
  ['listPipelineStages', 0, () => ({ id: organization.pipeline.id })],
  ['summarizeOpportunities', 1, bodyOf(() => ({ group_by: ['stage_id'], measures: ['sum:amount'] }))],
  ['mergeAccount', 1, mergeInto('company_id', '/v1/inbound/accounts', { domain: 'spare.example' })],
  ['mergeContact', 1, mergeInto('people_id', '/v1/inbound/contacts', { email: 'ada@spare.example' })],
  ['getAccountByDomain', 1, () => ({ id: 'one.example' })],
  ['getContactByEmail', 1, () => ({ id: 'ada@two.example' })],
  ['createPipeline', 1, bodyOf(() => ({ name: 'Renewals', stages: [{ label: 'Due' }] }))],
  ['updatePipeline', 1, onRecord('pipeline_id', { name: 'Upsell' })],
  ['createStage', 1, onRecord('pipeline_id', { label: 'Sent' })],
  ['updateStage', 1, onRecord('stage_id', { color: 'red' })],
  ['deleteStage', 1, onLastStage],
  [
    'createField',
    1,
    bodyOf(() => ({
      object: 'account',
      current_name: 'Tier',
      slug: 'tier',
      attribute_type: 'select',
      options: [{ label: 'Gold' }],
    })),
  ],
  ['updateField', 1, onRecord('field_id', { current_name: 'Level' })],
  ['createFieldOption', 1, onRecord('field_id', { label: 'Iron' })],
  ['updateFieldOption', 1, onRecord('field_id', { value: 'Iron', label: 'Fe' })],
  ['deleteField', 1, onRecord('field_id')],
  ['createMember', 1, bodyOf(() => ({ email: 'eve@one.example', name: 'Eve' }))],
  ['updateMember', 1, onRecord('member_id', { name: 'Eva' })],
  ['deleteMember', 1, onRecord('member_id')],
  ['createWebhook', 1, bodyOf(() => ({ url: 'https://hooks.example.com/crm' }))],
  ['listWebhooks', 1, () => ({})],
  ['getWebhook', 1, onRecord('webhook_id')],
  ['listWebhookAttempts', 2, onRecord('webhook_id')],
  ['listParkedRecords', 2, onRecord('webhook_id')],
  ['updateWebhook', 1, onRecord('webhook_id', { payload: 'thin' })],
  ['testWebhook', 1, onRecord('webhook_id')],
  ['replayWebhook', 2, onRecord('webhook_id', { from: 1 })],
  ['skipWebhookEvents', 3, onRecord('webhook_id', { parked: true })],
  ['rotateWebhookSecret', 1, onRecord('webhook_id')],
  ['deleteWebhook', 1, onRecord('webhook_id')],
  ['deleteNote', 1, onRecord('note_id')],
  ['deleteOpportunity', 1, onRecord('opportunity_id')],
  ['deleteContact', 1, onRecord('people_id')],
  ['deleteAccount', 1, onRecord('company_id')],
  ['restoreRecord', 2, restoringLast],
];

/** Statements that fill a process's caches for a second or more, and the first one of a connection. A late call runs them again. */
const isKept = /\bapi_keys\b|\bFROM organizations\b|^SELECT \$1$|^SELECT set_config\(/;

const send = async (operation: Served, { query = '', body, id = '' }: Call): Promise<void> => {
  const response = await fetch(`${operation.url}${operation.path.replace(/\{\w+\}/, id)}${query}`, {
    method: operation.method,
    headers: { 'x-api-key': organization.key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { readonly data?: Readonly<Record<string, unknown>> };
  expect({ status: response.status, answer }).toMatchObject({ status: 200 });
  const created = Object.values(answer.data ?? {}).filter(
    (value) => typeof value === 'object' && !Array.isArray(value),
  );
  for (const [name, value] of [answer.data ?? {}, ...created].flatMap((part) => Object.entries(part ?? {})))
    if (name.endsWith('_id') && typeof value === 'string' && !made.has(name)) made.set(name, value);
};

describe('round trips to the database', () => {
  test('are specified for every operation of both gateways', () => {
    expect(table.map(([id]) => id).sort()).toEqual([...served.keys()].sort());
  });

  test.each(table)('%s needs %i', async (id, statements, call) => {
    const operation = served.get(id);
    if (operation === undefined) throw new Error(`${id} is not served`);
    const request = await call();
    await gateways.forget();
    await send(operation, request);
    const found = [...(await gateways.statements())].filter(([text]) => !isKept.test(text));
    // The texts show which statement is unexpected.
    expect(found.flatMap(([text, calls]) => Array.from({ length: calls }, () => text))).toHaveLength(statements);
  });
});
