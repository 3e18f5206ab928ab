/** The part of an OpenAPI document that the search for ids uses. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

/** The inputs of an operation. */
export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Query and path parameters that are ids. */
  readonly idParameters: readonly string[];
  /** The paths of ids in the body, such as `opportunity.stage_id` or `items[0].id`. `owner_email` counts too, because it names a member. */
  readonly idFields: readonly string[];
  /** The first example of the body; undefined if there is no body. */
  readonly example: unknown;
}

interface Schema {
  readonly $ref?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly schema?: Schema }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Whether a value may be an id: always, or beside a word such as `all`. */
const isId = ({ format, pattern = '' }: Schema): boolean => format === 'uuid' || pattern.includes('[0-9a-fA-F]{8}');

/** Every operation of a document, with every place that takes an id. */
export const documentedOperations = (document: OpenApiDocument): readonly DocumentedOperation[] => {
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    const name = schema.$ref.replace('#/components/schemas/', '');
    return resolve(document.components?.schemas?.[name] ?? {});
  };
  const idFields = (unresolved: Schema, path: string, within: readonly string[] = []): string[] => {
    const { $ref } = unresolved;
    // Filters contain filters, so one level is enough.
    if ($ref !== undefined && within.includes($ref)) return [];
    const parents = $ref === undefined ? within : [...within, $ref];
    const schema = resolve(unresolved);
    const inside: readonly (readonly [Schema, string])[] = [
      ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => list ?? []).map((one) => [one, path] as const),
      ...Object.entries(schema.properties ?? {}).map(
        ([name, property]) => [property, path === '' ? name : `${path}.${name}`] as const,
      ),
      ...(schema.items === undefined ? [] : [[schema.items, `${path}[0]`] as const]),
    ];
    const own = isId(schema) || path.endsWith('owner_email') ? [path] : [];
    return [...new Set([...own, ...inside.flatMap(([each, at]) => idFields(each, at, parents))])];
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as OperationObject | undefined;
      if (operation === undefined || !path.startsWith('/v1/')) return [];
      const parameters = operation.parameters ?? [];
      const json = operation.requestBody?.content['application/json'];
      const bodySchema = json === undefined ? undefined : resolve(json.schema);
      return [
        {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          idParameters: parameters
            .filter(({ schema }) => schema !== undefined && idFields(schema, 'id').length > 0)
            .map(({ name }) => name),
          idFields: json === undefined ? [] : idFields(json.schema, ''),
          example: json?.example ?? bodySchema?.examples?.[0],
        },
      ];
    }),
  );
};
