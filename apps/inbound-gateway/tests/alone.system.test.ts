import { inboundOperations, type OperationContract, readOperations } from '@crm/contract';
import { createTestClient, readTestStack, type TestOrganization, type TestRequest } from '@crm/testing';
import { expect, test } from '@jest/globals';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const contracts: readonly OperationContract[] = [...readOperations, ...inboundOperations];

type Ids = Readonly<Record<string, string>>;

/** Sends calls of one organization and writes down the answers. */
const teller = ({ key }: TestOrganization) => {
  const { readUrl, inboundUrl } = readTestStack();
  const clients = { read: createTestClient(readUrl, key), inbound: createTestClient(inboundUrl, key) };
  const [lines, asked] = [[] as string[], new Set<string>()];
  let mark: string | null = null;
  const ask = async (id: string, request: TestRequest = {}): Promise<Record<string, unknown>> => {
    const contract = contracts.find((one) => one.id === id);
    if (contract === undefined) throw new Error(`there is no operation ${id}`);
    asked.add(id);
    // A read shows what was written before it, whatever the gateway has in its cache.
    const after = contract.gateway === 'read' && mark !== null ? { 'x-read-after': mark } : {};
    const sent = { ...request, headers: { ...after, ...request.headers } };
    const { status, headers, text, body } = await clients[contract.gateway].call(contract, sent);
    mark = headers.get('x-read-after') ?? mark;
    lines.push(`${id} ${JSON.stringify(request.body ?? request.query ?? '')} ${status} ${text}`);
    return (body.data ?? {}) as Record<string, unknown>;
  };
  /** Creates something. @returns its id */
  const make = async (id: string, body: object, params: Ids = {}): Promise<string> => {
    const [value] = Object.values(await ask(id, { body, params }));
    return typeof value === 'string' ? value : String(Object.values(value as object)[0]);
  };
  return { ask, make, lines, asked };
};
type Teller = ReturnType<typeof teller>;

const deal = (pipeline_id: string, name: string, related_objects: object, more: object = {}) => ({
  pipeline_id,
  opportunity: { name, ...more },
  related_objects,
});
const ann = { email: 'ann@alone.example', first_name: 'Ann', last_name: 'Lee', phone: '+4930123456' };

/** Writes the same data into any organization. @returns the ids */
const fill = async ({ ask, make }: Teller, { pipeline }: TestOrganization): Promise<Ids> => {
  const select = {
    object: 'contact',
    current_name: 'Level',
    slug: 'level',
    attribute_type: 'select',
    options: [{ label: 'One', value: 'one' }],
  };
  const field = await make('createField', select);
  for (const object of ['account', 'opportunity'])
    await make('createField', { object, current_name: 'Words', slug: 'words', attribute_type: 'string' });
  const member = await make('createMember', { email: 'same@team.example', name: 'Same' });
  const webhook = await make('createWebhook', { url: 'https://hooks.example.com/same' });
  const custom_fields = { words: 'Same words' };
  const account = await make('createAccount', {
    domain: 'alone.example',
    name: 'Alone',
    external_id: 'A1',
    custom_fields,
  });
  const twin = await make('createAccount', { domain: 'alone.test', name: 'Alone', external_id: 'A2' });
  const contact = await make('createContact', { ...ann, external_id: 'C1', custom_fields: { level: 'one' } });
  const double = await make('createContact', { ...ann, email: 'ann.lee@alone.test', external_id: 'C2' });
  const related = {
    account_domain: 'alone.example',
    primary_contact_email: ann.email,
    owner_email: 'same@team.example',
  };
  const values = { external_id: 'D1', deal_size: 5, currency: 'EUR', close_date: '2026-05-05', custom_fields };
  const first = await make('createOpportunity', deal(pipeline.id, 'Deal', related, values));
  const second = await make('createOpportunity', deal(pipeline.id, 'DEAL', related));
  const third = await make(
    'createOpportunity',
    deal(pipeline.id, 'Deal', { account_domain: 'alone.test', additional_contact_emails: [ann.email] }),
  );
  const on = {
    account_domains: ['alone.example'],
    contact_emails: [ann.email],
    related_objects: { opportunity_ids: [first] },
  };
  const note = await make('createNote', { note: { title: 'Same', content: 'Same text' }, ...on });
  await ask('testWebhook', { params: { id: webhook } });
  return { field, member, webhook, account, twin, contact, double, first, second, third, note };
};

const reads = async ({ ask }: Teller, { pipeline }: TestOrganization, ids: Ids): Promise<void> => {
  const of = (id = '') => ({ params: { id } });
  const objects = [
    ['Account', 'Accounts', ids['account'], 'name', 'Alone'],
    ['Contact', 'Contacts', ids['contact'], 'last_name', 'Lee'],
    ['Opportunity', 'Opportunities', ids['first'], 'name', 'Deal'],
  ] as const;
  for (const [one, many, id, field, value] of objects) {
    const inPipeline = one === 'Opportunity' ? { pipeline_id: pipeline.id } : {};
    for (const call of [`get${one}`, `list${one}History`]) await ask(call, of(id));
    await ask(`list${one}Fields`, { query: inPipeline });
    for (const call of [`list${one}Duplicates`, `get${one}Schema`]) await ask(call);
    const page = await ask(`list${many}`, { query: { ...inPipeline, limit: 1 } });
    await ask(`list${many}`, { query: { ...inPipeline, limit: 1, cursor: String(page['next_cursor']) } });
    await ask(`list${many}`, { query: { ...inPipeline, q: value } });
    const filters = { field, operator: 'eq', value };
    for (const body of [
      { filters },
      { filters: { not: filters } },
      { query: value },
      { sort: [{ field, direction: 'desc' }] },
    ])
      await ask(`search${many}`, { body: { ...body, ...inPipeline } });
    await ask(`summarize${many}`, { body: { ...inPipeline, group_by: ['created_at:month'] } });
  }
  await ask('listOpportunityStages', of(ids['first']));
  await ask('summarizeStages', { body: { pipeline_id: pipeline.id } });
  for (const label of [
    ['stage_name', 'Qualified'],
    ['owner_email', 'same@team.example'],
    ['account_domain', 'alone.example'],
    ['contact_email', ann.email],
    ['custom__words', 'Same words'],
  ])
    for (const operator of ['eq', 'neq'])
      await ask('searchOpportunities', {
        body: { pipeline_id: pipeline.id, filters: { field: label[0], operator, value: label[1] } },
      });
  await ask('getAccountByDomain', { params: { domain: 'alone.example' } });
  await ask('getContactByEmail', { params: { email: ann.email } });
  await ask('getNote', of(ids['note']));
  await ask('getNoteSchema');
  for (const query of [
    {},
    { q: 'same' },
    { account_id: ids['account'] ?? '' },
    { contact_id: ids['contact'] ?? '' },
    { opportunity_id: ids['first'] ?? '' },
  ])
    await ask('listNotes', { query });
  await ask('listPipelineStages', of(pipeline.id));
  for (const id of ['listPipelines', 'listMembers', 'listWebhooks', 'getLatestPosition', 'getKey']) await ask(id);
  for (const id of ['getWebhook', 'listParkedRecords', 'listWebhookAttempts']) await ask(id, of(ids['webhook']));
  for (const query of [{}, { object: 'contact' }, { changed: 'name' }, { record_id: ids['contact'] ?? '' }])
    await ask('listEvents', { query });
};

const writes = async (
  { ask, make }: Teller,
  { pipeline, otherPipeline }: TestOrganization,
  ids: Ids,
): Promise<void> => {
  const of = (name: string, body?: object) => ({
    params: { id: ids[name] ?? '' },
    ...(body === undefined ? {} : { body }),
  });
  // Every way in which a request finds a record that another organization has too.
  await ask('createAccount', { body: { domain: 'alone.example', industry: 'Steel' }, query: { on_match: 'update' } });
  await ask('createAccount', { body: { external_id: 'A1', name: 'By external id' }, query: { on_match: 'update' } });
  await ask('createContact', { body: { email: ann.email, job_title: 'CTO' }, query: { on_match: 'update' } });
  await ask('createContact', {
    body: { external_id: 'C1', email: ann.email, account_external_id: 'A2' },
    query: { on_match: 'update' },
  });
  await ask('createOpportunity', {
    body: deal(pipeline.id, 'Deal', { account_domain: 'alone.example' }),
    headers: { 'idempotency-key': 'same' },
  });
  await ask('createOpportunity', {
    body: deal(pipeline.id, 'Deal', { account_domain: 'alone.example' }),
    headers: { 'idempotency-key': 'same' },
  });
  await ask('createOpportunity', {
    body: deal(
      pipeline.id,
      'New',
      { account_external_id: 'A1', primary_contact_external_id: 'C2' },
      { external_id: 'D1' },
    ),
  });
  await ask('updateAccount', of('account', { domain: 'alone.test' }));
  await ask('updateAccount', of('account', { external_id: 'A2' }));
  await ask('updateContact', of('contact', { email: 'ann.lee@alone.test' }));
  await ask('updateContact', of('contact', { external_id: 'C2', first_name: 'Anna' }));
  await ask('updateOpportunity', of('second', { opportunity: { name: 'Deal' } }));
  await ask('updateOpportunity', of('second', { opportunity: { external_id: 'D2' } }));
  await ask('updateNote', of('note', { note: { content: 'Other' } }));
  await ask('bulkCreateAccounts', {
    body: { items: [{ domain: 'alone.example', description: 'Bulk' }] },
    query: { on_match: 'update' },
  });
  await ask('bulkCreateContacts', {
    body: { items: [{ email: ann.email, phone: '+4930123457' }] },
    query: { on_match: 'update' },
  });
  await ask('bulkCreateOpportunities', {
    body: { items: [deal(pipeline.id, 'Deal', { account_domain: 'alone.example' }, { deal_size: 7 })] },
    query: { on_match: 'update' },
  });
  await ask('bulkUpdateAccounts', { body: { items: [{ id: ids['account'], name: 'Renamed' }] } });
  await ask('bulkUpdateContacts', { body: { items: [{ id: ids['contact'], last_name: 'Lea' }] } });
  await ask('bulkUpdateOpportunities', { body: { items: [{ id: ids['first'], opportunity: { next_step: 'Call' } }] } });
  const made = await make('createPipeline', {
    name: 'Same',
    stages: [{ label: 'New' }, { label: 'Won' }],
    position: 1,
  });
  await ask('updatePipeline', { params: { id: made }, body: { name: otherPipeline.name } });
  const stage = await make('createStage', { label: 'Same', is_default: true, position: 1 }, { id: pipeline.id });
  await ask('updateStage', { params: { id: stage }, body: { label: 'Won', position: 2 } });
  await ask('updateStage', { params: { id: stage }, body: { position: 2 } });
  await ask('deleteStage', { params: { id: stage } });
  await ask('createFieldOption', of('field', { label: 'Two' }));
  await ask('updateFieldOption', of('field', { value: 'one', label: 'Uno' }));
  await ask('updateField', of('field', { current_name: 'Rank' }));
  const passing = await make('createField', {
    object: 'account',
    current_name: 'Passing',
    slug: 'passing',
    attribute_type: 'number',
    position: 1,
  });
  await ask('deleteField', { params: { id: passing } });
  await ask('updateMember', of('member', { name: 'Renamed' }));
  await ask('updateWebhook', of('webhook', { payload: 'thin' }));
  await ask('replayWebhook', of('webhook', { from: 1 }));
  await ask('skipWebhookEvents', of('webhook', { from: 1 }));
  await ask('rotateWebhookSecret', of('webhook'));
};

const removals = async ({ ask, make }: Teller, { member }: TestOrganization, ids: Ids): Promise<void> => {
  const of = (name: string, body?: object) => ({
    params: { id: ids[name] ?? '' },
    ...(body === undefined ? {} : { body }),
  });
  for (const dry_run of [true, false]) {
    await ask('mergeAccount', of('account', { from: ids['twin'], deals: 'merge', dry_run }));
    await ask('mergeContact', of('contact', { from: ids['double'], dry_run }));
  }
  await ask('createAccount', { body: { domain: 'alone.test' } });
  await ask('deleteOpportunity', of('second'));
  await ask('restoreRecord', { body: { object: 'opportunity', id: ids['second'] } });
  const gone = await make('createAccount', { domain: 'gone.example' });
  await ask('deleteAccount', { params: { id: gone } });
  await ask('restoreRecord', { body: { object: 'account', id: gone } });
  await ask('deleteContact', of('contact'));
  await ask('deleteNote', of('note'));
  await ask('deleteMember', { ...of('member'), query: { reassign_to: member.id } });
  await ask('deleteWebhook', of('webhook'));
};

/** How many rows the organization has in each table. */
const countRows = async ({ id }: TestOrganization): Promise<Record<string, unknown> | undefined> => {
  const { database } = gateway();
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE a.attname = 'organization_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace`,
  );
  const counts = tables.map(({ name }) => `(SELECT count(*)::int FROM ${name} WHERE organization_id = $1) AS ${name}`);
  return (await database.query(id, { text: `SELECT ${counts.join()}`, values: [] }))[0];
};

/** A transcript in which ids have numbers in the order of their first mention, and no times or random texts are left. */
const comparable = (lines: readonly string[]): string[] => {
  const numbers = new Map<string, number>();
  const numberOf = (id: string): string => {
    numbers.set(id, numbers.get(id) ?? numbers.size);
    return `#${numbers.get(id)}`;
  };
  return lines.map((line) =>
    line
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numberOf)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/"(cursor|next_cursor|request_id|secret|organization|organization_name|prefix)":"[^"]*"/g, '"$1":"…"')
      .replaceAll(/Test [0-9a-f]{8}/g, 'Test'),
  );
};

/** Everything that an organization can ask, in one order. */
const tellAll = async (organization: TestOrganization) => {
  const speaker = teller(organization);
  const ids = await fill(speaker, organization);
  await reads(speaker, organization, ids);
  await writes(speaker, organization, ids);
  await reads(speaker, organization, ids);
  await removals(speaker, organization, ids);
  await speaker.ask('listEvents', { query: { limit: 200 } });
  return { lines: comparable(speaker.lines), asked: speaker.asked, counts: await countRows(organization) };
};

test('R7: every answer to an organization is the same if others have the same data: names, keys, external ids and values', async () => {
  const { createOrganization } = gateway();
  const alone = await tellAll(await createOrganization());
  const beside = await createOrganization();
  await fill(teller(beside), beside);
  const later = await tellAll(await createOrganization());
  expect([...later.asked].sort()).toEqual(contracts.map(({ id }) => id).sort());
  for (const [index, line] of later.lines.entries()) expect(line).toBe(alone.lines[index]);
  expect(later.counts).toEqual(alone.counts);
});
