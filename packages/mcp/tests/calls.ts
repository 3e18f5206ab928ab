/** A deal that the calls of {@link strictCalls} are about. */
export const strictDeal = { name: 'Strict', account_domain: 'strict.example', pipeline_name: 'Sales' };
const empty = { query: '', filters: [], any_of: [], cursor: '' };
const stage = { field: 'stage_name', operator: 'eq' };

/** Calls as models in strict modes send them, and what they mean. */
export const strictCalls: readonly (readonly [
  tool: string,
  sent: Record<string, unknown>,
  meant: Record<string, unknown>,
])[] = [
  ['describe_crm', { part: null, cursor: '' }, {}],
  ['search_deals', { ...empty, sort: '', fields: [], limit: null }, {}],
  ['search_deals', { query: null, filters: null, any_of: null, sort: null, fields: null, cursor: null }, {}],
  ['search_deals', { filters: [{ ...stage, value: 'Won', values: [] }] }, { filters: [{ ...stage, value: 'Won' }] }],
  ['search_deals', { filters: [{ ...stage, value: 'Won', values: [''] }] }, { filters: [{ ...stage, value: 'Won' }] }],
  [
    'search_deals',
    { filters: [{ ...stage, value: 'Won', values: ['Won'] }] },
    { filters: [{ ...stage, value: 'Won' }] },
  ],
  [
    'search_deals',
    { filters: [{ field: 'owner_email', operator: 'empty', value: '', values: [] }, null] },
    { filters: [{ field: 'owner_email', operator: 'empty' }] },
  ],
  [
    'get_record',
    { object: 'account', key: 'strict.example', cursor: '' },
    { object: 'account', key: 'strict.example' },
  ],
  ['list_notes', { object: null, key: '', query: '', limit: 20, cursor: '' }, {}],
  ['list_changes', { object: 'deal', id: '', changed: [], limit: 5, cursor: '' }, { object: 'deal', limit: 5 }],
  [
    'summarize_deals',
    { ...empty, group_by: ['stage_name'], measures: [], sort: [], time_zone: '', limit: null },
    { group_by: ['stage_name'] },
  ],
  [
    'create_deal',
    {
      ...strictDeal,
      contact_email: '',
      contact_first_name: null,
      contact_phone: '',
      additional_contact_emails: [],
      stage_name: '',
      currency: '',
      custom_fields: { tier: '' },
    },
    strictDeal,
  ],
];

const filter = (field: string, operator: string, more: object) => ({ filters: [{ field, operator, ...more }] });
const deal = { name: 'x', pipeline_name: 'Sales' };
const anyDeal = { id: '00000000-0000-4000-8000-000000000000', version: 1 };

/** Calls that are refused, by tool, and a part of the text that says why. */
export const refusedCalls: Readonly<
  Record<string, readonly (readonly [args: Record<string, unknown>, text: string])[]>
> = {
  search_deals: [
    [{ srt: 'name' }, 'srt: is not an argument; allowed: query, filters, any_of, contact, sort, fields, limit'],
    [{ limit: 51 }, 'limit: Too big: expected number to be <=50'],
    [filter('amount', 'more', { value: '1' }), 'filters[0].operator: Invalid option: expected one of "eq"|'],
    [filter('amout', 'gt', { value: '1' }), 'filters[0].field: unknown field "amout"; allowed: '],
    [filter('amount', 'gt', { value: '10k' }), 'filters[0].value: "10k" is not a number: write it as'],
    [filter('amount', 'gt', {}), 'filters[0].value: is required for gt'],
    [filter('amount', 'contains', { value: '1' }), 'filters[0].operator: must be an operator of "amount"'],
    [filter('tier', 'eq', { value: 'Gold' }), 'filters[0].value: "Gold" is no option of "tier"'],
    [filter('team', 'in', { values: ['x@y.z'] }), '"x@y.z" is not a member; allowed: owner@team.example'],
    [{ any_of: [{ field: 'close_date', operator: 'lt', value: 'soon' }] }, 'any_of[0].value: '],
    [{ cursor: 'x' }, 'cursor: must be the next_cursor of an earlier result'],
    [{ sort: 'nothing' }, 'sort: unknown field "nothing"; describe_crm lists the fields'],
    [{ sort: '-amount' }, 'sort: unknown field "-amount": write amount:desc'],
    [{ sort: 'one,two' }, 'sort: unknown field "one"; describe_crm lists the fields; unknown field "two"'],
    [{ fields: ['name', 'nope'] }, 'fields: unknown field "nope"'],
    [
      filter('stage_name', 'neq', { value: 'Wonn' }),
      'filters[0].value: "Wonn" is not a stage; known: New, Qualified, Won',
    ],
    [
      filter('pipeline_name', 'in', { values: ['Sale'] }),
      'filters[0].values[0]: "Sale" is not a pipeline; known: Sales',
    ],
    [{ any_of: filter('owner_email', 'eq', { value: 'x@y.z' }).filters }, 'any_of[0].value: "x@y.z" is not a member'],
    [filter('amount', 'eq', { value: '1', values: ['2'] }), 'filters[0].values: differs from value "1"'],
  ],
  summarize_deals: [
    [{ group_by: ['stage'] }, 'group_by[0]: '],
    [{ group_by: ['outcome'], sort: ['sum:amount'] }, 'cannot sort by \"sum:amount\"'],
    [{ time_zone: 'Mars' }, 'time_zone: "Mars" is no time zone'],
    [{ stays_in: 'Sale' }, 'stays_in: "Sale" is not a pipeline; allowed: Sales, Partners'],
    [{ stays_in: 'Sales', group_by: ['outcome'] }, 'group_by: does not work with stays_in'],
    [{ stays_in: 'Sales', from: '2026-02-01', to: '2026-01-01' }, 'to: must be after from'],
    [{ from: '2026-01-01' }, 'from: works with stays_in only'],
  ],
  get_record: [
    [{ object: 'deal', key: 'acme.com' }, 'key: must be the id of a record: search for it first'],
    [{ object: 'account', key: 'nobody.example' }, 'Not found.'],
    [{ object: 'account', key: 'no domain' }, 'key: '],
    [{ object: 'contact', key: 'no email' }, 'key: '],
    [{ object: 'contact', key: '' }, 'key: is required'],
  ],
  list_notes: [[{ object: 'deal' }, 'key: send object and key together']],
  list_changes: [
    [{ id: 'x' }, 'object: allowed: deal, account, contact'],
    [{ object: 'deal', id: 'x', changed: ['amount'] }, 'changed: works without id only'],
    [{ object: 'deal', changed: ['amout'] }, 'changed: '],
    [{ after_position: 1e9 }, 'after_position: '],
    [{ cursor: 'x' }, 'cursor: works with id only'],
  ],
  create_deal: [
    [{ name: 'x' }, 'pipeline_name: is required, because there are several; allowed: Sales, Partners'],
    [{ ...deal, pipeline_name: 'Sale' }, 'pipeline_name: "Sale" is not a pipeline; allowed: Sales, Partners'],
    [{ ...deal, stage_name: 'Lost' }, 'allowed: New, Qualified, Won'],
    [{ ...deal, close_date: '2026-02-30' }, 'close_date: must be Unix milliseconds, RFC 3339'],
    [{ ...deal, owner_email: 'x@y.z' }, 'owner_email: is not a member'],
    [{ ...deal, custom_fields: { tier: 'Gold' } }, 'custom_fields.tier: '],
    [{ ...deal, contact_first_name: 'Ann' }, 'contact_email: is required'],
    [{ ...deal, contact_email: 'a@b.example', contact_phone: 'x'.repeat(256) }, 'contact_phone: must have at most 255'],
  ],
  add_note: [
    [{ request_key: 'a', content: 'Nowhere' }, 'account_domains: is required'],
    [{ content: 'x' }, 'request_key: is required'],
    [{ request_key: 'b', title: 'x', deal_ids: ['x'] }, 'deal_ids[0]: '],
  ],
  create_contact: [
    [{ email: 'a@b.example', account_external_id: 'none' }, 'account_external_id: '],
    [{ email: 'a@b.example', custom_fields: { nope: 1 } }, 'custom_fields.nope: '],
  ],
  update_deal: [
    [{ ...anyDeal, amount: 5, clear: ['amount'] }, 'clear[0]: "amount" cannot be cleared and set (amount) in one call'],
    [{ ...anyDeal, custom_fields: { tier: 'ent' }, clear: ['custom__tier'] }, 'clear[0]: "custom__tier" cannot be'],
    [
      { ...anyDeal, account_domain: 'a.example', clear: ['account_external_id'] },
      'clear[0]: "account_external_id" cannot',
    ],
    [{ id: '00000000-0000-4000-8000-000000000000', version: 1, clear: ['stag'] }, 'clear[0]: "stag" is not a field'],
  ],
};
