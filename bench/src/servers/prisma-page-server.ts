import { openAdministrationDatabase } from '@crm/db';
import express from 'express';

/**
 * A page as most developers would first write it: Prisma's `findMany` with includes, in Express with default settings.
 */
const { limit, head, tail, organizationId, pipelineId } = JSON.parse(process.env['PAGE'] ?? '') as {
  readonly limit: number;
  readonly head: string;
  readonly tail: string;
  readonly organizationId: string;
  readonly pipelineId: string;
};

const { prisma } = openAdministrationDatabase({
  url: process.env['DATABASE_URL'] ?? '',
  applicationName: 'bench-prisma',
});

const listPage = async () => {
  const rows = await prisma.opportunity.findMany({
    where: { organizationId, pipelineId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
    select: {
      ...{
        id: true,
        name: true,
        pipelineId: true,
        stageId: true,
        accountId: true,
        contactId: true,
        customFields: true,
      },
      stage: { select: { label: true } },
      additionalContacts: {
        orderBy: { position: 'asc' },
        select: { contact: { select: { id: true, firstName: true, lastName: true, email: true } } },
      },
    },
  });
  return rows.slice(0, limit).map((row) => ({
    id: row.id,
    name: row.name,
    pipeline_id: row.pipelineId,
    stage_id: row.stageId,
    stage_name: row.stage?.label ?? null,
    account_id: row.accountId,
    contact_id: row.contactId,
    additional_contacts: row.additionalContacts.map(({ contact }) => ({
      contact_id: contact.id,
      contact_first_name: contact.firstName,
      contact_last_name: contact.lastName,
      contact_email: contact.email,
    })),
    custom_fields: row.customFields,
  }));
};

const app = express();
app.get('/v1/opportunities', async (_request, response) => {
  const records = await listPage();
  const texts = records.map((record) => JSON.stringify(record));
  response.type('json').send(`${head}${texts.join(',')}${tail}`);
});

app.listen(Number(process.env['PORT']), '127.0.0.1');
