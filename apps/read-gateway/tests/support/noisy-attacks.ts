import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The requests that an organization sends again and again. */
export interface Attack {
  readonly gateway: 'read' | 'inbound';
  readonly path: string;
  /** By default `POST` with a body and `GET` without. */
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Whether the organization with the largest records sends it. */
  readonly isLarge?: boolean;
  /** Whether it reads answers slowly. */
  readonly isSlow?: boolean;
}

/** A running attack, in a separate process. */
export interface RunningAttack {
  readonly child: ChildProcess;
  /** Resolves with its first connection. */
  readonly begun: Promise<unknown>;
  /** Whether the gateway has answered any of its requests. */
  isAnswered(): boolean;
  /** Ends it. @returns how often it got each status */
  end(): Promise<Readonly<Record<string, number>>>;
}

const attackFile = new URL('./attack.mjs', import.meta.url).pathname;

/** Starts an attack on the gateway at this port. */
export const startAttack = ({ body, headers, ...attack }: Attack, port: number, key: string): RunningAttack => {
  const child = spawn(process.execPath, [attackFile], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let output = '';
  const begun = once(child.stdout, 'data');
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const contentType = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const sent = {
    ...attack,
    port,
    method: attack.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { 'X-Api-Key': key, ...contentType, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  child.stdin.write(`${JSON.stringify(sent)}\n`);
  const end = async () => {
    child.stdin.end();
    await exited;
    return JSON.parse(output) as Readonly<Record<string, number>>;
  };
  // One line for the first connection, one for the first answer.
  return { child, begun, isAnswered: () => output.length > 1, end };
};

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Combining marks of alternating classes, which normalization has to sort. */
const marks = '\u0301\u0323'.repeat(1_000);
const bomb = {
  note: { title: 'Bomb', content: `a${marks}` },
  contact_emails: numbers(25).map((index) => `a${index}${marks}@bomb.example`),
  account_domains: numbers(25).map((index) => `a${index}${marks}.example`),
};

const costlySearch = {
  filters: {
    or: numbers(50).map((index) => ({ field: 'name', operator: 'contains', value: `z${index}y` })),
  },
  sort: 'industry',
};

const unknownKeys = {
  items: numbers(100).map((item) => ({
    email: `x${item}@y.com`,
    ...Object.fromEntries(numbers(1_000).map((index) => [`${'unknown'.repeat(4)}${index}`, 1])),
  })),
};

/** All different. Each is refused only for its owner, after all of its emails were parsed. */
const internationalised = (pipelineId: string) => ({
  items: numbers(100).map((item) => ({
    pipeline_id: pipelineId,
    opportunity: { name: `Deal ${item}` },
    related_objects: {
      owner_email: 'nobody@bomb.example',
      additional_contact_emails: numbers(100).map((index) => `a@${'äöüß'.repeat(5)}${item}-${index}.de`),
    },
  })),
});

const internationalSearch = {
  filters: {
    or: numbers(50).map((list) => ({
      field: 'domain',
      operator: 'in',
      value: numbers(200).map((index) => `ü${list}ß${index}.de`),
    })),
  },
};

/** The last email is invalid, so that nothing is written. */
const internationalNote = {
  note: { title: 'Hosts' },
  account_domains: numbers(100).map((index) => `${'ü.'.repeat(30)}${index}.de`),
  contact_emails: [...numbers(99).map((index) => `a@${'ü.'.repeat(30)}${index}.de`), 'none'],
};

const unknownFields = {
  filters: numbers(50).map((index) => ({ field: `custom__unknown_${index}`, operator: 'eq', value: 'x' })),
};

/** What the attacks need from their organization. */
export interface AttackContext {
  readonly pipelineId: string;
  /** The X-Read-After token of a write that the organization just made. */
  readonly readAfter: () => Promise<string>;
}

const search = { gateway: 'read', path: '/v1/accounts/search', body: costlySearch, connections: 260 } as const;
const bulk = (objects: string, body: unknown): Attack => ({
  gateway: 'inbound',
  path: `/v1/inbound/${objects}/bulk`,
  body,
  connections: 20,
});

/** Every attack, by what it sends. */
export const attacks: readonly (readonly [string, (context: AttackContext) => Promise<Attack> | Attack])[] = [
  ['bodies of combining marks', () => ({ gateway: 'inbound', path: '/v1/inbound/notes', body: bomb, connections: 20 })],
  [
    'pages of 100 MB to slow readers',
    () => ({ gateway: 'read', path: '/v1/notes?limit=500', connections: 60, isSlow: true }),
  ],
  ['260 costly searches', () => search],
  [
    '260 costly searches with X-Read-After',
    async ({ readAfter }) => ({ ...search, headers: { 'X-Read-After': await readAfter() } }),
  ],
  ['bulk bodies of unknown keys', () => bulk('contacts', unknownKeys)],
  [
    'bulk bodies of 10,000 internationalised emails',
    ({ pipelineId }) => bulk('opportunities', internationalised(pipelineId)),
  ],
  ['searches for 10,000 international domains', () => ({ ...search, body: internationalSearch, connections: 10 })],
  [
    'notes with 200 international hosts',
    () => ({ gateway: 'inbound', path: '/v1/inbound/notes', body: internationalNote, connections: 20 }),
  ],
  ['searches with 50 unknown fields', () => ({ ...search, body: unknownFields, connections: 20 })],
  ['pages of duplicates', () => ({ gateway: 'read', path: '/v1/accounts/duplicates?limit=500', connections: 20 })],
];
