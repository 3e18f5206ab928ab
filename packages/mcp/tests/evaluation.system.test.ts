import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addSalesData } from './sales-data.js';
import { type Answer, Assistant, startTestCrm, type TestCrm } from './assistant.js';

/** What users ask, as the calls that a careful assistant makes. */
const maxCalls = 4;
/** Of all results together, text and structured content. */
const maxTokens = 20_000;

let own: TestCrm;
let assistant: Assistant;
let calls = 0;
let tokens = 0;

const call = async (name: string, args: Record<string, unknown> = {}): Promise<Answer> => {
  const answer = await assistant.call(name, args);
  calls += 1;
  tokens += answer.tokens;
  return answer;
};
const data = async (name: string, args: Record<string, unknown> = {}) => {
  const answer = await call(name, args);
  if (answer.isError) throw new Error(answer.text);
  return answer.data as unknown as Result;
};

/** The properties of records, groups, changes and parts of the description that the tasks look at. */
interface Found {
  readonly id: string;
  readonly version: number;
  readonly [name: string]: unknown;
}
interface Result extends Readonly<Record<'items' | 'deals' | 'groups' | 'contacts' | 'notes' | 'changes', Found[]>> {
  readonly record: Found;
  readonly total: Found;
  readonly [name: string]: unknown;
}

const first = (records: readonly Found[]): Found => {
  const [record] = records;
  if (record === undefined) throw new Error('Nothing was found');
  return record;
};

const month = new Date().toISOString().slice(0, 7);
const is = (field: string, value: string, operator = 'eq') => ({ field, operator, value });
const isOpen = is('stage_name', 'Won', 'neq');
const inMonth = { field: 'close_date', operator: 'between', values: [`${month}-01`, `${month}-28`] };
const search = async (args: object) => (await data('search_deals', { ...args })).deals;
const summarize = (args: object) => data('summarize_deals', { ...args });
const described = async (part: string) => (await data('describe_crm', { part })).items;
/** The records of one bulk call are in no order of their own, so filters say which of the deals with one name is meant. */
const findDeal = async (query: string, ...filters: object[]) => first(await search({ query, filters, limit: 2 }));
const find = async (object: string, key: string) => (await data('get_record', { object, key })).record;
const update = async (object: string, { id, version }: Found, change: object) =>
  (await data(`update_${object}`, { id, version, ...change })).record;
const create = (object: string, fields: object) => data(`create_${object}`, { ...fields });
const note = async (request_key: string, more: object) => (await data('add_note', { request_key, ...more }))['status'];
const pilot = { name: 'Pilot', pipeline_name: 'Sales', account_domain: 'hooli.com' };

beforeAll(async () => {
  own = await startTestCrm(readTestStack());
  await addSalesData(own);
  assistant = await Assistant.connect(own);
});
afterAll(async () => {
  process.stdout.write(`mcp: the results of all tasks have about ${tokens} tokens\n`);
  await assistant.close();
  await own.stop();
});

const tasks: readonly (readonly [string, () => Promise<unknown>, unknown])[] = [
  [
    'which stages does the Sales pipeline have',
    async () => (await described('pipelines'))[0]?.['stages'],
    ['New', 'Qualified', 'Won'],
  ],
  ['who can own deals', async () => (await described('members')).length, 2],
  [
    'which tiers are there',
    async () => (await described('fields')).find((item) => item['field'] === 'custom__tier')?.['options'],
    ['Enterprise', 'Small'],
  ],
  [
    'open deals over 10,000 that close this month, by owner',
    async () => {
      const filters = [isOpen, is('amount', '10000', 'gt'), inMonth];
      return (await summarize({ filters, group_by: ['owner_email'], measures: ['sum:amount'] })).groups.length;
    },
    2,
  ],
  [
    'the value of each stage',
    async () => (await summarize({ group_by: ['stage_name'], measures: ['sum:amount'] })).total['sum:amount'],
    '552000',
  ],
  [
    'the account with the largest deals, and the stages in their order',
    async () => {
      const accounts = { group_by: ['account_name'], measures: ['sum:amount'], sort: ['sum:amount:desc'], limit: 1 };
      const [largest] = (await summarize(accounts)).groups;
      const all = (await summarize({ group_by: ['account_name'], measures: ['sum:amount'] })).groups;
      const stages = (await summarize({ group_by: ['stage_name'], sort: ['stage_name:desc'] })).groups;
      return [
        Number(largest?.['sum:amount']) === Math.max(...all.map((group) => Number(group['sum:amount']))),
        stages[0]?.['stage_name'],
      ];
    },
    [true, 'Won'],
  ],
  [
    'how many deals entered each stage this month, and how many of them left it',
    async () => {
      const { groups, total } = await summarize({ stays_in: 'sales', from: `${month}-01` });
      return [...groups.map((group) => [group['stage_name'], group['entered'], group['moves']]), total];
    },
    [['New', 0, []], ['Qualified', 18, []], ['Won', 6, []], { entered: 24, left: 0 }],
  ],
  [
    'the average deal size by tier',
    async () => (await summarize({ group_by: ['tier'], measures: ['avg:amount'] })).groups.length,
    2,
  ],
  [
    'how many deals has Acme',
    async () => (await summarize({ filters: [is('account_domain', 'acme.com')] })).total['count'],
    8,
  ],
  [
    'the three largest open deals',
    async () => first(await search({ filters: [isOpen], sort: 'amount:desc', limit: 3 }))['amount'],
    46_000,
  ],
  [
    'deals of Acme or Globex that close first',
    async () => {
      const any_of = ['acme.com', 'globex.com'].map((domain) => is('account_domain', domain));
      return first(await search({ any_of, sort: 'close_date', limit: 2 }))['name'];
    },
    'Renewal 0',
  ],
  [
    'enterprise deals of Bea',
    () => search({ filters: [is('tier', 'Enterprise'), is('owner_email', 'bea@team.example')] }),
    [],
  ],
  [
    'deals without a next step, second page',
    async () => {
      const args = { filters: [{ field: 'next_step', operator: 'empty' }], limit: 5, sort: 'name' };
      const { next_cursor: cursor } = await data('search_deals', args);
      return (await search({ ...args, cursor })).length;
    },
    5,
  ],
  [
    'move Acme’s renewal to Won and note why',
    async () => {
      const { id } = await update('deal', await findDeal('renewal acme.com', isOpen), { stage_name: 'Won' });
      return note(`won-${id}`, { content: 'They signed the renewal.', deal_ids: [id] });
    },
    'created',
  ],
  [
    'give Bea’s renewal of Globex to the owner, and say what changed',
    async () => {
      const deal = await findDeal('renewal globex.com', is('owner_email', 'bea@team.example'));
      const { id } = await update('deal', deal, { owner_email: 'owner@team.example' });
      return (await data('list_changes', { object: 'deal', id })).changes.map((one) => one['type']);
    },
    ['deal.updated', 'deal.created'],
  ],
  [
    'postpone a deal and clear its amount',
    async () => {
      const change = { close_date: '2027-01-31', clear: ['amount'] };
      return (await update('deal', await findDeal('project 10'), change)).close_date;
    },
    '2027-01-31',
  ],
  [
    'create a deal, with a wrong stage at first',
    async () => {
      expect((await call('create_deal', { ...pilot, stage_name: 'Started' })).text).toContain('New, Qualified, Won');
      return (await create('deal', { ...pilot, stage_name: 'Qualified' }))['status'];
    },
    'created',
  ],
  ['create it again by mistake', async () => (await create('deal', pilot))['status'], 'matched'],
  [
    'add a lead with the person who asked, then a deal of hers with another phone',
    async () => {
      const dee = {
        ...pilot,
        contact_email: 'dee@lead.example',
        contact_first_name: 'Dee',
        contact_phone: '+1 415 555 0199',
      };
      await create('deal', { ...dee, name: 'Lead' });
      const { warnings } = await create('deal', { ...dee, name: 'Lead 2', contact_phone: '+1 415 555 0100' });
      const { record } = await data('get_record', { object: 'contact', key: 'dee@lead.example' });
      return [record['first_name'], record['phone'], warnings];
    },
    ['Dee', '+14155550199', ['contact_phone: The record exists: its stored value was kept']],
  ],
  [
    'add a company with its industry',
    async () => (await create('account', { domain: 'https://umbrella.com', industry: 'Pharma' })).record['industry'],
    'Pharma',
  ],
  [
    'correct the industry',
    async () => (await update('account', await find('account', 'umbrella.com'), { industry: 'Health' }))['industry'],
    'Health',
  ],
  [
    'add a person and a note about the call',
    async () => {
      await create('contact', { email: 'cy@hooli.com', first_name: 'Cy' });
      return note('call-cy', { title: 'Call', content: 'Wants a demo.', contact_emails: ['cy@hooli.com'] });
    },
    'created',
  ],
  [
    'Ann’s new job title',
    async () => (await update('contact', await find('contact', 'ann@acme.com'), { job_title: 'CTO' }))['job_title'],
    'CTO',
  ],
  [
    'people at Acme',
    async () => {
      const args = { filters: [is('account.domain', 'acme.com')], sort: 'email' };
      return (await data('search_contacts', args)).contacts.length;
    },
    9,
  ],
  [
    'what do we know about Acme’s budget',
    async () =>
      first((await data('list_notes', { object: 'account', key: 'acme.com', query: 'budget' })).notes)['content'],
    'Budget is approved.',
  ],
  [
    'what happened last',
    async () => (await data('list_changes', { limit: 5 })).changes.at(-1)?.['type'],
    'contact.updated',
  ],
  [
    'delete the note about the budget',
    async () => {
      const { id, version } = first((await data('list_notes', { query: 'budget' })).notes);
      return (await data('delete_record', { object: 'note', id, version }))['deleted_id'] === id;
    },
    true,
  ],
];

describe('tasks', () => {
  test.each(tasks)('%s', async (_title, perform, expected) => {
    const before = calls;
    expect(await perform()).toEqual(expected);
    expect(calls - before).toBeLessThanOrEqual(maxCalls);
  });

  test(`need at most ${maxTokens} tokens of results`, () => {
    expect(tasks).toHaveLength(27);
    expect(tokens).toBeLessThanOrEqual(maxTokens);
  });
});
