import { createClient, type CrmClient } from '@crm/client';
import { openAdministrationDatabase } from '@crm/db';
import { createTestOrganization, setupTools } from '@crm/testing/suites';
import { attributeTypes, objectTypes, type AttributeType } from '@crm/domain';
import { type TestField, type TestOrganization, type TestStack } from '@crm/testing';

/** One organization, as its users see it. */
export interface SetUpOrganization {
  readonly organization: TestOrganization;
  readonly client: CrmClient;
}

/** Two organizations with the same setup. */
export interface TwoOrganizations {
  readonly source: SetUpOrganization;
  readonly target: SetUpOrganization;
}

/** A member who owns no deal. */
export const quietMember = 'quiet@team.example';

const options = [
  { label: 'Small', value: 'smb', color: 'blue' },
  { label: 'Enterprise', value: 'ent', color: 'green' },
];

const metadataOf = (type: AttributeType): TestField['metadata'] => {
  if (['select', 'multi_select', 'radio'].includes(type)) return { options };
  return type === 'currency' ? { currency: 'EUR' } : undefined;
};

/** Sets up an organization on the gateways that all test files share. */
export const setUpOrganization = async (
  { databaseUrl, readUrl, inboundUrl }: TestStack,
  addTo: (organization: TestOrganization, tools: ReturnType<typeof setupTools>) => Promise<void> = () =>
    Promise.resolve(),
): Promise<SetUpOrganization> => {
  const database = openAdministrationDatabase({ url: databaseUrl, applicationName: 'test', maxConnections: 2 });
  try {
    const tools = setupTools(database);
    const organization = await createTestOrganization(database);
    await addTo(organization, tools);
    return { organization, client: createClient({ readUrl, inboundUrl, apiKey: organization.key }) };
  } finally {
    await database.close();
  }
};

/** Sets up the organizations of the round trip. Every object has a field of every type, and a hidden field. */
export const setUpTwoOrganizations = async (stack: TestStack): Promise<TwoOrganizations> => {
  const setUp = () =>
    setUpOrganization(stack, async (organization, tools) => {
      await tools.addMember({ organizationId: organization.id, email: quietMember, name: 'Quiet' });
      for (const objectType of objectTypes) {
        for (const type of attributeTypes) {
          const metadata = metadataOf(type);
          const field = { objectType, slug: `a_${type}`, attributeType: type };
          await organization.defineField(metadata === undefined ? field : { ...field, metadata });
        }
        await organization.defineField({ objectType, slug: 'secret', attributeType: 'string', isHidden: true });
      }
    });
  return { source: await setUp(), target: await setUp() };
};
