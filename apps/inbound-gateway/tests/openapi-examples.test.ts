import { readFileSync } from 'node:fs';
import { inboundOperations, readOperations } from '@crm/contract';
import { type AdministrationDatabase, migrate, openAdministrationDatabase } from '@crm/db';
import {
  createTestDatabase,
  createTestOrganization,
  type GatewayProcess,
  startGatewayProcesses,
  type TestDatabase,
  type TestOrganization,
} from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ExampleIds } from './support/example-ids.js';
import { organizationTools } from './support/organization-tools.js';

interface Content {
  readonly content: { readonly 'application/json': { readonly example: unknown } };
}
interface DescribedResponse extends Content {
  readonly headers: Readonly<Record<string, unknown>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: { readonly examples?: readonly string[] };
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}
interface OpenApiFile {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, DescribedResponse>> };
}

const gateways = ['inbound', 'read'] as const;
type Gateway = (typeof gateways)[number];

const readDocument = (gateway: Gateway): OpenApiFile =>
  JSON.parse(
    readFileSync(new URL(`../../../docs/openapi/${gateway}-gateway.json`, import.meta.url), 'utf8'),
  ) as OpenApiFile;
const documents = { inbound: readDocument('inbound'), read: readDocument('read') };

interface Example {
  readonly gateway: Gateway;
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** Creates come first and deletions last, because each example uses the records of those before it. */
const rank = ({ operation: { operationId }, gateway }: Example): number => {
  const order = ['createAccount', 'createContact', 'createOpportunity', 'create', 'bulk', 'update', 'merge'];
  if (gateway === 'read') return order.length;
  if (operationId.startsWith('delete')) return order.length + 1 + (operationId === 'deleteAccount' ? 1 : 0);
  return order.findIndex((start) => operationId.startsWith(start));
};

const examples: readonly Example[] = gateways
  .flatMap((gateway) =>
    Object.entries(documents[gateway].paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ gateway, path, method, operation })),
    ),
  )
  .filter(({ path }) => path.startsWith('/v1/'))
  .sort((a, b) => rank(a) - rank(b));

describe('the examples of docs/openapi', () => {
  let testDatabase: TestDatabase;
  let database: AdministrationDatabase;
  let organization: TestOrganization;
  const processes = {} as Record<Gateway, GatewayProcess>;
  const ids = new ExampleIds();

  beforeAll(async () => {
    testDatabase = await createTestDatabase(async (url) => {
      await migrate(url);
    }, 'migrated');
    database = openAdministrationDatabase({ url: testDatabase.url, applicationName: 'openapi-examples' });
    const tools = organizationTools(database);
    organization = await createTestOrganization(tools);
    await tools.addMember({ organizationId: organization.id, email: 'owner@example.com', name: 'Owner' });
    for (const gateway of gateways) {
      const [started] = await startGatewayProcesses(
        1,
        new URL(`../../${gateway}-gateway/dist/main.js`, import.meta.url).pathname,
        {
          DATABASE_URL: testDatabase.url,
          CURSOR_SECRETS: 'the examples of the documents',
          LOG_LEVEL: 'error',
        },
      );
      if (started !== undefined) processes[gateway] = started;
    }
    await deleteAtPosition(1_042);
    const create = documents.inbound.paths['/v1/inbound/opportunities']?.['post']?.requestBody;
    const { pipeline_id: pipelineId } = create?.content['application/json'].example as { pipeline_id: string };
    ids.set(pipelineId, organization.pipeline.id);
  });

  afterAll(async () => {
    await Promise.all(Object.values(processes).map((started) => started.stop()));
    await database.close();
    await testDatabase.drop();
  });

  const send = async (example: Example, key: string = organization.key): Promise<Response> => {
    const { gateway, path, method, operation } = example;
    const place = (kind: string) =>
      (operation.parameters ?? []).filter(({ in: where, required }) => where === kind && required);
    const exampleOf = (schema: { readonly examples?: readonly string[] }): string =>
      ids.fill(schema.examples?.[0] ?? '');
    let target = path;
    for (const { name, schema } of place('path')) target = target.replace(`{${name}}`, exampleOf(schema));
    const query = new URLSearchParams(
      Object.fromEntries(place('query').map(({ name, schema }) => [name, exampleOf(schema)])),
    );
    const body = operation.requestBody?.content['application/json'].example;
    return fetch(`${processes[gateway].url}${target}?${query.toString()}`, {
      method: method.toUpperCase(),
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(ids.fill(body)) }),
    });
  };

  /** Puts the deletion that the restore example names into the log. */
  const deleteAtPosition = async (position: number): Promise<void> => {
    const text =
      'INSERT INTO event_heads (organization_id, position, oldest_position) VALUES ($1, $2::bigint, $2::bigint + 1)';
    await database.query(organization.id, { text, values: [position - 2] });
    const accounts = `${processes.inbound.url}/v1/inbound/accounts`;
    const headers = { 'x-api-key': organization.key, 'content-type': 'application/json' };
    const body = JSON.stringify({ domain: 'restored.example' });
    const created = await fetch(accounts, { method: 'POST', headers, body });
    const { data } = (await created.json()) as { data: { company_id: string } };
    await fetch(`${accounts}/${data.company_id}`, { method: 'DELETE', headers: { 'x-api-key': organization.key } });
  };

  /** Empties the account, because an account in use cannot be deleted. */
  const deleteAll = async (kind: 'opportunities' | 'contacts', query: string): Promise<void> => {
    const headers = { 'x-api-key': organization.key };
    const page = await fetch(`${processes.read.url}/v1/${kind}?${query}`, { headers });
    const { data } = (await page.json()) as { data: Record<string, { id: string }[]> };
    for (const { id } of data[kind] ?? []) {
      await fetch(`${processes.inbound.url}/v1/inbound/${kind}/${id}`, { method: 'DELETE', headers });
    }
  };

  const createSpare = async (kind: 'accounts' | 'contacts'): Promise<string> => {
    const response = await fetch(`${processes.inbound.url}/v1/inbound/${kind}`, {
      method: 'POST',
      headers: { 'x-api-key': organization.key, 'content-type': 'application/json' },
      body: JSON.stringify(kind === 'accounts' ? { domain: 'spare.example' } : { email: 'spare@spare.example' }),
    });
    const { data } = (await response.json()) as { data: Record<string, string> };
    return Object.values(data)[0] ?? '';
  };

  const missingHeaders = (
    response: Response,
    { headers }: DescribedResponse,
    optional: readonly string[] = [],
  ): string[] => Object.keys(headers).filter((name) => !response.headers.has(name) && !optional.includes(name));

  // The files contain the addresses of `npm start`; a gateway does not know the address that clients use for it.
  test.each(gateways)(
    'are the same in the document that the %s gateway serves, apart from its address',
    async (gateway) => {
      const withoutServers = (text: string): unknown =>
        JSON.parse(text, (key, value: unknown) => (key === 'servers' ? undefined : value));
      const served = await (await fetch(`${processes[gateway].url}/openapi.json`)).text();
      expect(withoutServers(served)).toEqual(withoutServers(JSON.stringify(documents[gateway])));
    },
  );

  test('cover every operation', () => {
    expect(examples.length).toBe(inboundOperations.length + readOperations.length);
  });

  test.each(examples.map((example) => [example.operation.operationId, example] as const))(
    '%s answers what its example shows',
    async (id, example) => {
      if (id === 'deleteAccount') {
        await deleteAll('opportunities', `pipeline_id=${organization.pipeline.id}`);
        await deleteAll('contacts', '');
      }
      if (id.startsWith('merge')) {
        const { from } = example.operation.requestBody?.content['application/json'].example as { from: string };
        ids.set(from, await createSpare(id === 'mergeAccount' ? 'accounts' : 'contacts'));
      }
      const declared = example.operation.responses['200'] as DescribedResponse;
      const response = await send(example);
      const answer = (await response.json()) as Record<string, unknown>;
      expect({ status: response.status, errors: answer['errors'] }).toEqual({ status: 200, errors: undefined });
      const shown = declared.content['application/json'].example as { readonly data: object };
      expect(Object.keys(answer)).toEqual(expect.arrayContaining(Object.keys(shown)));
      expect(Object.keys(answer['data'] as object)).toEqual(expect.arrayContaining(Object.keys(shown.data)));
      expect(missingHeaders(response, declared, ['Idempotent-Replayed'])).toEqual([]);
      ids.learn(shown.data, answer['data']);
    },
  );

  test.each(examples.map((example) => [example.operation.operationId, example] as const))(
    '%s refuses a wrong key with the documented headers',
    async (_id, example) => {
      const response = await send(example, organization.newUnknownKey());
      const { Unauthorized, TooManyRequests } = documents[example.gateway].components.responses;
      expect([200, 401, 429]).toContain(response.status);
      const declared = response.status === 429 ? TooManyRequests : Unauthorized;
      expect(missingHeaders(response, declared as DescribedResponse)).toEqual([]);
    },
  );
});
