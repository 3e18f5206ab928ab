import { type OpenApiDocument, type OperationSamples, readSamples } from '@crm/reference';

type Json = Record<string, unknown>;
type Path = readonly (string | number)[];
type Operation = OpenApiDocument['paths'][string][string];
type Parameter = NonNullable<Operation['parameters']>[number];

/** One example of a part of an operation, as the request that has it. */
export interface ExampleRequest {
  /** `createAccount domain: "acme.com"`. */
  readonly title: string;
  readonly request: OperationSamples['request'];
}

/** Names of the same value: only one of them is sent. */
const otherNames: Readonly<Record<string, string>> = { amount: 'deal_size', next_steps: 'next_step', q: 'query' };

/** What a part needs beside it, by operation and part: the example of the whole body is of another kind. */
const besides: Readonly<Record<string, Json>> = {
  'createOpportunity related_objects.account_external_id': { related_objects: {} },
  'createOpportunity related_objects.primary_contact_external_id': { related_objects: {} },
  'createField currency': { attribute_type: 'currency', options: undefined },
  'createField max': { attribute_type: 'rating', options: undefined },
  'createField pipeline_ids.0': { object: 'opportunity' },
  'restoreRecord object': { position: undefined, id: '$DELETED_ID' },
  'restoreRecord id': { position: undefined, object: 'account' },
  'skipWebhookEvents from': { parked: undefined },
  'skipWebhookEvents to': { parked: undefined, from: 1 },
  'summarizeOpportunities filters.field': { filters: { operator: 'gte', value: '2026-01-01' } },
  'summarizeOpportunities filters.value': { filters: { field: 'updated_at', operator: 'gte' } },
  'updateStage move_opportunities_to': { is_active: false },
};

/** What an object that the example of the whole body does not have needs besides one of its parts. */
const newObjects: Readonly<Record<string, Json>> = { primary_contact: { email: 'ada@acme.com' } };

/** The example of a deleted record's id is that of an account. */
const instead: Readonly<Record<string, unknown>> = { 'restoreRecord id': '$DELETED_ID' };

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every example in a schema, with its place. */
const examplesIn = (
  document: OpenApiDocument,
  schema: Json,
  path: Path,
  seen: readonly string[],
): [Path, unknown][] => {
  const { $ref: reference, examples, properties, items, anyOf, oneOf } = schema;
  const inner = (part: unknown, more: Path, also = seen) =>
    examplesIn(document, part as Json, [...path, ...more], also);
  const name = typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : '';
  const named =
    name === '' || seen.includes(name) ? [] : inner(document.components?.schemas?.[name], [], [...seen, name]);
  return [
    ...(Array.isArray(examples) ? examples.map((example): [Path, unknown] => [path, example]) : []),
    ...named,
    ...[anyOf, oneOf].flat().flatMap((choice) => (choice === undefined ? [] : inner(choice, []))),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([key, part]) => inner(part, [key])),
    ...(isObject(items) ? inner(items, [0]) : []),
  ];
};

/** A copy of a body with another value at a place. */
const withValue = (body: unknown, [key, ...rest]: Path, value: unknown): unknown => {
  if (key === undefined) return value;
  if (typeof key === 'number') return [withValue(Array.isArray(body) ? (body as unknown[])[0] : {}, rest, value)];
  const all = isObject(body) ? body : {};
  const kept = Object.fromEntries(Object.entries(all).filter(([name]) => name !== otherNames[key]));
  return { ...kept, [key]: withValue(all[key] ?? newObjects[key], rest, value) };
};

const shown = (path: Path, example: unknown): string => `${path.join('.')}: ${JSON.stringify(example)}`;

/** Each example of a body, and each one of a part of it in the example of the whole body. */
const bodiesOf = (document: OpenApiDocument, { operationId, requestBody }: Operation): [string, unknown][] => {
  const content = requestBody?.content['application/json'];
  if (content === undefined) return [];
  return examplesIn(document, content.schema as Json, [], []).map(([path, example]) => {
    const name = `${operationId} ${path.join('.')}`;
    const whole = Object.entries({ ...(content.example as object), ...besides[name] });
    const sent = Object.fromEntries(whole.filter(([, value]) => value !== undefined));
    return [shown(path, example), withValue(sent, path, instead[name] ?? example)];
  });
};

/** The query parameters that have an example or known values, with each of them. */
const parametersOf = ({ parameters = [] }: Operation): [string, Parameter][] =>
  parameters.flatMap((parameter): [string, Parameter][] => {
    // Headers are references to shared parameters.
    if (parameter.in !== 'query') return [];
    const { examples, enum: values } = parameter.schema;
    return (examples ?? values ?? []).map((example) => [
      shown([parameter.name], example),
      { ...parameter, required: true, example },
    ]);
  });

/** The requests of all examples of a document: those of query parameters, of whole bodies and of their parts. */
export const exampleRequests = (document: OpenApiDocument, gateway: 'inbound' | 'read'): readonly ExampleRequest[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const requestOf = (changed: Operation) => {
        const [sample] = readSamples({ ...document, paths: { [path]: { [method]: changed } } }, gateway);
        if (sample === undefined) throw new Error(`no sample of ${operation.operationId}`);
        return sample.request;
      };
      const parameters = parametersOf(operation).map(([title, parameter]): [string, Operation] => {
        const others = (operation.parameters ?? []).filter(({ name }) => name !== parameter.name);
        return [title, { ...operation, parameters: [...others, parameter] }];
      });
      const bodies = bodiesOf(document, operation).map(([title, example]): [string, Operation] => {
        const { 'application/json': content } = operation.requestBody?.content ?? {};
        if (content === undefined) throw new Error('no body');
        return [title, { ...operation, requestBody: { content: { 'application/json': { ...content, example } } } }];
      });
      return [...parameters, ...bodies].map(([title, changed]) => ({
        title: `${operation.operationId} ${title}`,
        request: requestOf(changed),
      }));
    }),
  );
