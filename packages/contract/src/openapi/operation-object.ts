import type { OperationContract } from '../operation.js';
import { exampleOf } from '../schemas/build.js';
import { successBody } from '../validation.js';
import { isRecord, type JsonSchema } from '../validate/schema-walk.js';
import { errorReferences, errorStatusesOf } from './error-responses.js';
import { headerParametersOf, isTaggedRead, successHeaders, unchangedHeaders } from './headers.js';
import { componentReference, type Json } from './json.js';
import type { SchemaComponents } from './schema-components.js';

const parametersIn = (
  place: 'path' | 'query',
  schema: JsonSchema | undefined,
  components: SchemaComponents,
): readonly Json[] => {
  const properties = isRecord(schema?.['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema?.['required']) ? (schema['required'] as unknown[]) : [];
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...shown } = components.place(property as JsonSchema, 'request');
    return { name, in: place, required: required.includes(name), description, schema: shown };
  });
};

const requestBody = (schema: JsonSchema, components: SchemaComponents): Json => ({
  required: true,
  content: { 'application/json': { schema: components.place(schema, 'request'), example: exampleOf(schema) } },
});

/** A whole response as an example: the envelope, the example of its data and the required properties. */
export const successExample = (contract: OperationContract): Json => {
  const constants = Object.entries(contract.extra ?? {}).filter(([, schema]) => 'const' in schema);
  return {
    success: true,
    message: 'OK',
    data: exampleOf(contract.data),
    ...Object.fromEntries(constants.map(([name, schema]) => [name, (schema as JsonSchema)['const']])),
  };
};

/** `CreateAccountEnvelope` for `createAccount`. Generators name their own types `CreateAccountResponse` and `CreateAccountResult`. */
const envelopeName = ({ id }: OperationContract): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Envelope`;

const unchanged: Json = {
  description: 'Unchanged: the response that If-None-Match names is still current.',
  headers: unchangedHeaders,
};

/** One operation in OpenAPI form. Named schemas go to `components`. */
export const operationObject = (contract: OperationContract, components: SchemaComponents): Json => ({
  operationId: contract.id,
  tags: [contract.tag],
  summary: contract.summary,
  description: `${contract.description}\n\nNeeds a key that allows \`${contract.group}\` or \`${contract.id}\`.`,
  parameters: [
    ...parametersIn('path', contract.params as JsonSchema | undefined, components),
    ...parametersIn('query', contract.query as JsonSchema | undefined, components),
    ...headerParametersOf(contract).map((name) => componentReference('parameters', name)),
  ],
  ...(contract.body === undefined ? {} : { requestBody: requestBody(contract.body as JsonSchema, components) }),
  responses: {
    '200': {
      description: 'Success.',
      headers: successHeaders(contract),
      content: {
        'application/json': {
          schema: components.place({ title: envelopeName(contract), ...(successBody(contract) as object) }, 'response'),
          example: successExample(contract),
        },
      },
    },
    ...(isTaggedRead(contract) ? { '304': unchanged } : {}),
    ...errorReferences(errorStatusesOf(contract)),
  },
});
