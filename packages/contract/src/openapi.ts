import type { Gateway, OperationContract } from './operation.js';
import { errorResponseComponents, errorStatusesOf } from './openapi/error-responses.js';
import { headerComponents, headerParameterComponents, headerParametersOf } from './openapi/headers.js';
import { healthErrorStatuses, healthPaths } from './openapi/health.js';
import { operationObject } from './openapi/operation-object.js';
import type { Json } from './openapi/json.js';
import { SchemaComponents } from './openapi/schema-components.js';
import { ErrorBody } from './schemas/envelope.js';
import { webhookObjects } from './openapi/webhooks.js';
import type { JsonSchema } from './validate/schema-walk.js';

/** The parts of the document that callers use. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly security: readonly Json[];
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, Json>>;
  /** The messages to receivers of webhooks: in the document of the read gateway, because it has the schema of events. */
  readonly webhooks?: Json;
  readonly components: Json;
}

/** Options of a gateway's document. */
export interface OpenApiOptions {
  /**
   * Address of the gateway; by default the folder of the document's own address, so that a path prefix of a proxy stays:
   * `https://a.example/crm/openapi.json` → `https://a.example/crm/`
   */
  readonly serverUrl?: string;
}

/** The version of the release, as in the changelog. Paths contain the version of the API itself. */
export const apiVersion = '1.0.0';

const gatewayTexts: Readonly<Record<Gateway | 'both', { title: string; description: string }>> = {
  both: {
    title: 'CRM public API',
    description:
      'Reads and writes CRM records: all operations of both gateways, for installations with one address for both.',
  },
  read: {
    title: 'CRM public API: reading',
    description:
      'Reads opportunities, accounts, contacts, notes, pipelines, members, custom fields and the change log.',
  },
  inbound: {
    title: 'CRM public API: inbound',
    description:
      'Creates, changes, merges and deletes opportunities, accounts, contacts and notes, and changes the setup: ' +
      'pipelines, stages, custom fields and members. Creates are idempotent by natural key or `external_id`, ' +
      'except for notes.',
  },
};

const commonDescription =
  'Every response is JSON with `success` and `message`. A success also has `data`; an error has `statusCode` and ' +
  '`code`. Under `/v1`, unknown body keys and query parameters are refused. A wrong method for an existing ' +
  'path gets 405, with the allowed methods in `Allow`.\n\nLater versions may add fields, values of enums, event types and error ' +
  'codes to responses: clients must accept those that they do not know.\n\nSend custom values under `custom_fields`, by slug. ' +
  'Objects marked `x-custom-keys` in this document also accept them as `custom__<slug>` keys.';

const tagDescriptions: Readonly<Record<string, string>> = {
  Opportunities: 'Deals in a pipeline.',
  Accounts: 'Companies, known by their domain.',
  Contacts: 'People, known by their email.',
  Notes: 'Notes on accounts, contacts and opportunities.',
  Pipelines: 'Pipelines and their stages.',
  Keys: 'The key of the request.',
  Events: 'The change log: every change of a record, in order and without gaps.',
  Webhooks: 'Receivers of events.',
  Messages: 'What the webhook worker posts to receivers.',
  Members: 'People of the organization.',
  Fields: 'System and custom fields of the objects.',
  Health: 'Whether the gateway runs.',
};

const byPath = (
  operations: readonly OperationContract[],
  components: SchemaComponents,
): Readonly<Record<string, Json>> => {
  const paths: Record<string, Json> = {};
  for (const contract of operations) {
    paths[contract.path] = { ...paths[contract.path], [contract.method]: operationObject(contract, components) };
  }
  return paths;
};

const onlyNamed = (all: Json, names: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));

/**
 * Builds the OpenAPI 3.1 document of a gateway from the contracts of its operations, or one of both with one address, where the read
 * gateway answers the health paths.
 * @throws Error if two schemas share a name or an operation has an undeclared status
 */
export const buildOpenApiDocument = (
  gateway: Gateway | 'both',
  operations: readonly OperationContract[],
  { serverUrl = '.' }: OpenApiOptions = {},
): OpenApiDocument => {
  const schemas = new SchemaComponents();
  schemas.place(ErrorBody as object as JsonSchema, 'response');
  const paths = { ...byPath(operations, schemas), ...healthPaths(gateway === 'both' ? 'read' : gateway) };
  const hasEvents = operations.some(({ id }) => id === 'listEvents');
  const webhooks = hasEvents ? { webhooks: webhookObjects(schemas) } : {};
  const used = new Set([...operations.map(({ tag }) => tag), 'Health', ...(hasEvents ? ['Messages'] : [])]);
  const tags = Object.keys(tagDescriptions).filter((name) => used.has(name));
  const statuses = new Set<number>([...operations.flatMap(errorStatusesOf), ...healthErrorStatuses]);
  const { title, description } = gatewayTexts[gateway];
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: apiVersion,
      description: `${description}\n\n${commonDescription}`,
      contact: { name: 'The operator of this deployment' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl, description: gateway === 'both' ? 'Both gateways.' : 'This gateway.' }],
    security: [{ ApiKey: [] }],
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    ...webhooks,
    components: {
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A key of one organization.' },
      },
      schemas: schemas.toJson(),
      responses: errorResponseComponents(statuses),
      headers: headerComponents,
      parameters: onlyNamed(headerParameterComponents, new Set(operations.flatMap(headerParametersOf))),
    },
  };
};
