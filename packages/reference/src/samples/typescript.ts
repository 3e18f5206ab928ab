import type { Operation } from '../document.js';
import { type Notation, writeLiteral } from './literals.js';
import { pathWithQuery } from './curl.js';
import { isNumeric, type SampleRequest, variableOf } from './sample-request.js';

const isName = /^[A-Za-z_]\w*$/;

const notation: Notation = {
  variable: (name) => (isNumeric(name) ? `Number(process.env.${name})` : `process.env.${name}!`),
  text: (text) => `'${text.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`,
  key: (name) => (isName.test(name) ? name : `'${name}'`),
  words: { null: 'null', true: 'true', false: 'false' },
  padding: ' ',
};

/** The client's methods by the path after the resource. Others have the name of the last fixed segment of the path. */
const methods: Readonly<Record<string, string>> = {
  'GET ': 'list',
  'POST ': 'create',
  'GET {id}': 'get',
  'PATCH {id}': 'update',
  'DELETE {id}': 'delete',
  'POST bulk': 'bulkCreate',
  'PATCH bulk': 'bulkUpdate',
  'POST summary': 'summarize',
};

/** Methods whose name does not follow from the path. */
const namedMethods: Readonly<Record<string, string>> = {
  'POST pipelines/{id}/stages': 'pipelines.createStage',
  'PATCH stages/{id}': 'pipelines.updateStage',
  'DELETE stages/{id}': 'pipelines.deleteStage',
  'POST fields/{id}/options': 'fields.createOption',
  'PATCH fields/{id}/options': 'fields.updateOption',
  'GET key': 'key.get',
  'POST restore': 'events.restore',
};

const camelCase = (word: string): string =>
  word.replaceAll(/[-_](\w)/g, (_match, letter: string) => letter.toUpperCase());

/** `GET /v1/accounts/{id}` gives `crm.accounts.get`, `GET /v1/pipelines/{id}/stages` gives `crm.pipelines.stages`. */
export const clientMethodOf = ({ method, path }: Operation): string | null => {
  if (!path.startsWith('/v1/')) return null;
  const place = path.replace(/^\/v1\/(inbound\/)?/, '');
  const named = namedMethods[`${method} ${place}`];
  if (named !== undefined) return `crm.${named}`;
  const [resource = '', ...rest] = place.split('/');
  const known = methods[`${method} ${rest.join('/')}`];
  const word = rest.findLast((segment) => !segment.startsWith('{'));
  const name = known ?? (word === undefined ? undefined : camelCase(word.replace(/^by-/, 'get-by-')));
  return name === undefined ? null : `crm.${camelCase(resource)}.${name}`;
};

/** Whether the client's call returns a listing, so that its sample is a loop. That of the change log returns one page, with its position. */
const isListing = (operation: Operation): boolean => {
  const example = JSON.stringify(operation.responses['200']?.content?.['application/json']?.example ?? '');
  return example.includes('"next_cursor"') && !example.includes('"next_position"');
};

const argumentsOf = ({ path, query, body }: SampleRequest): string => {
  const ids = path.split('/').filter((segment) => variableOf(segment) !== null);
  const items = (body as { items?: unknown } | undefined)?.items;
  const given: unknown[] = [...ids];
  if (query.length > 0) given.push(Object.fromEntries(query));
  if (body !== undefined) given.push(items ?? body);
  return given.map((value) => writeLiteral(value, notation)).join(', ');
};

const url = (request: SampleRequest): string =>
  `\`$${request.gateway}${pathWithQuery(request)}\``.replaceAll(/\$([A-Z_]+)/g, '${process.env.$1}');

/** The sample for TypeScript: a call of the client, or `fetch` if the client has no method. */
export const typescriptSample = (operation: Operation, request: SampleRequest): string => {
  const method = clientMethodOf(operation);
  if (method === null) {
    return `const response = await fetch(${url(request)});\nconsole.log(response.status, await response.json());`;
  }
  const call = `${method}(${argumentsOf(request)})`;
  const use = isListing(operation)
    ? `for await (const record of ${call}) {\n  console.log(record);\n}`
    : `const { data } = await ${call};\nconsole.log(data);`;
  return `import { createClient } from '@crm/client';

const crm = createClient({
  readUrl: process.env.CRM_READ_URL!,
  inboundUrl: process.env.CRM_INBOUND_URL!,
  apiKey: process.env.CRM_API_KEY!,
});
${use}`;
};
