import { connect } from 'node:net';
import { compileOperation, operation, type OperationContract } from '@crm/contract';
import { generateApiKey, hashApiKey } from '@crm/domain';
import type { Express } from 'express';
import { pino } from 'pino';
import {
  createGatewayApp,
  createLogger,
  defaultRateLimits,
  defineOperation,
  JsonParts,
  startServer,
  type ApiKeyRecord,
  type GatewayAppOptions,
  type Operation,
  type OperationReply,
  type OperationRequest,
  type RunningServer,
  type ServerOptions,
} from '../src/index.js';

type Schema = OperationContract['data'];

/** Schemas are plain JSON Schema at run time, so tests need no builder for them. */
const object = (properties: Readonly<Record<string, object>>): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
});

const texts = { summary: 'A test.', description: 'A test.', data: {} };
const text = { type: 'string' };

export const listThings = operation(['listThings', 'GET /v1/things', 'list', 'things'], {
  ...texts,
  query: object({ q: text, limit: text, fields: { type: 'array', items: text } }),
});
const getThing = operation(['getThing', 'GET /v1/things/{id}', 'list', 'things'], {
  ...texts,
  params: object({ id: { type: 'string', maxLength: 8 } }),
});
const searchThings = operation(['searchThings', 'POST /v1/things/search', 'search', 'things'], {
  ...texts,
  body: object({ a: {}, name: { type: 'string', maxLength: 5 } }),
});
const bulkThings = operation(['bulkThings', 'POST /v1/things/bulk', 'bulk', 'things'], {
  ...texts,
  body: object({ a: {} }),
});

/** What the operations of a test gateway do in addition to echoing their input. */
export interface Behaviour {
  /** The JSON that `listThings` answers instead of its input. */
  answer?: string;
  run?: (header: (name: string) => string | undefined) => Promise<void> | void;
}

type Request = OperationRequest<OperationContract>;

const define = (
  contract: OperationContract,
  answer: (request: Request, behaviour: Behaviour) => Omit<OperationReply<OperationContract>, 'message'>,
): Operation<Behaviour> =>
  defineOperation(contract, async (behaviour, request) => {
    await behaviour.run?.(request.header);
    return { message: 'OK', ...answer(request, behaviour) };
  });

export const operations: readonly Operation<Behaviour>[] = [
  define(listThings, ({ query, caller }, { answer }) => ({
    data: new JsonParts([answer ?? JSON.stringify({ query, caller })]),
  })),
  define(getThing, ({ params }) => ({ data: { params }, version: 7 })),
  define(searchThings, ({ body }) => ({ data: { body }, extra: { warnings: [], statusCode: 200 } })),
  define(bulkThings, () => ({ data: {} })),
];

/** The keys of a test, in memory, with the number of lookups, as a database counts statements. */
export class KeyRing {
  lookUps = 0;
  readonly #records = new Map<string, ApiKeyRecord>();

  add(changes: Partial<ApiKeyRecord> = {}): string {
    const key = generateApiKey();
    this.set(key, changes);
    return key;
  }

  set(key: string, changes: Partial<ApiKeyRecord>): void {
    this.#records.set(hashApiKey(key).toString('hex'), {
      id: `key-${this.#records.size + 1}`,
      organizationId: 'org-1',
      allowedOperations: ['list', 'search'],
      expiresAt: null,
      revokedAt: null,
      limits: {},
      ...changes,
    });
  }

  readonly find = async (hashes: readonly Buffer[]): Promise<readonly (ApiKeyRecord | null)[]> => {
    this.lookUps++;
    await new Promise((resolve) => setImmediate(resolve));
    return hashes.map((hash) => this.#records.get(hash.toString('hex')) ?? null);
  };
}

/** The JSON body of a response, with the parts that tests use. */
export const bodyOf = (response: { readonly text: string }) =>
  JSON.parse(response.text) as {
    readonly data?: Readonly<Record<string, unknown>>;
    readonly errors?: Readonly<Record<string, string>>;
  };

export interface TestGateway {
  readonly app: Express;
  readonly keys: KeyRing;
  /** A key with the groups list and search. */
  readonly key: string;
  readonly behaviour: Behaviour;
  /** The log, one text per line. */
  readonly lines: string[];
}

type Overrides = Partial<Omit<GatewayAppOptions<Behaviour>, 'context' | 'logger'>>;

const compiled = new Map(operations.map(({ contract }) => [contract, compileOperation(contract)]));

/** A real gateway except that its operations work in memory. */
export const createTestGateway = (overrides: Overrides = {}): TestGateway => {
  const keys = new KeyRing();
  const key = keys.add();
  const lines: string[] = [];
  const behaviour: Behaviour = {};
  const logger = createLogger({
    level: 'info',
    name: 'test',
    destination: { write: (text: string) => void lines.push(text) },
  });
  const app = createGatewayApp<Behaviour>({
    gateway: 'read',
    withContext: (_request, run) => run(behaviour),
    operations,
    validators: (contract) => compiled.get(contract) ?? compileOperation(contract),
    authentication: { findApiKeysByHash: keys.find },
    limits: { perMinute: defaultRateLimits },
    readiness: () => Promise.resolve(),
    // Jest and other processes of a busy machine delay the loop too, and a refused request would break other tests.
    maxEventLoopDelayMs: 60_000,
    logger,
    ...overrides,
  });
  return { app, keys, key, behaviour, lines };
};

/** Serves a test gateway on a free port while `use` runs. */
export const withServer = async (
  gateway: TestGateway,
  use: (running: RunningServer) => Promise<void>,
  options: Partial<ServerOptions> = {},
): Promise<void> => {
  const running = await startServer(gateway.app, {
    host: '127.0.0.1',
    port: 0,
    logger: pino({ level: 'info' }, { write: (text: string) => void gateway.lines.push(text) }),
    handleSignals: false,
    shutdownTimeoutMs: 3000,
    ...options,
  });
  try {
    await use(running);
  } finally {
    running.server.closeAllConnections();
    await running.stop();
  }
};

/** Sends bytes over a new connection and returns everything received until it closes. */
export const sendRaw = (port: number, ...parts: readonly (string | Buffer)[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(text)));
    socket.on('close', () => resolve(text));
    for (const part of parts) socket.write(part);
  });

/** The status and the parsed body of a raw HTTP/1.1 response. */
export const parseRaw = (
  answer: string,
): { readonly status: number; readonly head: string; readonly body: unknown } => {
  const split = answer.indexOf('\r\n\r\n');
  const head = answer.slice(0, split);
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(answer.slice(split + 4)) };
};

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Blocks the event loop without using the processor. */
export const block = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};
