import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { minifySync } from '@swc/core';
import { createClient, type CrmClient, type Listing, type PageInfo } from '../src/index.js';

const id = '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4';

/** Reads the first page of a list, because a list sends its request only then. */
const firstPage = (listing: Listing<unknown, PageInfo>): Promise<unknown> => listing.page();

/** The method for each operation of the two documents. */
const methods: Readonly<Record<string, (crm: CrmClient) => Promise<unknown>>> = {
  listOpportunities: (crm) => firstPage(crm.opportunities.list({ pipeline_id: id })),
  searchOpportunities: (crm) => firstPage(crm.opportunities.search()),
  summarizeOpportunities: (crm) => crm.opportunities.summarize({}),
  getOpportunity: (crm) => crm.opportunities.get(id),
  listOpportunityHistory: (crm) => firstPage(crm.opportunities.history(id)),
  listOpportunityDuplicates: (crm) => firstPage(crm.opportunities.duplicates()),
  listOpportunityFields: (crm) => firstPage(crm.opportunities.fields()),
  createOpportunity: (crm) => crm.opportunities.create({ pipeline_id: id, opportunity: { name: 'Renewal' } }),
  updateOpportunity: (crm) => crm.opportunities.update(id, { opportunity: { name: 'Renewal' } }),
  deleteOpportunity: (crm) => crm.opportunities.delete(id),
  bulkCreateOpportunities: (crm) => crm.opportunities.bulkCreate([]),
  bulkUpdateOpportunities: (crm) => crm.opportunities.bulkUpdate([]),
  listAccounts: (crm) => firstPage(crm.accounts.list()),
  searchAccounts: (crm) => firstPage(crm.accounts.search()),
  summarizeAccounts: (crm) => crm.accounts.summarize({}),
  getAccount: (crm) => crm.accounts.get(id),
  getAccountByDomain: (crm) => crm.accounts.getByDomain('acme.com'),
  listAccountHistory: (crm) => firstPage(crm.accounts.history(id)),
  listAccountDuplicates: (crm) => firstPage(crm.accounts.duplicates()),
  listAccountFields: (crm) => firstPage(crm.accounts.fields()),
  createAccount: (crm) => crm.accounts.create({ domain: 'acme.com' }),
  updateAccount: (crm) => crm.accounts.update(id, { name: 'Acme' }),
  deleteAccount: (crm) => crm.accounts.delete(id),
  mergeAccount: (crm) => crm.accounts.merge(id, { from: id }),
  bulkCreateAccounts: (crm) => crm.accounts.bulkCreate([]),
  bulkUpdateAccounts: (crm) => crm.accounts.bulkUpdate([]),
  listContacts: (crm) => firstPage(crm.contacts.list()),
  searchContacts: (crm) => firstPage(crm.contacts.search()),
  summarizeContacts: (crm) => crm.contacts.summarize({}),
  getContact: (crm) => crm.contacts.get(id),
  getContactByEmail: (crm) => crm.contacts.getByEmail('ada@acme.com'),
  listContactHistory: (crm) => firstPage(crm.contacts.history(id)),
  listContactDuplicates: (crm) => firstPage(crm.contacts.duplicates()),
  listContactFields: (crm) => firstPage(crm.contacts.fields()),
  createContact: (crm) => crm.contacts.create({ email: 'ada@acme.com' }),
  updateContact: (crm) => crm.contacts.update(id, { first_name: 'Ada' }),
  deleteContact: (crm) => crm.contacts.delete(id),
  mergeContact: (crm) => crm.contacts.merge(id, { from: id }),
  bulkCreateContacts: (crm) => crm.contacts.bulkCreate([]),
  bulkUpdateContacts: (crm) => crm.contacts.bulkUpdate([]),
  listNotes: (crm) => firstPage(crm.notes.list()),
  getNote: (crm) => crm.notes.get(id),
  createNote: (crm) => crm.notes.create({ note: { title: 'Kick-off' } }),
  updateNote: (crm) => crm.notes.update(id, { note: { title: 'Kick-off' } }),
  deleteNote: (crm) => crm.notes.delete(id),
  listPipelines: (crm) => firstPage(crm.pipelines.list()),
  listPipelineStages: (crm) => firstPage(crm.pipelines.stages(id)),
  createPipeline: (crm) => crm.pipelines.create({ name: 'Partners', stages: [{ label: 'Open' }] }),
  updatePipeline: (crm) => crm.pipelines.update(id, { name: 'Partners' }),
  createStage: (crm) => crm.pipelines.createStage(id, { label: 'Open' }),
  updateStage: (crm) => crm.pipelines.updateStage(id, { label: 'Open' }),
  deleteStage: (crm) => crm.pipelines.deleteStage(id),
  createField: (crm) => crm.fields.create({ object: 'account', current_name: 'T', slug: 't', attribute_type: 'url' }),
  updateField: (crm) => crm.fields.update(id, { current_name: 'Tier' }),
  deleteField: (crm) => crm.fields.delete(id),
  createFieldOption: (crm) => crm.fields.createOption(id, { label: 'Large' }),
  updateFieldOption: (crm) => crm.fields.updateOption(id, { value: 'large' }),
  listMembers: (crm) => firstPage(crm.members.list()),
  createMember: (crm) => crm.members.create({ email: 'ada@acme.com', name: 'Ada' }),
  updateMember: (crm) => crm.members.update(id, { name: 'Ada' }),
  deleteMember: (crm) => crm.members.delete(id),
  listEvents: (crm) => crm.events.list(),
  getKey: (crm) => crm.key.get(),
  getLatestPosition: (crm) => crm.events.latest(),
  listWebhooks: (crm) => firstPage(crm.webhooks.list()),
  getWebhook: (crm) => crm.webhooks.get(id),
  listWebhookAttempts: (crm) => firstPage(crm.webhooks.attempts(id)),
  createWebhook: (crm) => crm.webhooks.create({ url: 'https://hooks.example.com/crm' }),
  updateWebhook: (crm) => crm.webhooks.update(id, { state: 'paused' }),
  deleteWebhook: (crm) => crm.webhooks.delete(id),
  testWebhook: (crm) => crm.webhooks.test(id),
  replayWebhook: (crm) => crm.webhooks.replay(id, { from: 1 }),
  rotateWebhookSecret: (crm) => crm.webhooks.rotateSecret(id),
  restoreRecord: (crm) => crm.events.restore({ position: 1 }),
};

interface Documented {
  readonly operationId: string;
  /** `PATCH inbound /v1/inbound/notes/{}`. */
  readonly request: string;
}

/** The operations of a document, except those without a key, which are for load balancers. */
const readOperations = (gateway: 'read' | 'inbound'): readonly Documented[] => {
  const file = new URL(`../../../docs/openapi/${gateway}-gateway.json`, import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => {
        const request = `${method.toUpperCase()} ${gateway} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
        return { operationId, request };
      }),
    );
};

const documented = [...readOperations('read'), ...readOperations('inbound')];

/** The request that a method sends. */
const requestOf = async (call: (crm: CrmClient) => Promise<unknown>): Promise<string> => {
  const requests: string[] = [];
  const fetchNothing: typeof fetch = (input, init) => {
    const { host, pathname } = new URL(input instanceof Request ? input.url : input);
    const path = pathname.replaceAll(id, '{}').replace(/(by-\w+)\/.*/, '$1/{}');
    requests.push(`${init?.method} ${host.split('.')[0]} ${path}`);
    return Promise.resolve(Response.json({ success: true, message: 'OK', data: {} }));
  };
  await call(
    createClient({
      readUrl: 'https://read.example.com',
      inboundUrl: 'https://inbound.example.com',
      apiKey: 'k',
      fetch: fetchNothing,
    }),
  );
  return requests.join(', ');
};

describe('the operations of the documents', () => {
  test('each have a method of the client, and the client has no others', () => {
    expect(documented.length).toBeGreaterThan(50);
    expect(Object.keys(methods).sort()).toEqual(documented.map(({ operationId }) => operationId).sort());
  });

  test.each(documented)('$operationId: $request', async ({ operationId, request }) => {
    const call = methods[operationId];
    expect(call && (await requestOf(call))).toBe(request);
  });
});

/** The client is loaded as a whole, so it may only grow with its number of operations. */
const maxBytesPerOperation = 225;
const folder = new URL('../dist/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

describe('what users install', () => {
  test('is small: all files minified and compressed, per operation', () => {
    const code = files.filter((file) => file.endsWith('.js') && !file.startsWith('commonjs/')).map(read);
    const minified = code
      .map((text) => minifySync(text, { module: true, compress: true, mangle: true }).code)
      .join('\n');
    const bytes = gzipSync(minified, { level: 9 }).length;
    const operations = documented.length;
    const figure = Math.round(bytes / operations);
    process.stdout.write(`client: ${minified.length} bytes minified, ${bytes} compressed, ${figure} an operation\n`);
    expect(bytes).toBeGreaterThan(1_000);
    expect(figure).toBeLessThanOrEqual(maxBytesPerOperation);
  });

  test('has no dependencies, neither at run time nor for its types', () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', folder), 'utf8')) as Record<string, unknown>;
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
    for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
      const sources = [...read(file).matchAll(/\bfrom ['"]([^'"]+)|\b(?:import|require)\(?\s*['"]([^'"]+)/g)];
      for (const [, from, imported] of sources) expect(from ?? imported).toMatch(/^\.{1,2}\//);
      expect(read(file)).not.toMatch(/NodeJS\.|node:|reference types/);
    }
  });
});
