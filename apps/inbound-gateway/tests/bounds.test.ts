import * as api from '@crm/contract';
import type { OperationContract } from '@crm/contract';
import type { TestRequest } from '@crm/testing';
import { expect, test } from '@jest/globals';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();

/** A domain of so many characters, in labels of at most 63. */
const domainOf = (length: number, start = 'd'): string => {
  const rest = length - '.com'.length;
  const labels = Array.from({ length: Math.ceil(rest / 64) }, (_, index) =>
    start.repeat(Math.min(63, rest - 64 * index)),
  );
  return `${labels.join('.')}.com`;
};
/** So many characters of two UTF-16 units each. */
const wide = (length: number): string => '😀'.repeat(length);
const list = (length: number, of: (index: number) => unknown) => Array.from({ length }, (_, index) => of(index));
const account = (more: object) => ({ domain: 'bounds.com', ...more });
const contact = (more: object) => ({ email: 'ann@bounds.com', ...more });
const deal = (more: object, related: object = {}) => ({
  pipeline_id: gateway().organization.pipeline.id,
  opportunity: { name: 'Bounds', ...more },
  related_objects: related,
});
const note = (more: object, on: object = { account_domains: ['bounds.com'] }) => ({
  note: { title: 'T', ...more },
  ...on,
});
const email = (index: number) => `p${index}@bounds.com`;
const domain = (index: number) => `b${index}.com`;

type Bound = readonly [
  about: string,
  at: number,
  contract: OperationContract,
  body: (length: number) => object,
  field: string,
];

/** Every bound of a text or a list that a request has by itself; docs/contract.md lists them. */
const bounds: readonly Bound[] = [
  ['domain', 253, api.createAccount, (n) => ({ domain: domainOf(n) }), 'domain'],
  ['email', 254, api.createContact, (n) => ({ email: `ann@${domainOf(n - 4)}` }), 'email'],
  ['long local part', 64, api.createContact, (n) => ({ email: `${'a'.repeat(n)}@bounds.com` }), 'email'],
  ['account name', 255, api.createAccount, (n) => account({ name: wide(n) }), 'name'],
  ['industry', 255, api.createAccount, (n) => account({ industry: wide(n) }), 'industry'],
  ['employee range', 255, api.createAccount, (n) => account({ employee_range: wide(n) }), 'employee_range'],
  ['description', 10_000, api.createAccount, (n) => account({ description: wide(n) }), 'description'],
  ['website', 2_048, api.createAccount, (n) => account({ website: `https://x.com/${'a'.repeat(n - 14)}` }), 'website'],
  ['external id of an account', 255, api.createAccount, (n) => account({ external_id: wide(n) }), 'external_id'],
  ['first name', 255, api.createContact, (n) => contact({ first_name: wide(n) }), 'first_name'],
  ['last name', 255, api.createContact, (n) => contact({ last_name: wide(n) }), 'last_name'],
  ['job title', 255, api.createContact, (n) => contact({ job_title: wide(n) }), 'job_title'],
  ['phone', 255, api.createContact, (n) => contact({ phone: '1'.repeat(n) }), 'phone'],
  ['deal name', 255, api.createOpportunity, (n) => deal({ name: wide(n) }), 'opportunity.name'],
  ['next step', 2_000, api.createOpportunity, (n) => deal({ next_step: wide(n) }), 'opportunity.next_step'],
  [
    ...(['additional contacts', 100, api.createOpportunity] as const),
    (n) => deal({ name: `With ${n}` }, { additional_contact_emails: list(n, email) }),
    'related_objects.additional_contact_emails',
  ],
  ['note title', 255, api.createNote, (n) => note({ title: wide(n) }), 'note.title'],
  ['note content', 50_000, api.createNote, (n) => note({ content: wide(n) }), 'note.content'],
  ['emails of a note', 100, api.createNote, (n) => note({}, { contact_emails: list(n, email) }), 'contact_emails'],
  ['domains of a note', 100, api.createNote, (n) => note({}, { account_domains: list(n, domain) }), 'account_domains'],
  [
    'items of a bulk create',
    100,
    api.bulkCreateAccounts,
    (n) => ({ items: list(n, (i) => ({ domain: domain(i) })) }),
    'items',
  ],
  [
    'items of a bulk create of contacts',
    100,
    api.bulkCreateContacts,
    (n) => ({ items: list(n, (i) => ({ email: email(i) })) }),
    'items',
  ],
  [
    ...(['items of a bulk create of deals', 100, api.bulkCreateOpportunities] as const),
    (n) => ({ items: list(n, (i) => deal({ name: `Bulk ${i}` })) }),
    'items',
  ],
  ...[api.bulkUpdateAccounts, api.bulkUpdateContacts, api.bulkUpdateOpportunities].map((contract): Bound => [
    ...([`items of ${contract.id}`, 50, contract] as const),
    (n) => ({ items: list(n, () => ({ id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4', external_id: 'x' })) }),
    'items',
  ]),
];

test.each(bounds)('%s: %d is accepted, and one more is 400', async (_about, at, contract, body, field) => {
  const send = (request: TestRequest) => gateway().client.call(contract, request);
  expect((await send({ body: body(at) })).status).toBe(200);
  const refused = await send({ body: body(at + 1) });
  expect([refused.status, refused.fieldsAtFault]).toEqual([400, [field]]);
});

test('Idempotency-Key: 255 characters are accepted, and one more is 400', async () => {
  const send = (length: number) =>
    gateway().client.call(api.createNote, { body: note({}), headers: { 'idempotency-key': 'k'.repeat(length) } });
  expect((await send(255)).status).toBe(200);
  const refused = await send(256);
  expect([refused.status, refused.fieldsAtFault]).toEqual([400, ['Idempotency-Key']]);
});

const bodies: readonly (readonly [string, number, OperationContract, number, () => string])[] = [
  ['a body', 256 * 1024, api.createNote, 1, () => JSON.stringify(note({}))],
  ['a bulk body', 4 * 1024 * 1024, api.bulkCreateAccounts, 20, () => '{"domain":"bounds.com"}'],
];
test.each(bodies)('%s of %d bytes is accepted, and one more is 413', async (_about, bytes, contract, count, text) => {
  const [head, end] = count === 1 ? ['', ''] : ['{"items":[', ']}'];
  for (const [length, status] of [
    [bytes, 200],
    [bytes + 1, 413],
  ] as const) {
    // Spread over the items, because one of them has a bound of its own.
    const items = Array.from({ length: count }, text);
    const missing = length - `${head}${items.join(',')}${end}`.length;
    const padded = items.map((item, index) => {
      const spaces = Math.floor(missing / count) + (index === 0 ? missing % count : 0);
      return ' '.repeat(spaces) + item;
    });
    const { status: answered, errors } = await gateway().client.call(contract, {
      rawBody: `${head}${padded.join(',')}${end}`,
    });
    expect([length, answered, errors]).toEqual([length, status, {}]);
  }
});
