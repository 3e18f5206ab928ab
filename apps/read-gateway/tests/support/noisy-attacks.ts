import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What an organization sends again and again. */
export interface Attack {
  readonly gateway: 'read' | 'inbound';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Whether it takes answers a little at a time. */
  readonly isSlow?: boolean;
}

/** An attack that is under way, in a process of its own. */
export interface RunningAttack {
  readonly child: ChildProcess;
  /** Ends it. @returns how often each status was answered to it */
  end(): Promise<Readonly<Record<string, number>>>;
}

const attackFile = new URL('./attack.mjs', import.meta.url).pathname;

/** Starts an attack on the gateway of this port. */
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

/** Marks of different classes by turns, which normalising has to sort. */
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

/** No two alike; each is refused for its owner alone, after all of its emails were read. */
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

/** What the attacks need of the organization that makes them. */
export interface AttackContext {
  readonly pipelineId: string;
  /** A token of a write that the organization just made. */
  readonly readAfter: () => Promise<string>;
}

/** Every attack, with what it does to others. */
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
