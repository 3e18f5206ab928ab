import { createClient, type CreateOpportunityBody } from '@crm/client';

import { CliError, errorText } from '../errors.js';
import type { DemoOrganization } from './demo-organization.js';

interface DemoDeal {
  readonly name: string;
  readonly stage: string;
  readonly amount?: number;
  readonly domain: string;
  readonly contacts: readonly [primary: string, ...additional: string[]];
  readonly owner: string;
  readonly product: string;
  readonly engaged?: string;
  readonly closed?: string;
  readonly channels?: readonly string[];
  readonly confidence?: number;
}

const deals: readonly DemoDeal[] = [
  {
    name: 'Orchard sensors, phase one',
    stage: 'Won',
    amount: 18_400,
    domain: 'northwindorchards.com',
    contacts: ['mira.lund@northwindorchards.com', 'oren.pike@northwindorchards.com'],
    owner: 'ada.winter@example.com',
    product: 'GTX Pro',
    engaged: '2025-01-14',
    closed: '2025-03-03',
    channels: ['Website', 'Referral'],
    confidence: 5,
  },
  {
    name: 'Orchard sensors, phase two',
    stage: 'Engaging',
    amount: 26_000,
    domain: 'northwindorchards.com',
    contacts: ['mira.lund@northwindorchards.com'],
    owner: 'ada.winter@example.com',
    product: 'GTX Plus Pro',
    engaged: '2025-05-20',
    confidence: 4,
  },
  {
    name: 'Clinic roll-out',
    stage: 'Engaging',
    amount: 54_250.5,
    domain: 'tidewaterclinics.org',
    contacts: ['h.osei@tidewaterclinics.org', 'it@tidewaterclinics.org'],
    owner: 'bruno.keller@example.com',
    product: 'MG Advanced',
    engaged: '2025-06-02',
    channels: ['Event'],
    confidence: 3,
  },
  {
    name: 'Data pilot',
    stage: 'Prospecting',
    domain: 'lindqvist-data.se',
    contacts: ['astrid@lindqvist-data.se'],
    owner: 'chidi.okafor@example.com',
    product: 'GTX Basic',
  },
  {
    name: 'Warehouse trial',
    stage: 'Lost',
    amount: 3_200,
    domain: 'halemoss.co.uk',
    contacts: ['j.hale@halemoss.co.uk'],
    owner: 'bruno.keller@example.com',
    product: 'MG Special',
    engaged: '2025-02-11',
    closed: '2025-02-28',
    confidence: 1,
  },
  {
    name: 'Backup licences',
    stage: 'Won',
    amount: 990,
    domain: 'lindqvist-data.se',
    contacts: ['astrid@lindqvist-data.se', 'finance@lindqvist-data.se'],
    owner: 'chidi.okafor@example.com',
    product: 'GTK 500',
    engaged: '2025-03-09',
    closed: '2025-04-01',
    channels: ['Partner'],
    confidence: 5,
  },
];

/**
 * Creates the demo deals through the inbound gateway, as any client would.
 *
 * @throws CliError if the gateway refuses one. The stack does not work then.
 */
export const sendDemoDeals = async (inboundUrl: string, demo: DemoOrganization, signal: AbortSignal): Promise<void> => {
  const client = createClient({ readUrl: inboundUrl, apiKey: demo.apiKey });
  for (const deal of deals) {
    try {
      await client.opportunities.create(requestBody(demo, deal), { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw new CliError(`The demo deal "${deal.name}" was not created: ${errorText(error)}`);
    }
  }
};

const requestBody = ({ pipeline }: DemoOrganization, deal: DemoDeal): CreateOpportunityBody => {
  const [primary, ...additional] = deal.contacts;
  return {
    pipeline_id: pipeline.id,
    opportunity: {
      name: deal.name,
      stage_id: pipeline.stages.find(({ label }) => label === deal.stage)?.id ?? null,
      deal_size: deal.amount ?? null,
      close_date: deal.closed === undefined ? null : Date.parse(deal.closed),
      custom_fields: {
        product: deal.product,
        engage_date: deal.engaged ?? null,
        channels: deal.channels ?? null,
        confidence: deal.confidence ?? null,
      },
    },
    related_objects: {
      account_domain: deal.domain,
      primary_contact_email: primary,
      additional_contact_emails: additional,
      owner_email: deal.owner,
    },
  };
};
