import { createAccount } from '@crm/contract';
import { type Answer, findFreePort, reportFigure, testSize } from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Stack, startStack } from './support/own-stack.js';

const maxInFlight = 32;
const floodMs = testSize({ short: 2_000, soak: 20_000 });
const hangGuardMs = 50_000;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

const percentile = (values: readonly number[], share: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0);

test('R13: at ten times the load that a process accepts, the rest gets 503 with Retry-After, and it recovers at once', async () => {
  // With one connection the database is the bottleneck, as it is when a process is overloaded.
  const adminPort = String(await findFreePort());
  const { process: gateway, client } = await stack.startGateway({
    MAX_IN_FLIGHT: String(maxInFlight),
    // The default limit, because this test is about overload.
    MAX_EVENT_LOOP_DELAY_MS: '500',
    ADMIN_PORT: adminPort,
    DATABASE_MAX_CONNECTIONS: '1',
  });
  let count = 0;
  const create = (): Promise<Answer> => {
    count += 1;
    return client.call(createAccount, { body: { domain: `flood${count}.com` } });
  };
  await create();
  const answers: Answer[] = [];
  const acceptedMs: number[] = [];
  // Opens the connections first. That is not measured, and takes long on a busy machine.
  await Promise.all(Array.from({ length: 10 * maxInFlight }, create));
  const beganAtMs = performance.now();
  const isOver = (): boolean => {
    const sinceMs = performance.now() - beganAtMs;
    return sinceMs > floodMs && (answers.length > acceptedMs.length || sinceMs > hangGuardMs);
  };
  const flood = async (): Promise<void> => {
    while (!isOver()) {
      const startedAtMs = performance.now();
      const answer = await create();
      answers.push(answer);
      if (answer.status === 200) acceptedMs.push(performance.now() - startedAtMs);
    }
  };
  await Promise.all(Array.from({ length: 10 * maxInFlight }, flood));
  const floodEndedAtMs = performance.now();
  let status = 0;
  while (status !== 200 && performance.now() - floodEndedAtMs < hangGuardMs) ({ status } = await create());
  const recoveryMs = Math.round(performance.now() - floodEndedAtMs);

  // Requests that give up waiting for a connection are refused too, but late and after they took a place.
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const shed = Number(/^crm_\w*shed\w*(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1]);
  const refused = answers.filter((answer) => answer.status === 503);
  const others = answers.filter((answer) => answer.status !== 200 && answer.status !== 503);
  const untimed = refused.filter(({ headers }) => headers.get('retry-after') !== '1');
  const about = `503 without Retry-After, of ${refused.length} beside ${acceptedMs.length} accepted`;
  reportFigure('R13', about, untimed.length, 0);
  reportFigure('R13', 'ms of an accepted request, p99', percentile(acceptedMs, 0.99), '< 1000');
  reportFigure('R13', 'ms until healthy after it', recoveryMs, '< 5000');
  expect(others.map((answer) => answer.text)).toEqual([]);
  expect(untimed).toEqual([]);
  expect(refused.length).toBeGreaterThan(0);
  expect(shed).toBeGreaterThan(0);
  expect(metrics).toMatch(/^crm_event_bytes_total\{organization="[^"]+",gateway="inbound"\} [1-9]/m);
  expect(acceptedMs.length).toBeGreaterThan(0);
  // Guards against hanging, ten times the measured time.
  expect(percentile(acceptedMs, 0.99)).toBeLessThan(10_000);
  expect(recoveryMs).toBeLessThan(50_000);
  expect(status).toBe(200);
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
});
