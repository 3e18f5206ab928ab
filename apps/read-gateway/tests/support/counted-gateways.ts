import { migrate, openAdministrationDatabase } from '@crm/db';
import {
  createTestOrganization,
  documentedOperations,
  startCountedPostgres,
  startGatewayProcess,
  type CountedPostgres,
  type DocumentedOperation,
  type OpenApiDocument,
  type TestOrganization,
} from '@crm/testing';
import { setupTools } from '@crm/testing/suites';

/** The built read and inbound gateway. */
export const gatewayMains: readonly [string, string] = [
  new URL('../../dist/main.js', import.meta.url).pathname,
  new URL('../../../inbound-gateway/dist/main.js', import.meta.url).pathname,
];

/** An operation and the address of its gateway. */
export interface Served extends DocumentedOperation {
  readonly url: string;
}

/** Both gateways as processes on a server that counts statements. */
export interface CountedGateways {
  readonly server: CountedPostgres;
  readonly organization: TestOrganization;
  /** Every operation of both gateways. */
  readonly served: readonly Served[];
  stop(): Promise<void>;
}

/** Starts them. Each gateway has the settings of its place in the list. */
export const startCountedGateways = async (
  settings: readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>],
): Promise<CountedGateways> => {
  const server = await startCountedPostgres();
  await migrate(server.url);
  const database = openAdministrationDatabase({ url: server.url, applicationName: 'counting-test', maxConnections: 2 });
  const organization = await createTestOrganization(setupTools(database));
  const gateways = await Promise.all(
    gatewayMains.map((main, index) => startGatewayProcess(main, { DATABASE_URL: server.url, ...settings[index] })),
  );
  const served: Served[] = [];
  for (const { url } of gateways) {
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
    served.push(...documentedOperations(document).map((operation) => ({ ...operation, url })));
  }
  const stop = async (): Promise<void> => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.close();
    await server.stop();
  };
  return { server, organization, served, stop };
};
