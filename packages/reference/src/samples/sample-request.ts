import type { Operation } from '../document.js';

/** The request of all samples of one operation. `$ACCOUNT_ID` and the like are environment variables. */
export interface SampleRequest {
  readonly method: string;
  /** `/v1/accounts/$ACCOUNT_ID`. */
  readonly path: string;
  /** The variable with the address of the gateway. */
  readonly gateway: 'CRM_READ_URL' | 'CRM_INBOUND_URL';
  readonly needsKey: boolean;
  readonly query: readonly (readonly [name: string, value: string | number])[];
  readonly body: unknown;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const variable = /^\$([A-Z][A-Z_]*)$/;

/** The variable that a text stands for: `$ACCOUNT_ID` gives `ACCOUNT_ID`; null for other texts. */
export const variableOf = (value: unknown): string | null =>
  typeof value === 'string' ? (variable.exec(value)?.[1] ?? null) : null;

/** Whether a variable contains a number, which JSON writes without quotes: `DELETED_POSITION`. */
export const isNumeric = (name: string): boolean => name.endsWith('_POSITION');

/** The body as JSON; variables of numbers have no quotes. */
export const bodyText = (body: unknown): string =>
  JSON.stringify(body, null, 2).replaceAll(/"\$([A-Z][A-Z_]*)"/g, (quoted, name: string) =>
    isNumeric(name) ? `$${name}` : quoted,
  );

/** `opportunities` gives `OPPORTUNITY`. */
const singular = (plural: string): string => plural.replace(/ies$/, 'y').replace(/s$/, '').toUpperCase();

/** The plural noun of an `id`: the segment before `{id}`, else the last segment that ends in s. */
const resourceOf = (path: string): string => {
  const segments = path.split('/').filter((segment) => segment !== '');
  const id = segments.indexOf('{id}');
  return segments[id === -1 ? segments.findLastIndex((segment) => segment.endsWith('s')) : id - 1] ?? '';
};

/** The variable for a key: `$ACCOUNT_ID` for `account_id`. For `id` and `from` its name comes from the resource. */
const variableFor = (key: string, path: string): string => {
  const own = `${singular(resourceOf(path))}_ID`;
  if (key === 'id') return `$${own}`;
  return `$${key === 'from' ? `OTHER_${own}` : key.replace(/_ids$/, '_id').toUpperCase()}`;
};

/** In a restore, `position` is the position of a deletion; elsewhere it is a position in a list. */
const isDeletion = (key: string, path: string): boolean => key === 'position' && path.endsWith('/restore');

/** An example with its ids replaced by variables: `{"account_id": "0197…"}` gives `{"account_id": "$ACCOUNT_ID"}`. */
const withVariables = (value: unknown, key: string, path: string): unknown => {
  if (typeof value === 'string') return uuid.test(value) || key === 'owner_email' ? variableFor(key, path) : value;
  if (isDeletion(key, path)) return '$DELETED_POSITION';
  if (Array.isArray(value)) return value.map((entry) => withVariables(entry, key, path));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withVariables(entry, name, path)]));
};

/** The example of a parameter, as text. */
const exampleOf = ({ name, schema, example }: Operation['parameters'][number], path: string): string => {
  const value = withVariables(example ?? schema.examples?.[0] ?? schema.default ?? '', name, path);
  return Array.isArray(value) ? value.join(',') : String(value);
};

/** The request of an operation's samples: its required parameters, a small `limit`, and the example of its body. */
export const sampleRequestOf = (operation: Operation, gateway: 'read' | 'inbound'): SampleRequest => {
  const { path, parameters } = operation;
  const query = parameters
    .filter(({ in: place, name, required }) => place === 'query' && (required === true || name === 'limit'))
    .map((parameter) => [parameter.name, parameter.name === 'limit' ? 2 : exampleOf(parameter, path)] as const);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => variableFor(name, path));
  return {
    method: operation.method,
    path: filled,
    gateway: gateway === 'read' ? 'CRM_READ_URL' : 'CRM_INBOUND_URL',
    needsKey: operation.needsKey,
    query,
    body:
      operation.body && withVariables(operation.body.example ?? operation.body.schema.examples?.[0] ?? {}, '', path),
  };
};
