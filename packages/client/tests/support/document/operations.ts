import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A schema of a document. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

/** The declaration of one status of an operation. */
export interface Response {
  readonly headers: Readonly<Record<string, { readonly required?: boolean; readonly $ref?: string }>>;
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** An operation as its document describes it, with references to parameters, responses and headers resolved. */
export interface Operation {
  readonly gateway: 'read' | 'inbound';
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly responses: Readonly<Record<string, Response>>;
  /** The schema that a reference names. */
  readonly resolve: (schema: Schema) => Schema;
  /** Compiles a schema of this document, once. */
  readonly compile: (schema: Schema) => ValidateFunction;
}

type Json = Readonly<Record<string, unknown>>;

const at = (document: Json, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (value as Json)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);

const mapValues = <T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

/** Every operation of the document of a gateway. */
export const readOperations = (gateway: Operation['gateway']): readonly Operation[] => {
  const file = new URL(`../../../../../docs/openapi/${gateway}-gateway.json`, import.meta.url);
  const document = JSON.parse(readFileSync(file, 'utf8')) as Json & { paths: Record<string, Record<string, Json>> };
  const $id = `https://crm.example/${gateway}`;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ ...document, $id });
  const resolve = <T>(value: T): T => {
    const { $ref } = value as { $ref?: string };
    return $ref === undefined ? value : resolve(at(document, $ref) as T);
  };
  const compiled = new Map<Schema, ValidateFunction>();
  const absolute = (schema: Schema): Schema =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', `"${$id}#/components`)) as Schema;
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const body = operation['requestBody'] as { content: Response['content'] } | undefined;
      const responses = operation['responses'] as Record<string, Response>;
      return {
        gateway,
        id: String(operation['operationId']),
        method: method.toUpperCase(),
        path,
        isPublic: Array.isArray(operation['security']) && operation['security'].length === 0,
        parameters: ((operation['parameters'] ?? []) as readonly Parameter[]).map(resolve),
        body: body?.content['application/json']?.schema,
        responses: mapValues(responses, (unresolved) => {
          const response = resolve(unresolved);
          return { ...response, headers: mapValues(response.headers, resolve) };
        }),
        resolve,
        compile: (schema) => {
          const validate = compiled.get(schema) ?? ajv.compile(absolute(schema));
          compiled.set(schema, validate);
          return validate;
        },
      };
    }),
  );
};

/** The types that a schema allows. */
export const typesOf = ({ type, properties, items }: Schema): readonly string[] => {
  if (type !== undefined) return typeof type === 'string' ? [type] : type;
  if (properties !== undefined) return ['object'];
  return items === undefined ? [] : ['array'];
};
