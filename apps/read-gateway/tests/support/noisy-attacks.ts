import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The requests that an organization sends again and again. */
export interface Attack {
  readonly gateway: 'read' | 'inbound';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Whether it reads answers slowly. */
  readonly isSlow?: boolean;
}

/** A running attack, in a separate process. */
export interface RunningAttack {
  readonly child: ChildProcess;
  /** Ends it. @returns how often it got each status */
  end(): Promise<Readonly<Record<string, number>>>;
}

const attackFile = new URL('./attack.mjs', import.meta.url).pathname;

/** Starts an attack on the gateway at this port. */
export const startAttack = ({ body, headers, ...attack }: Attack, port: number, key: string): RunningAttack => {
  const child = spawn(process.execPath, [attackFile], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const contentType = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const sent = {
    ...attack,
    port,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Api-Key': key, ...contentType, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  child.stdin.write(`${JSON.stringify(sent)}\n`);
  const end = async () => {
    child.stdin.end();
    await exited;
    return JSON.parse(output) as Readonly<Record<string, number>>;
  };
  return { child, end };
};

/** Combining marks of alternating classes, which normalization has to sort. */
const marks = '\u0301\u0323'.repeat(1_000);
const bomb = {
  note: { title: 'Bomb', content: `a${marks}` },
  contact_emails: Array.from({ length: 25 }, (_, index) => `a${index}${marks}@bomb.example`),
  account_domains: Array.from({ length: 25 }, (_, index) => `a${index}${marks}.example`),
};

const costlySearch = {
  filters: {
    or: Array.from({ length: 50 }, (_, index) => ({ field: 'name', operator: 'contains', value: `z${index}y` })),
  },
  sort: 'industry',
};

const unknownKeys = {
  items: Array.from({ length: 100 }, (_, item) => ({
    email: `x${item}@y.com`,
    ...Object.fromEntries(Array.from({ length: 1_000 }, (_value, index) => [`${'unknown'.repeat(4)}${index}`, 1])),
  })),
};

/** All different. Each is refused only for its owner, after all of its emails were parsed. */
const internationalised = (pipelineId: string) => ({
  items: Array.from({ length: 100 }, (_, item) => ({
    pipeline_id: pipelineId,
    opportunity: { name: `Deal ${item}` },
    related_objects: {
      owner_email: 'nobody@bomb.example',
      additional_contact_emails: Array.from(
        { length: 100 },
        (_value, index) => `a@${'äöüß'.repeat(5)}${item}-${index}.de`,
      ),
    },
  })),
});

/** What the attacks need from their organization. */
export interface AttackContext {
  readonly pipelineId: string;
  /** The X-Read-After token of a write that the organization just made. */
  readonly readAfter: () => Promise<string>;
}

/** Every attack, by what it sends. */
export const attacks: readonly (readonly [string, (context: AttackContext) => Promise<Attack> | Attack])[] = [
  ['bodies of combining marks', () => ({ gateway: 'inbound', path: '/v1/inbound/notes', body: bomb, connections: 20 })],
  [
    'pages of 100 MB to slow readers',
    () => ({ gateway: 'read', path: '/v1/notes?limit=500', connections: 60, isSlow: true }),
  ],
  [
    '260 costly searches',
    () => ({ gateway: 'read', path: '/v1/accounts/search', body: costlySearch, connections: 260 }),
  ],
  [
    '260 costly searches with X-Read-After',
    async ({ readAfter }) => ({
      gateway: 'read',
      path: '/v1/accounts/search',
      body: costlySearch,
      headers: { 'X-Read-After': await readAfter() },
      connections: 260,
    }),
  ],
  [
    'bulk bodies of unknown keys',
    () => ({ gateway: 'inbound', path: '/v1/inbound/contacts/bulk', body: unknownKeys, connections: 20 }),
  ],
  [
    'bulk bodies of 10,000 internationalised emails',
    ({ pipelineId }) => ({
      gateway: 'inbound',
      path: '/v1/inbound/opportunities/bulk',
      body: internationalised(pipelineId),
      connections: 20,
    }),
  ],
];
