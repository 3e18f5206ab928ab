// Writes src/types.ts from the contract's schemas, so that the installed client needs no other package of this repository.
// With --check, writes nothing and fails if the file differs from the contract.
import { readFileSync, writeFileSync } from 'node:fs';
import { buildOpenApiDocument, inboundOperations, readOperations } from '@crm/contract';
import { format, resolveConfig } from 'prettier';

const file = new URL('../src/types.ts', import.meta.url);
const prefix = '#/components/schemas/';
/** `Error` is a class of the language. The client builds the bodies of bulk calls from their items, and unwraps responses. */
const nameOf = (name) => (name === 'Error' ? 'ErrorBody' : name);
const isSkipped = (name) => /^Bulk(Create|Update)|Envelope$/.test(name);

const comment = (text) => (text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`);
const union = (types) => [...new Set(types)].join(' | ');

/** Names of properties as a type: `^(sum|avg):` as `${'sum' | 'avg'}:${string}`. */
const patternType = (pattern) => {
  const start = pattern.replace('^', '').replace(/\((.*)\)/, (_all, names) => {
    const choices = names.split('|').map((name) => `'${name}'`);
    return `\${${choices.join(' | ')}}`;
  });
  return `\`${start}\${string}\``;
};

const objectType = (schema) => {
  const required = new Set(schema.required ?? []);
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, property]) =>
      `${comment(property.description)}${name}${required.has(name) ? '' : '?'}: ${typeOf(property)};`,
  );
  if (schema['x-custom-keys'] === true) {
    properties.push('/** A custom field value under its `property_name`. */\n[key: `custom__${string}`]: unknown;');
  }
  if (schema['x-key-pattern'] !== undefined) {
    const property = schema.additionalProperties;
    properties.push(
      `${comment(property.description)}[key: ${patternType(schema['x-key-pattern'])}]: ${typeOf(property)};`,
    );
  }
  if (properties.length > 0) return `{\n${properties.join('\n')}\n}`;
  return `Record<string, ${typeOf(schema.additionalProperties ?? {})}>`;
};

const arrayType = ({ items }) => `Array<${typeOf(items ?? {})}>`;

const simpleTypes = {
  string: () => 'string',
  number: () => 'number',
  integer: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: arrayType,
  object: objectType,
};

const typeOf = (schema) => {
  if (schema.$ref !== undefined) return nameOf(schema.$ref.slice(prefix.length));
  const known = schema.enum ?? schema['x-extensible-enum'];
  if (known !== undefined) {
    const isNullable = [schema.type].flat().includes('null');
    return union([...known, ...(isNullable ? [null] : [])].map((value) => JSON.stringify(value)));
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map(typeOf));
  if (schema.type === undefined) return 'unknown';
  return union([schema.type].flat().map((type) => simpleTypes[type](schema)));
};

const declaration = ([name, schema]) => {
  const type = typeOf(schema);
  const head = comment(schema.description);
  // Editors show an interface by its name, but expand an alias.
  return type.startsWith('{') && !type.includes('\n} |')
    ? `${head}export interface ${nameOf(name)} ${type}`
    : `${head}export type ${nameOf(name)} = ${type};`;
};

/** The types of queries, with what they are for and the operations that have these parameters. */
const queryTypes = {
  PageQuery: [
    'Parameters of lists that have only pages.',
    ...['listPipelines', 'listPipelineStages', 'listMembers', 'listWebhooks', 'listWebhookAttempts'],
    ...['listAccountDuplicates', 'listContactDuplicates', 'listOpportunityDuplicates'],
    ...['listAccountHistory', 'listContactHistory', 'listOpportunityHistory', 'listOpportunityStages'],
  ],
  ListQuery: ['Parameters of lists of accounts and contacts.', 'listAccounts', 'listContacts'],
  ListOpportunitiesQuery: ['Parameters of lists of opportunities.', 'listOpportunities'],
  ListFieldsQuery: ['Parameters of lists of custom fields.', 'listAccountFields', 'listContactFields'],
  ListOpportunityFieldsQuery: ['Parameters of lists of custom fields of opportunities.', 'listOpportunityFields'],
  ListNotesQuery: ['Parameters of lists of notes.', 'listNotes'],
  AnyEventsQuery: ['Parameters of the change log.', 'listEvents'],
  RemoveMemberQuery: ['What happens to the deals of a member who is removed.', 'deleteMember'],
};

const boundsOf = ({ minimum, maximum }) => (maximum === undefined ? '' : ` From ${minimum} to ${maximum}.`);

/** The parameters of a query, besides `fields`, whose names the client checks. */
const parametersOf = ({ parameters }) => {
  const own = parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'fields');
  return {
    type: 'object',
    required: own.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      own.map(({ name, description, schema }) => [name, { ...schema, description: description + boundsOf(schema) }]),
    ),
  };
};

const querySchema = ([name, [description, ...ids]]) => {
  const [first, ...others] = ids.map((id) => parametersOf(operations.find(({ operationId }) => operationId === id)));
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first)))
    throw new Error(`${ids.join(' and ')} have different parameters, so ${name} cannot be the type of all`);
  return [name, { ...first, description }];
};

const documents = [buildOpenApiDocument('read', readOperations), buildOpenApiDocument('inbound', inboundOperations)];
const operations = documents.flatMap(({ paths }) => Object.values(paths).flatMap((path) => Object.values(path)));
const queries = Object.entries(queryTypes).map(querySchema);
const schemas = Object.assign({}, ...documents.map(({ components }) => components.schemas));
const declarations = [...Object.entries(schemas), ...queries]
  .filter(([name]) => !isSkipped(name))
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(declaration);
const text = [
  '/* eslint-disable max-lines -- Generated, in one piece. */',
  '// The shapes of requests and answers, generated from the contract: npm run reference --workspace @crm/client',
  ...declarations,
].join('\n\n');
const formatted = await format(text, {
  ...(await resolveConfig(new URL('../package.json', import.meta.url))),
  parser: 'typescript',
});

if (!process.argv.includes('--check')) {
  writeFileSync(file, formatted);
} else if (readFileSync(file, 'utf8') !== formatted) {
  console.error(
    'packages/client/src/types.ts is not what the contract says. Run: npm run reference --workspace @crm/client',
  );
  process.exitCode = 1;
}
