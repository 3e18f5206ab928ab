import { quietMember, type SetUpOrganization } from './two-organizations.js';

const owner = 'owner@team.example';

/** A value of every type. Where the type allows it, the value is hard to represent in a file format. */
const everyType = {
  a_string: '  "quoted", and\r\nbroken — Ünïcode 🦊 ',
  a_number: -0.000001,
  a_checkbox: false,
  a_date: '2026-02-28',
  a_date_range: { start: '2026-01-01', end: null },
  a_rating: 0,
  a_timestamp: 1772442000123,
  a_select: 'ent',
  a_multi_select: ['smb', 'ent'],
  a_currency: 12345678901.2345,
  a_percentage: 12.5,
  a_location: { city: 'São "Paulo", SP', country: 'BR' },
  a_time: '09:30',
  a_datetime: '2026-03-02T09:00:00.125+02:00',
  a_email: 'Someone@Example.com',
  a_phone: '+49 30 123456',
  a_website: 'https://example.com/a?b=c,d',
  a_url: 'https://example.com/%22x%22',
  a_radio: 'smb',
  a_team_members: [quietMember, owner],
  secret: '=1+1',
};
/** Texts that look like other types, and the empty text, which differs from a missing value. */
const emptyText = { a_string: '', a_checkbox: true, a_multi_select: [] };
const numberLike = { a_string: '0012', a_phone: '007', secret: 'null' };

/** Fills an organization with records that are hard to export and import. */
export const createRecords = async ({ organization, client }: SetUpOrganization): Promise<void> => {
  const { pipeline, otherPipeline } = organization;
  await client.accounts.bulkCreate([
    {
      domain: 'acme.com',
      external_id: '0012',
      name: 'Acme, "Inc."',
      description: 'One\nTwo\n',
      industry: '1e5',
      custom_fields: everyType,
    },
    { domain: 'müller.example', website: 'https://müller.example', employee_range: '1-10', custom_fields: emptyText },
    { domain: 'empty.example' },
  ]);
  await client.contacts.bulkCreate([
    {
      email: 'ann@acme.com',
      external_id: '=1, "x"',
      first_name: 'Ann',
      job_title: 'CEO, founder',
      phone: '+14155550123',
      custom_fields: everyType,
    },
    { email: 'bob@gmail.com', last_name: "O'Neil", custom_fields: numberLike },
    { email: 'cy@elsewhere.example', custom_fields: emptyText },
  ]);
  const won = pipeline.stages.find(({ label }) => label === 'Won')?.id ?? '';
  const deal = (name: string, more: object = {}, related: object = {}, pipelineId = pipeline.id) => ({
    pipeline_id: pipelineId,
    opportunity: { name, ...more },
    related_objects: related,
  });
  await client.opportunities.bulkCreate([
    deal(
      'Everything',
      {
        stage_id: won,
        external_id: '1e5',
        deal_size: 48000.5,
        currency: 'EUR',
        close_date: 1798675200001,
        next_action_date: -1798675200000,
        next_step: ' Call\nback, "soon" ',
        custom_fields: everyType,
      },
      {
        account_domain: 'acme.com',
        primary_contact_email: 'cy@elsewhere.example',
        additional_contact_emails: ['bob@gmail.com', 'ann@acme.com'],
        owner_email: owner,
      },
    ),
    deal('Everything', { deal_size: 0, custom_fields: emptyText }, { account_domain: 'acme.com' }, otherPipeline.id),
    deal('Of one person', { custom_fields: numberLike }, { primary_contact_email: 'bob@gmail.com' }),
    deal('Of one person', {}, { primary_contact_email: 'eve@gmail.com' }),
    deal('No one’s'),
  ]);
  await client.notes.create({ note: { title: 'Twice' }, contact_emails: ['ann@acme.com', 'bob@gmail.com'] });
  await client.notes.create({ note: { title: 'Twice' }, contact_emails: ['ann@acme.com', 'bob@gmail.com'] });
  const content = ' "Budget",\r\nis approved\n';
  await client.notes.create({ note: { content }, account_domains: ['acme.com', 'empty.example'] });
};
