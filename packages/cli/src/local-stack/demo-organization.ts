import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import {
  administration,
  findApiKeyByHash,
  loadSetup,
  type Administration,
  type OrganizationSetup,
  type AdministrationDatabase,
  type Pipeline,
} from '@crm/db';
import { hashApiKey } from '@crm/domain';

import { newKey } from '../administration/new-key.js';
import { planSetup } from '../setup-file/plan-setup.js';
import { readSetupFile, setupSource } from '../setup-file/setup-file.js';
import type { DemoFile } from './demo-file.js';

/** The demo organization, as the rest of the stack needs it. */
export interface DemoOrganization {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly pipeline: Pipeline;
}

const organizationName = 'Demo organization';
const keyName = 'npm start';
/** Far more than a person or a benchmark run needs. */
const requestsAMinute = 100_000;

/** The documented example of a setup file. */
const setupFile = fileURLToPath(new URL('../../examples/setup.yaml', import.meta.url));

/**
 * Finds the demo organization, or creates it from the example file. The setup is applied in one transaction, so a
 * start that was killed halfway is completed by the next one.
 *
 * @param previous - the demo file of the last run, the only place that has the key
 */
export const openDemoOrganization = async (
  database: AdministrationDatabase,
  previous: DemoFile | undefined,
): Promise<DemoOrganization> => {
  const admin = administration(database, { actor: 'crm start', osUser: null, commandId: randomUUID() });
  const organizationId = await findOrganization(admin, previous);
  await applySetup(admin, await loadSetup(database, organizationId));
  const pipeline = choosePipeline(await loadSetup(database, organizationId), previous);
  return { organizationId, pipeline, apiKey: await openKey(database, admin, organizationId, previous) };
};

const findOrganization = async (admin: Administration, previous: DemoFile | undefined): Promise<string> => {
  const organizations = await admin.listOrganizations();
  const found =
    organizations.find(({ id }) => id === previous?.organization_id) ??
    organizations.find(({ name }) => name === organizationName);
  return found?.id ?? (await admin.createOrganization({ name: organizationName })).id;
};

/** Applies the example only to an organization without pipelines, so that later starts keep the changes of users. */
const applySetup = async (admin: Administration, setup: OrganizationSetup): Promise<void> => {
  if (setup.pipelines.length > 0) return;
  const source = setupSource(setupFile, await readFile(setupFile, 'utf8'));
  const steps = planSetup(source, readSetupFile(source), setup);
  await admin.changeSetup(
    setup.organizationId,
    steps.flatMap(({ changes }) => changes),
  );
};

const choosePipeline = (setup: OrganizationSetup, previous: DemoFile | undefined): Pipeline => {
  const known = previous === undefined ? undefined : setup.findPipeline(previous.pipeline_id);
  const pipeline = known ?? setup.pipelines.find(({ isActive }) => isActive);
  if (pipeline === undefined) throw new Error('The demo organization has no pipeline');
  return pipeline;
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
    const stored = await findApiKeyByHash(database, hashApiKey(previous.api_key));
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
    allowedOperations: ['list', 'search', 'inbound', 'bulk'],
    limits: { list: requestsAMinute, search: requestsAMinute, inbound: requestsAMinute, bulk: requestsAMinute },
    expiresAt: null,
  });
  return apiKey;
};
