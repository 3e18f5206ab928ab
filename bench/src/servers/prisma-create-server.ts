import { randomUUID } from 'node:crypto';
import { openAdministrationDatabase } from '@crm/db';
import express from 'express';

/**
 * A create as most developers would first write it: Express with default settings, and Prisma's upserts of an account,
 * its contacts, an opportunity and its links in one transaction. The tables are those of the gateway.
 */
const organizationId = process.env['ORGANIZATION_ID'] ?? '';

interface Body {
  readonly pipeline_id: string;
  readonly opportunity: { readonly name: string; readonly deal_size: number };
  readonly related_objects: {
    readonly account_domain: string;
    readonly primary_contact_email: string;
    readonly additional_contact_emails: readonly string[];
  };
}

const { prisma } = openAdministrationDatabase({
  url: process.env['DATABASE_URL'] ?? '',
  applicationName: 'bench-prisma',
});

const create = ({ pipeline_id: pipelineId, opportunity, related_objects: related }: Body): Promise<string> =>
  prisma.$transaction(async (transaction) => {
    const at = new Date();
    const base = { organizationId, createdAt: at, updatedAt: at };
    const domain = related.account_domain;
    const account = await transaction.account.upsert({
      where: { organizationId_domain: { organizationId, domain } },
      create: { ...base, id: randomUUID(), domain, searchText: domain },
      update: {},
    });
    const contactIds: string[] = [];
    for (const email of [related.primary_contact_email, ...related.additional_contact_emails]) {
      const contact = await transaction.contact.upsert({
        where: { organizationId_email: { organizationId, email } },
        create: { ...base, id: randomUUID(), email, accountId: account.id, searchText: email },
        update: {},
      });
      contactIds.push(contact.id);
    }
    const normalizedName = opportunity.name.toLowerCase();
    const key = { organizationId, accountKey: account.id, pipelineId, normalizedName };
    const found = await transaction.opportunity.findFirst({ where: key, select: { id: true } });
    if (found !== null) return found.id;
    const id = randomUUID();
    const [contactId = null, ...others] = contactIds;
    await transaction.opportunity.create({
      data: {
        ...{
          ...base,
          ...key,
          id,
          name: opportunity.name,
          amount: opportunity.deal_size,
          accountId: account.id,
          contactId,
        },
        ...{ record: JSON.stringify({ id, name: opportunity.name }), searchText: normalizedName },
      },
    });
    await transaction.opportunityContact.createMany({
      data: others.map((other, position) => ({ organizationId, opportunityId: id, contactId: other, position })),
    });
    return id;
  });

const app = express();
app.use(express.json());
app.get('/ready', (_request, response) => void response.send('ready'));
app.post('/v1/inbound/opportunities', async (request, response) => {
  const opportunity_id = await create(request.body as Body);
  response.json({ success: true, data: { opportunity_id } });
});

app.listen(Number(process.env['PORT']), '127.0.0.1');
