import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNote, createOpportunity, inboundOperations } from '@crm/contract';
import {
  type Answer,
  createTestClient,
  type GatewayProcess,
  reportFigure,
  startGatewayProcess,
  type TestClient,
  testSize,
} from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

const kills = testSize({ short: 3, soak: 40 });
const writers = 4;
const mainFile = new URL('../dist/main.js', import.meta.url).pathname;
const hangGuardMs = 60_000;

let gateway: TestGateway;
let victim: GatewayProcess;
let client: TestClient;

const start = async (): Promise<void> => {
  const environment = { DATABASE_URL: gateway.gatewayUrl, RATE_LIMIT_INBOUND: '0', LOG_LEVEL: 'fatal' };
  victim = await startGatewayProcess(mainFile, environment);
  client = createTestClient(victim.url, inboundOperations, gateway.organization.key);
};

const kill = async (): Promise<void> => {
  const exited = once(victim.child, 'exit');
  victim.child.kill('SIGKILL');
  await exited;
};

beforeAll(async () => {
  gateway = await startTestGateway();
  await start();
});
afterAll(async () => {
  await victim.stop();
  await gateway.stop();
});

/** A write and, if it was answered, the id in the answer. */
interface Write {
  readonly name: string;
  readonly send: () => Promise<Answer<object>>;
  id: string | null;
}

const deal = (name: string): Write => {
  const emails = ['p', 'a', 'b'].map((local) => `${local}@${name}.com`);
  const related_objects = { primary_contact_email: emails[0], additional_contact_emails: emails.slice(1) };
  const body = { pipeline_id: gateway.organization.pipeline.id, opportunity: { name }, related_objects };
  return { name, send: () => client.call(createOpportunity, { body }), id: null };
};

/** Notes have no natural key, so an Idempotency-Key prevents duplicates. */
const note = (name: string): Write => {
  const body = { note: { title: name }, account_domains: [`${name}.com`] };
  const request = { body, headers: { 'idempotency-key': name } };
  return { name, send: () => client.call(createNote, request), id: null };
};

const idOf = ({ data }: Answer<object>): string => Object.values(data as Readonly<Record<string, string>>)[0] ?? '';

/** Writes one new record after the other until the process is gone. */
const writeUntilKilled = async (round: number, writer: number, made: Write[]): Promise<void> => {
  for (let index = 0; ; index += 1) {
    const name = `kill${round}-${writer}-${index}`;
    const write = writer % 2 === 0 ? deal(name) : note(name);
    made.push(write);
    // Any error only means that the outcome is unknown to the client.
    const answer = await write.send().catch(() => null);
    if (answer === null) return;
    expect(answer.status).toBe(200);
    write.id = idOf(answer);
  }
};

/** Repeats a write as a client would. The server may still be working on the abandoned first request. */
const repeat = async (write: Write): Promise<Answer<object>> => {
  const startedAtMs = performance.now();
  for (;;) {
    const answer = await write.send();
    if (answer.status === 200) return answer;
    expect([409, 503]).toContain(answer.status);
    if (performance.now() - startedAtMs > hangGuardMs) throw new Error(`${write.name}: ${answer.text}`);
    await sleep(20);
  }
};

/** Names with only some of their records, or with duplicates, in one snapshot. */
const findPartial = async (names: readonly string[]): Promise<readonly string[]> => {
  const rows = await gateway.rows<{ name: string; parts: readonly number[] }>(
    `SELECT name, ARRAY[
         (SELECT count(*) FROM opportunities o WHERE o.organization_id = $1 AND o.name = n.name),
         (SELECT count(*) FROM accounts a WHERE a.organization_id = $1 AND a.domain = n.name || '.com'),
         (SELECT count(*) FROM contacts c WHERE c.organization_id = $1 AND c.email LIKE '_@' || n.name || '.com'),
         (SELECT count(*) FROM opportunities o JOIN opportunity_contacts l
              ON l.organization_id = $1 AND l.opportunity_id = o.id WHERE o.organization_id = $1 AND o.name = n.name),
         (SELECT count(*) FROM notes t WHERE t.organization_id = $1 AND t.title = n.name)]::int[] AS parts
       FROM unnest($2::text[]) AS n (name)`,
    [names],
  );
  const whole = ['0,0,0,0,0', '1,1,3,2,0', '0,1,0,0,1'];
  return rows.filter(({ parts }) => !whole.includes(parts.join())).map(({ name, parts }) => `${name}: ${parts.join()}`);
};

test('R3, R4: a gateway that is killed under load loses no answered write and leaves no partial write', async () => {
  const writes: Write[] = [];
  const partial: string[] = [];
  for (let round = 0; round < kills; round += 1) {
    const made: Write[] = [];
    const running = Promise.all(Array.from({ length: writers }, (_, writer) => writeUntilKilled(round, writer, made)));
    const startedAtMs = performance.now();
    while (!made.some(({ id }) => id !== null) && performance.now() - startedAtMs < hangGuardMs) await sleep(1);
    await sleep(Math.random() * 150);
    await kill();
    partial.push(...(await findPartial(made.map(({ name }) => name))));
    await running;
    writes.push(...made);
    await start();
  }
  const answered = writes.filter(({ id }) => id !== null);
  let changed = 0;
  for (const write of writes) {
    const answer = await repeat(write);
    if (write.id === null) continue;
    const isRepeat =
      answer.headers.get('idempotent-replayed') === 'true' || answer.headers.get('x-record-status') === 'matched';
    if (idOf(answer) !== write.id || !isRepeat) changed += 1;
  }
  partial.push(...(await findPartial(writes.map(({ name }) => name))));
  const cutOff = writes.length - answered.length;
  reportFigure('R3', `answered writes lost of ${answered.length}, gateway killed ${kills} times`, changed, 0);
  reportFigure('R4', `partial writes, ${cutOff} cut off by kills of the gateway`, partial.length, 0);
  expect(partial).toEqual([]);
  expect(changed).toBe(0);
  expect(answered.length).toBeGreaterThan(0);
  expect(cutOff).toBeGreaterThan(0);
  await expectConsistent(gateway);
}, 600_000);
