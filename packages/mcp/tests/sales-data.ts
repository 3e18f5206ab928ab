import type { TestCrm } from './assistant.js';

/** 24 deals of three companies and two owners, with people and a note. They close on the first days of this month. */
export const addSalesData = async (own: TestCrm): Promise<void> => {
  const month = new Date().toISOString().slice(0, 7);
  await own.addMember('bea@team.example');
  const options = [
    { label: 'Enterprise', value: 'ent', color: 'blue' },
    { label: 'Small', value: 'smb', color: 'red' },
  ];
  await own.organization.defineField({
    objectType: 'opportunity',
    slug: 'tier',
    attributeType: 'select',
    metadata: { options },
  });
  const { id: pipelineId, stages } = own.organization.pipeline;
  const won = stages.find(({ label }) => label === 'Won')?.id ?? '';
  await own.crm.opportunities.bulkCreate(
    Array.from({ length: 24 }, (_, index) => ({
      pipeline_id: pipelineId,
      opportunity: {
        name: index < 8 ? `Renewal ${index}` : `Project ${index}`,
        deal_size: index * 2_000,
        currency: 'EUR',
        close_date: Date.parse(`${month}-${String(index + 1).padStart(2, '0')}`),
        ...(index % 4 === 0 && { stage_id: won }),
        custom_fields: { tier: index % 2 === 0 ? 'ent' : 'smb' },
      },
      related_objects: {
        account_domain: ['acme.com', 'globex.com', 'initech.com'][index % 3] ?? '',
        primary_contact_email: `p${index}@${['acme.com', 'globex.com', 'initech.com'][index % 3]}`,
        owner_email: index % 2 === 0 ? 'owner@team.example' : 'bea@team.example',
      },
    })),
  );
  await own.crm.contacts.create({ email: 'ann@acme.com', first_name: 'Ann', last_name: 'Ames' });
  await own.crm.notes.create({
    note: { title: 'Budget', content: 'Budget is approved.' },
    account_domains: ['acme.com'],
  });
};
