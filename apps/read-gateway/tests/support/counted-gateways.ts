import { migrate, openAdministrationDatabase } from '@crm/db';
import {
  createTestOrganization,
  documentedOperations,
  startCountedPostgres,
  startGatewayProcess,
  type DocumentedOperation,
  type OpenApiDocument,
} from '@crm/testing';
import { setupTools } from '@crm/testing/suites';

/** The built read and inbound gateway. */
const gatewayMains: readonly [string, string] = [
  new URL('../../dist/main.js', import.meta.url).pathname,
  new URL('../../../inbound-gateway/dist/main.js', import.meta.url).pathname,
];

/** An operation and the address of its gateway. */
export interface Served extends DocumentedOperation {
  readonly url: string;
}

/** Both gateways as processes on a server that counts statements. */
export type CountedGateways = Awaited<ReturnType<typeof startCountedGateways>>;

/** Starts them. Each gateway has the settings of its place in the list. */
export const startCountedGateways = async (
  settings: readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>],
) => {
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
  /** `served` has every operation of both gateways. */
  return { server, organization, served, stop };
};
