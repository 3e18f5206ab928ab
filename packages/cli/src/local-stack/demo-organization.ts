import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { createClient, type CreateOpportunityBody, type CrmClient } from '@crm/client';
import {
  administration,
  type Administration,
  type AdministrationDatabase,
  findApiKeysByHash,
  loadSetup,
  openAdministrationDatabase,
} from '@crm/db';
import { hashApiKey } from '@crm/domain';

import { openOwnGateways } from '../api/own-gateways.js';
import { newKey } from '../commands/keys.js';
import { CliError, errorText } from '../errors.js';
import { example } from '../examples.js';
import { applySetupFile } from '../setup/apply.js';
import { listPipelines, type PipelineWithStages } from '../setup/lookup.js';
import { demoGroups, type DemoFile } from './demo-file.js';

/** The demo organization and its key. */
export interface DemoOrganization {
  readonly organizationId: string;
  readonly apiKey: string;
  /** Whether an earlier start has set it up and created its deals. */
  readonly isSetUp: boolean;
}

const organizationName = 'Demo organization';
const keyName = 'crm start';
/** Far more than a person or a benchmark run needs. */
const requestsAMinute = 100_000;

/**
 * Finds the demo organization, or creates it. The first start sets it up from the documented example, as `crm apply`
 * does. A start that was killed halfway is completed by the next one.
 *
 * @param previous - the demo file of the last run, the only place that has the key
 */
export const openDemoOrganization = async (
  url: string,
  previous: DemoFile | undefined,
  wasSetUp: boolean,
): Promise<DemoOrganization> => {
  const database = openAdministrationDatabase({ url, applicationName: 'crm-start', maxConnections: 2 });
  try {
    const origin = { actor: 'crm start', osUser: null, commandId: randomUUID() };
    const admin = administration(database, origin);
    const organizationId = await findOrganization(admin, previous);
    // It has no pipelines if a user has deleted the earlier one.
    const isSetUp = wasSetUp && (await loadSetup(database, organizationId)).pipelines.length > 0;
    if (!isSetUp) {
      const gateways = await openOwnGateways(url, organizationId, origin);
      const gateway = { name: 'inbound gateway', url: gateways.inboundUrl, option: '--url', groups: 'setup' } as const;
      try {
        const set = (currency: string | null) => admin.updateOrganization(organizationId, { currency });
        await applySetupFile(
          {
            ...{ client: createClient(gateways), gateway, webhookSettings: gateways.webhookSettings },
            currency: { read: () => Promise.resolve(null), set },
          },
          example('setup.yaml'),
        );
      } finally {
        await gateways.close();
      }
    }
    return { organizationId, isSetUp, apiKey: await openKey(database, admin, organizationId, previous) };
  } finally {
    await database.close();
  }
};

const findOrganization = async (admin: Administration, previous: DemoFile | undefined): Promise<string> => {
  const organizations = await admin.listOrganizations();
  const found =
    organizations.find(({ id }) => id === previous?.organization_id) ??
    organizations.find(({ name }) => name === organizationName);
  return found?.id ?? (await admin.createOrganization({ name: organizationName })).id;
};

/**
 * Returns the key of the last run if it is still valid. Otherwise revokes the old keys, whose text is lost, and creates
 * a new one.
 */
const openKey = async (
  database: AdministrationDatabase,
  admin: Administration,
  organizationId: string,
  previous: DemoFile | undefined,
): Promise<string> => {
  if (previous !== undefined) {
    const [stored] = await findApiKeysByHash(database, [hashApiKey(previous.api_key)]);
    if (stored?.organizationId === organizationId && stored.revokedAt === null) return previous.api_key;
  }
  for (const key of await admin.listApiKeys(organizationId)) {
    if (key.name === keyName && key.revokedAt === null) await admin.revokeApiKey({ organizationId, keyId: key.id });
  }
  const { apiKey, text } = newKey();
  await admin.createApiKey({
    organizationId,
    name: keyName,
    ...text,
    expiresAt: null,
    allowedOperations: [...demoGroups],
    limits: { list: requestsAMinute, search: requestsAMinute, inbound: requestsAMinute, bulk: requestsAMinute },
  });
  return apiKey;
};

/** The pipeline of the demo file: that of the last run, or else the first that is in use. */
export const chooseDemoPipeline = async (
  client: CrmClient,
  previous: DemoFile | undefined,
): Promise<PipelineWithStages> => {
  const pipelines = await listPipelines(client);
  const pipeline =
    pipelines.find(({ pipeline_id: id }) => id === previous?.pipeline_id) ??
    pipelines.find(({ is_active: isActive }) => isActive);
  if (pipeline === undefined) throw new CliError('The demo organization has no pipeline');
  return pipeline;
};

interface DemoDeal {
  readonly stage: string;
  readonly body: Omit<CreateOpportunityBody, 'pipeline_id'>;
}

/**
 * Creates the demo deals through the inbound gateway, as any client would.
 *
 * @throws CliError if the gateway refuses one. The stack does not work then.
 */
export const sendDemoDeals = async (
  client: CrmClient,
  pipeline: PipelineWithStages,
  signal: AbortSignal,
): Promise<void> => {
  const deals = JSON.parse(await readFile(example('demo-deals.json'), 'utf8')) as readonly DemoDeal[];
  for (const { stage, body } of deals) {
    const stageId = pipeline.stages.find(({ label }) => label === stage)?.stage_id ?? null;
    const opportunity = { ...body.opportunity, stage_id: stageId };
    try {
      await client.opportunities.create({ ...body, pipeline_id: pipeline.pipeline_id, opportunity }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw new CliError(`The demo deal "${body.opportunity.name}" was not created: ${errorText(error)}`);
    }
  }
};
