import { randomUUID } from 'node:crypto';

import {
  administration,
  findApiKeyByHash,
  loadCatalog,
  type Administration,
  type Catalog,
  type AdministrationDatabase,
  type NewStage,
  type Pipeline,
} from '@crm/db';
import { hashApiKey, isFailure, parseFieldMetadata, type AttributeType, type ObjectType } from '@crm/domain';

import { newKey } from '../administration/new-key.js';
import type { DemoFile } from './demo-file.js';

/** The demo organization, as the rest of the stack needs it. */
export interface DemoOrganization {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly pipeline: Pipeline;
}

const organizationName = 'Demo organization';
const keyName = 'npm start';
/** Far above what a person or a trial of the benchmark needs. */
const requestsAMinute = 100_000;

const pipelines: readonly { readonly name: string; readonly stages: readonly NewStage[] }[] = [
  {
    // The labels are those of the example mapping of `crm import`.
    name: 'Sales',
    stages: [
      { label: 'Prospecting', color: 'gray', probability: 10, isDefault: true },
      { label: 'Engaging', color: 'blue', probability: 40 },
      { label: 'Won', color: 'green', probability: 100 },
      { label: 'Lost', color: 'red', probability: 0 },
    ],
  },
  {
    name: 'Renewals',
    stages: [
      { label: 'Due', color: 'yellow', probability: 60, isDefault: true },
      { label: 'In talks', color: 'blue', probability: 80 },
      { label: 'Renewed', color: 'green', probability: 100 },
      { label: 'Cancelled', color: 'red', probability: 0 },
    ],
  },
];

const members = [
  { email: 'ada.winter@example.com', name: 'Ada Winter' },
  { email: 'bruno.keller@example.com', name: 'Bruno Keller' },
  { email: 'chidi.okafor@example.com', name: 'Chidi Okafor' },
];

interface DemoField {
  readonly objectType: ObjectType;
  readonly slug: string;
  readonly name: string;
  readonly attributeType: AttributeType;
  readonly metadata?: unknown;
  /** The pipeline that it holds for; all of them when absent. */
  readonly pipeline?: string;
  readonly isHidden?: boolean;
}

const products = ['GTX Basic', 'GTX Pro', 'GTX Plus Basic', 'GTX Plus Pro', 'GTK 500', 'MG Special', 'MG Advanced'];
const options = (...labels: string[]): unknown => ({
  options: labels.map((label) => ({ label, value: label.toLowerCase().replaceAll(' ', '_') })),
});

const fields: readonly DemoField[] = [
  {
    objectType: 'opportunity',
    slug: 'product',
    name: 'Product',
    attributeType: 'select',
    metadata: options(...products),
  },
  { objectType: 'opportunity', slug: 'engage_date', name: 'Engage date', attributeType: 'date' },
  { objectType: 'opportunity', slug: 'confidence', name: 'Confidence', attributeType: 'rating', metadata: { max: 5 } },
  {
    objectType: 'opportunity',
    slug: 'channels',
    name: 'Channels',
    attributeType: 'multi_select',
    metadata: options('Website', 'Event', 'Referral', 'Partner'),
    pipeline: 'Sales',
  },
  {
    objectType: 'opportunity',
    slug: 'notice_period',
    name: 'Notice period',
    attributeType: 'date_range',
    pipeline: 'Renewals',
  },
  { objectType: 'opportunity', slug: 'import_source', name: 'Import source', attributeType: 'string', isHidden: true },
  {
    objectType: 'account',
    slug: 'yearly_revenue',
    name: 'Yearly revenue',
    attributeType: 'currency',
    metadata: { currency: 'EUR' },
  },
  {
    objectType: 'account',
    slug: 'segment',
    name: 'Segment',
    attributeType: 'radio',
    metadata: options('Small', 'Medium', 'Large'),
  },
  { objectType: 'contact', slug: 'newsletter', name: 'Newsletter', attributeType: 'checkbox' },
  { objectType: 'contact', slug: 'linkedin', name: 'LinkedIn', attributeType: 'url' },
];

/**
 * Sets the demo organization up, or finds it again: whatever is there already stays as it is, so that a start that was
 * killed half way is completed by the next one.
 *
 * @param previous - the demo file of the last run, which alone still has the key
 */
export const openDemoOrganization = async (
  database: AdministrationDatabase,
  previous: DemoFile | undefined,
): Promise<DemoOrganization> => {
  const admin = administration(database, { actor: 'crm start', osUser: null, commandId: randomUUID() });
  const organizationId = await findOrganization(admin, previous);
  for (const member of members) await unlessThere(() => admin.addMember({ organizationId, ...member }));
  for (const pipeline of pipelines) await unlessThere(() => admin.createPipeline({ organizationId, ...pipeline }));
  const catalog = await loadCatalog(database, organizationId);
  for (const field of fields) await ensureField(admin, catalog, field);
  const pipeline = choosePipeline(catalog, previous);
  return { organizationId, pipeline, apiKey: await openKey(database, admin, organizationId, previous) };
};

const findOrganization = async (admin: Administration, previous: DemoFile | undefined): Promise<string> => {
  const organizations = await admin.listOrganizations();
  const found =
    organizations.find(({ id }) => id === previous?.organization_id) ??
    organizations.find(({ name }) => name === organizationName);
  return found?.id ?? (await admin.createOrganization({ name: organizationName })).id;
};

const unlessThere = async (create: () => Promise<unknown>): Promise<void> => {
  try {
    await create();
  } catch (error) {
    if (!isFailure(error, 'conflict')) throw error;
  }
};

const ensureField = async (admin: Administration, catalog: Catalog, field: DemoField): Promise<void> => {
  const { objectType, slug, name, attributeType, isHidden = false } = field;
  if (catalog.fieldCatalogue(objectType, null).bySlug.has(slug)) return;
  const metadata = parseFieldMetadata(attributeType, field.metadata);
  if (!metadata.ok) throw new Error(`Demo field ${slug}: ${metadata.message}`);
  const holdsFor = catalog.pipelines.filter((pipeline) => pipeline.name === field.pipeline).map(({ id }) => id);
  await admin.defineField({
    organizationId: catalog.organizationId,
    objectType,
    slug,
    name,
    attributeType,
    metadata: metadata.value,
    isHidden,
    pipelineIds: field.pipeline === undefined ? null : holdsFor,
  });
};

const choosePipeline = (catalog: Catalog, previous: DemoFile | undefined): Pipeline => {
  const known = previous === undefined ? undefined : catalog.findPipeline(previous.pipeline_id);
  const pipeline = known ?? catalog.pipelines.find(({ name }) => name === pipelines[0]?.name);
  if (pipeline === undefined) throw new Error('The demo organization has no pipeline');
  return pipeline;
};

/** The key of the last run while it is good; otherwise a new one, and those whose text is lost are revoked. */
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
