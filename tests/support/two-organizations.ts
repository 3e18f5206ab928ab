import { createClient, type CrmClient } from '@crm/client';
import { migrate, openAdministrationDatabase } from '@crm/db';
import { setupTools } from '@crm/testing/suites';
import { attributeTypes, objectTypes, type AttributeType } from '@crm/domain';
import {
  createTestDatabase,
  createTestOrganization,
  startGatewayProcesses,
  type TestField,
  type TestOrganization,
} from '@crm/testing';

/** One organization, as its users see it. */
export interface SetUpOrganization {
  readonly organization: TestOrganization;
  readonly client: CrmClient;
}

/** Both gateways on their own database, and two organizations with the same setup. */
export interface TwoOrganizations {
  readonly source: SetUpOrganization;
  readonly target: SetUpOrganization;
  readonly readUrl: string;
  readonly inboundUrl: string;
  stop(): Promise<void>;
}

/** A member who owns no deal. */
export const quietMember = 'quiet@team.example';

const quiet = { CURSOR_SECRETS: 'a secret that only the tests know', LOG_LEVEL: 'error' };
const unlimited = Object.fromEntries(['LIST', 'SEARCH', 'INBOUND', 'BULK'].map((name) => [`RATE_LIMIT_${name}`, '0']));

const mainFile = (gateway: string): string => new URL(`../../apps/${gateway}/dist/main.js`, import.meta.url).pathname;

const options = [
  { label: 'Small', value: 'smb', color: 'blue' },
  { label: 'Enterprise', value: 'ent', color: 'green' },
];

const metadataOf = (type: AttributeType): TestField['metadata'] => {
  if (['select', 'multi_select', 'radio'].includes(type)) return { options };
  return type === 'currency' ? { currency: 'EUR' } : undefined;
};

/** Starts the gateways for the round trip. Every object has a field of every type, and a hidden field. */
export const startTwoOrganizations = async (): Promise<TwoOrganizations> => {
  const { url, drop } = await createTestDatabase(async (address) => {
    await migrate(address);
  }, 'cli');
  const database = openAdministrationDatabase({ url, applicationName: 'test', maxConnections: 2 });
  const tools = setupTools(database);
  const start = (name: string): ReturnType<typeof startGatewayProcesses> =>
    startGatewayProcesses(1, mainFile(name), { DATABASE_URL: url, ...quiet, ...unlimited });
  const gateways = (await Promise.all([start('read-gateway'), start('inbound-gateway')])).flat();
  const [readUrl = '', inboundUrl = ''] = gateways.map((gateway) => gateway.url);
  const setUp = async (): Promise<SetUpOrganization> => {
    const organization = await createTestOrganization(tools);
    await tools.addMember({ organizationId: organization.id, email: quietMember, name: 'Quiet' });
    for (const objectType of objectTypes) {
      for (const type of attributeTypes) {
        const metadata = metadataOf(type);
        const field = { objectType, slug: `a_${type}`, attributeType: type };
        await organization.defineField(metadata === undefined ? field : { ...field, metadata });
      }
      await organization.defineField({ objectType, slug: 'secret', attributeType: 'string', isHidden: true });
    }
    return { organization, client: createClient({ readUrl, inboundUrl, apiKey: organization.key }) };
  };
  const source = await setUp();
  const target = await setUp();
  return {
    source,
    target,
    readUrl,
    inboundUrl,
    stop: async () => {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await database.close();
      await drop();
    },
  };
};
