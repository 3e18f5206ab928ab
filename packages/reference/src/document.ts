/** The parts of a JSON Schema that the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

/** A parameter or, without `in`, a header. */
export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

/** A response. */
export interface ResponseObject {
  readonly $ref?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, Omit<Parameter, 'name' | 'in'>>>;
  readonly content?: Readonly<Record<string, Content>>;
}

/** An operation, or a message to receivers, as the document has it. */
export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** The parts of an OpenAPI 3.1 document that the page uses. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  /** Messages that are posted to receivers, by name. */
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, ResponseObject>>;
    readonly headers?: Readonly<Record<string, Omit<Parameter, 'name' | 'in'>>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/** One operation, with its references to parameters resolved. */
export interface Operation extends OperationObject {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Content | undefined;
  /** Whether it takes an API key. */
  readonly needsKey: boolean;
}

/** The last part of a reference: `#/components/schemas/Account` gives `Account`. */
export const referencedName = (ref: string): string => ref.split('/').at(-1) ?? '';

/** Every operation of a document, in order. */
export const listOperations = (document: OpenApiDocument): readonly Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []).map((parameter) =>
        parameter.$ref === undefined
          ? parameter
          : (document.components?.parameters?.[referencedName(parameter.$ref)] ?? parameter),
      ),
      body: operation.requestBody?.content['application/json'],
      needsKey: operation.security?.length !== 0,
    })),
  );
