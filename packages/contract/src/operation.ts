import type { Static, TSchema } from 'typebox';

/** The gateway that serves an operation. */
export type Gateway = 'read' | 'inbound';

/** The groups of operations with rate limits of their own. Operations of other groups count as one of these. */
export const limitedGroups = ['list', 'search', 'inbound', 'bulk'] as const;

/** The groups of operations that API keys allow. Keys can also allow single operation ids. */
export const operationGroups = [...limitedGroups, 'delete', 'setup', 'webhooks'] as const;

/** One of {@link operationGroups}. */
export type OperationGroup = (typeof operationGroups)[number];

/** One operation of the public API: the single source of its route, its validators, its types and its OpenAPI entry. */
export interface OperationContract {
  /** camelCase, as in `listOpportunities`. */
  readonly id: string;
  readonly gateway: Gateway;
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** In OpenAPI form: `/v1/opportunities/{id}`. */
  readonly path: string;
  readonly group: OperationGroup;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Path parameters; absent when the path has none. */
  readonly params?: TSchema;
  /** Query parameters; absent if the operation accepts none. */
  readonly query?: TSchema;
  /** Body; absent if no body is read. */
  readonly body?: TSchema;
  /** One item of a bulk body. Items are checked one by one, so that an invalid one fails alone. */
  readonly item?: TSchema;
  /** Maximum size of the body in bytes; by default 256 KB. */
  readonly maxBodyBytes?: number;
  /** The shape of `data` in the response. */
  readonly data: TSchema;
  /** Further properties of the response (`warnings`, `statusCode`), by name. */
  readonly extra?: Readonly<Record<string, TSchema>>;
  /** Error statuses besides those of every operation. */
  readonly errors?: readonly number[];
  /** Response headers of a success besides those of every response: name to description. */
  readonly headers?: Readonly<Record<string, string>>;
}

type StaticOr<T, Otherwise> = T extends TSchema ? Static<T> : Otherwise;

/** The validated path parameters of an operation. */
export type ParamsOf<C extends OperationContract> = StaticOr<C['params'], Record<string, never>>;
/** The validated query of an operation. */
export type QueryOf<C extends OperationContract> = StaticOr<C['query'], Record<string, never>>;
/** The validated body of an operation. */
export type BodyOf<C extends OperationContract> = StaticOr<C['body'], undefined>;
/** The `data` that an operation returns. */
export type DataOf<C extends OperationContract> = Static<C['data']>;

type Method = OperationContract['method'];
type Route = `${Uppercase<Method>} /v1/${string}`;
type Identity = 'id' | 'gateway' | 'method' | 'path' | 'group' | 'tag';
type Texts = 'summary' | 'description';

/**
 * Describes an operation. The result has the types of the schemas, so that handlers and tests get typed input and output.
 * @param route - method and path, such as `GET /v1/accounts/{id}`; paths below `/v1/inbound` are the inbound gateway's
 */
export const operation = <Parts extends Omit<OperationContract, Identity>>(
  [id, route, group, tag]: readonly [id: string, route: Route, group: OperationGroup, tag: string],
  parts: Parts,
): Pick<OperationContract, Identity | Texts> & Omit<Parts, Texts> => {
  const [method = '', path = ''] = route.split(' ');
  const gateway = path.startsWith('/v1/inbound/') ? 'inbound' : 'read';
  return { id, gateway, method: method.toLowerCase() as Method, path, group, tag, ...parts };
};
