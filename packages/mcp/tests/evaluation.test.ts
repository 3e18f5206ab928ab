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
const inMonth = { field: 'close_date', operator: 'between', values: [`${month}-01`, `${month}-28`] };
const isOpen = { field: 'stage_name', operator: 'neq', value: 'Won' };
const findDeal = async (query: string) => first((await data('search_deals', { query, limit: 2 })).deals);

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
    async () => (await data('describe_crm', { part: 'pipelines' })).items[0]?.['stages'],
    ['New', 'Qualified', 'Won'],
  ],
  ['who can own deals', async () => (await data('describe_crm', { part: 'members' })).items.length, 2],
  [
    'which tiers are there',
    async () =>
      (await data('describe_crm', { part: 'fields' })).items.find((item) => item['field'] === 'custom__tier')?.[
        'options'
      ],
    ['Enterprise', 'Small'],
  ],
  [
    'open deals over 10,000 that close this month, by owner',
    async () =>
      (
        await data('summarize_deals', {
          filters: [isOpen, { field: 'amount', operator: 'gt', value: '10000' }, inMonth],
          group_by: ['owner_email'],
          measures: ['sum:amount'],
        })
      ).groups.length,
    2,
  ],
  [
    'the value of each stage',
    async () =>
      (await data('summarize_deals', { group_by: ['stage_name'], measures: ['sum:amount'] })).total['sum:amount'],
    '552000',
  ],
  [
    'the average deal size by tier',
    async () => (await data('summarize_deals', { group_by: ['tier'], measures: ['avg:amount'] })).groups.length,
    2,
  ],
  [
    'how many deals has Acme',
    async () =>
      (await data('summarize_deals', { filters: [{ field: 'account_domain', operator: 'eq', value: 'acme.com' }] }))
        .total['count'],
    8,
  ],
  [
    'the three largest open deals',
    async () => (await data('search_deals', { filters: [isOpen], sort: 'amount:desc', limit: 3 })).deals[0]?.['amount'],
    46_000,
  ],
  [
    'deals of Acme or Globex that close first',
    async () =>
      (
        await data('search_deals', {
          any_of: [
            { field: 'account_domain', operator: 'eq', value: 'acme.com' },
            { field: 'account_domain', operator: 'eq', value: 'globex.com' },
          ],
          sort: 'close_date',
          limit: 2,
        })
      ).deals[0]?.['name'],
    'Renewal 0',
  ],
  [
    'enterprise deals of Bea',
    async () =>
      (
        await data('search_deals', {
          filters: [
            { field: 'tier', operator: 'eq', value: 'Enterprise' },
            { field: 'owner_email', operator: 'eq', value: 'bea@team.example' },
          ],
        })
      ).deals.length,
    0,
  ],
  [
    'deals without a next step, second page',
    async () => {
      const args = { filters: [{ field: 'next_step', operator: 'empty' }], limit: 5, sort: 'name' };
      const { next_cursor: cursor } = await data('search_deals', args);
      return (await data('search_deals', { ...args, cursor })).deals.length;
    },
    5,
  ],
  [
    'move Acme’s renewal to Won and note why',
    async () => {
      const { id, version } = await findDeal('renewal acme.com');
      await data('update_deal', { id, version, stage_name: 'Won' });
      return (await data('add_note', { request_key: `won-${id}`, content: 'They signed the renewal.', deal_ids: [id] }))
        .status;
    },
    'created',
  ],
  [
    'give Globex’s renewal to Bea',
    async () => {
      const { id, version } = await findDeal('renewal globex.com');
      return (await data('update_deal', { id, version, owner_email: 'bea@team.example' })).record['owner_email'];
    },
    'bea@team.example',
  ],
  [
    'what changed on that deal',
    async () => {
      const { id } = await findDeal('renewal globex.com');
      return (await data('list_changes', { object: 'deal', id })).changes.at(-1)?.['type'];
    },
    'deal.created',
  ],
  [
    'postpone a deal and clear its amount',
    async () => {
      const { id, version } = await findDeal('project 10');
      return (await data('update_deal', { id, version, close_date: '2027-01-31', clear: ['amount'] })).record
        .close_date;
    },
    '2027-01-31',
  ],
  [
    'create a deal, with a wrong stage at first',
    async () => {
      const deal = { name: 'Pilot', pipeline_name: 'Sales', account_domain: 'hooli.com', amount: 500 };
      expect((await call('create_deal', { ...deal, stage_name: 'Started' })).text).toContain('New, Qualified, Won');
      return (await data('create_deal', { ...deal, stage_name: 'Qualified' }))['status'];
    },
    'created',
  ],
  [
    'create it again by mistake',
    async () =>
      (await data('create_deal', { name: 'Pilot', pipeline_name: 'Sales', account_domain: 'HOOLI.com' }))['status'],
    'matched',
  ],
  [
    'add a company with its industry',
    async () =>
      (await data('create_account', { domain: 'https://umbrella.com', industry: 'Pharma' })).record['industry'],
    'Pharma',
  ],
  [
    'correct the industry',
    async () => {
      const { id, version } = (await data('get_record', { object: 'account', key: 'umbrella.com' })).record;
      return (await data('update_account', { id, version, industry: 'Health' })).record['industry'];
    },
    'Health',
  ],
  [
    'add a person and a note about the call',
    async () => {
      await data('create_contact', { email: 'cy@hooli.com', first_name: 'Cy' });
      return (
        await data('add_note', {
          request_key: 'call-cy',
          title: 'Call',
          content: 'Wants a demo.',
          contact_emails: ['cy@hooli.com'],
        })
      ).status;
    },
    'created',
  ],
  [
    'Ann’s new job title',
    async () => {
      const { id, version } = (await data('get_record', { object: 'contact', key: 'ann@acme.com' })).record;
      return (await data('update_contact', { id, version, job_title: 'CTO' })).record['job_title'];
    },
    'CTO',
  ],
  [
    'people at Acme',
    async () =>
      (
        await data('search_contacts', {
          filters: [{ field: 'account.domain', operator: 'eq', value: 'acme.com' }],
          sort: 'email',
        })
      ).contacts.length,
    9,
  ],
  [
    'what do we know about Acme’s budget',
    async () =>
      (await data('list_notes', { object: 'account', key: 'acme.com', query: 'budget' })).notes[0]?.['content'],
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
    expect(tasks).toHaveLength(25);
    expect(tokens).toBeLessThanOrEqual(maxTokens);
  });
});
