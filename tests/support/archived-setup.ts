import type { CrmClient } from '@crm/client';

/** The setup file, and `archived: true` at the entries that have a mark. */
export const setupText = (isArchived: boolean): string => `
members:
  - { email: ann@team.example, name: Ann }
  - { email: gone@team.example, name: Gone${isArchived ? ', archived: true' : ''} }
pipelines:
  - name: Sales
    stages:
      - { label: New, probability: 10 }
      - { label: "Talks: 2", color: red, default: true }
      - { label: Dropped${isArchived ? ', archived: true' : ''} }
  - name: Retired
    ${isArchived ? 'archived: true' : ''}
    stages: [{ label: Open }, { label: Done }]
fields:
  - object: account
    slug: tier
    name: Tier
    type: select
    options:
      - { label: Gold, value: g }
      - { label: Lead, value: l${isArchived ? ', archived: true' : ''} }
      ${isArchived ? '- { label: Lead, value: l2 }\n      - { label: l, value: l3, archived: true }' : ''}
  - { object: account, slug: tags, name: Tags, type: multi_select, options: [{ label: "a, b", value: a${isArchived ? ', archived: true' : ''} }, { label: 'x "y"', value: x }] }
  - { object: contact, slug: legacy, name: Legacy, type: string${isArchived ? ', archived: true' : ''} }
  - { object: contact, slug: place, name: Place, type: location${isArchived ? ', archived: true' : ''} }
  - { object: contact, slug: secret, name: Secret, type: number, hidden: true }
  - { object: opportunity, slug: team, name: Team, type: team_members${isArchived ? ', archived: true' : ''} }
  - { object: opportunity, slug: seen, name: Seen, type: timestamp${isArchived ? ', archived: true' : ''} }
  - { object: opportunity, slug: kind, name: Kind, type: radio, pipelines: [Retired], options: [{ label: K, value: k }]${isArchived ? ', archived: true' : ''} }
  - { object: opportunity, slug: unused, name: Unused, type: url, hidden: true${isArchived ? ', archived: true' : ''} }
`;

/** Creates records that refer to all of the setup, before any of it is archived. */
export const createRecords = async (client: CrmClient): Promise<void> => {
  const { data } = await client.pipelines.list().page();
  const idOf = (name: string): string => data.pipelines.find((one) => one.name === name)?.pipeline_id ?? '';
  await client.accounts.bulkCreate([
    { domain: 'acme.com', name: 'Acme', external_id: '0012', custom_fields: { tier: 'l', tags: ['x', 'a'] } },
    { domain: 'tags.example', custom_fields: { tier: 'g', tags: ['a'] } },
    { domain: 'plain.example', description: '=1+1' },
  ]);
  const place = { city: 'São "Paulo"', country: 'BR' };
  await client.contacts.bulkCreate([
    { email: 'ann@acme.com', first_name: 'Ann', custom_fields: { legacy: ' 0012\n', place, secret: -0.5 } },
    { email: 'bob@gmail.com', last_name: 'Bob', custom_fields: { legacy: '' } },
    { email: 'cy@moved.example', account_domain: 'acme.com' },
  ]);
  const deal = (pipeline: string, name: string, fields: object, related: object) => ({
    pipeline_id: idOf(pipeline),
    opportunity: { name, ...fields },
    related_objects: related,
  });
  const team = ['gone@team.example', 'ann@team.example'];
  const { data: bulk } = await client.opportunities.bulkCreate([
    deal(
      'Sales',
      'Everything',
      { deal_size: 48000.5, currency: 'EUR', custom_fields: { team, seen: 1772442000123 } },
      { account_domain: 'acme.com', primary_contact_email: 'bob@gmail.com', owner_email: 'gone@team.example' },
    ),
    deal('Retired', 'Old', { close_date: '2026-01-02', custom_fields: { kind: 'k' } }, { account_domain: 'acme.com' }),
    deal('Retired', 'Old', {}, { primary_contact_email: 'bob@gmail.com', owner_email: 'ann@team.example' }),
    deal('Sales', 'No one’s', {}, {}),
  ]);
  const ids = bulk.results.map(({ id }) => id ?? '');
  for (const title of ['Twice', 'Twice'])
    await client.notes.create({ note: { title }, contact_emails: ['ann@acme.com', 'bob@gmail.com'] });
  await client.notes.create({
    note: { content: 'Of deals\r\n' },
    related_objects: { opportunity_ids: ids.slice(0, 3) },
  });
  const related_objects = { opportunity_ids: [ids[3] ?? ''] };
  await client.notes.create({ note: { title: 'Of both' }, account_domains: ['tags.example'], related_objects });
};

/** Creates records, and clears what their creates have filled in. */
export const createEmptyRecords = async (client: CrmClient): Promise<void> => {
  const { data } = await client.pipelines.create({ name: 'Sales', stages: [{ label: 'New' }] });
  const pipeline = { pipeline_id: data.pipeline.pipeline_id };
  const { data: deal } = await client.opportunities.create({
    ...pipeline,
    opportunity: { name: 'Empty', deal_size: 5 },
  });
  const { data: account } = await client.accounts.create({ domain: 'acme.com' });
  for (const email of ['ann@acme.com', 'bob@gmail.com']) {
    const { data: contact } = await client.contacts.create({ email });
    await client.contacts.update(contact.people_id, { account_domain: null });
  }
  await client.accounts.update(account.company_id, { name: null });
  await client.opportunities.update(deal.opportunity_id, { opportunity: { stage_id: null } });
};
