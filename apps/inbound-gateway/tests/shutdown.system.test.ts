import { Agent, request } from 'node:http';
import { type GatewayProcess, reportFigure, testSize } from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Stack, startStack } from './support/own-stack.js';

const rounds = testSize({ short: 2, soak: 20 });
const callers = 16;
const loadMs = 500;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

/** `refused`: the port is closed, so a balancer tries another process. */
type Outcome = 'answered' | 'refused' | 'dropped';

const send = (gateway: GatewayProcess, agent: Agent, domain: string): Promise<{ outcome: Outcome; detail: string }> =>
  new Promise((resolve) => {
    const body = JSON.stringify({ domain });
    const headers = {
      'x-api-key': stack.organization.key,
      'content-type': 'application/json',
      connection: 'keep-alive',
    };
    const call = request(`${gateway.url}/v1/inbound/accounts`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('error', (error) => resolve({ outcome: 'dropped', detail: error.message }));
      response.on('end', () => {
        const isAnswer = response.statusCode === 200 && text.endsWith('}');
        resolve({ outcome: isAnswer ? 'answered' : 'dropped', detail: `${response.statusCode} ${text}` });
      });
    });
    call.on('error', (error: NodeJS.ErrnoException) => {
      resolve({ outcome: error.code === 'ECONNREFUSED' ? 'refused' : 'dropped', detail: String(error) });
    });
    call.end(body);
  });

test('R14: a process that is stopped under load answers every request it received, then exits', async () => {
  const dropped: string[] = [];
  let answered = 0;
  let slowestExitMs = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { process: gateway } = await stack.startGateway();
    const agents = Array.from({ length: callers }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const callUntilRefused = async (agent: Agent, caller: number): Promise<void> => {
      for (let index = 0; ; index += 1) {
        const { outcome, detail } = await send(gateway, agent, `stop${round}-${caller}-${index}.com`);
        if (outcome === 'refused') return;
        if (outcome === 'answered') answered += 1;
        else dropped.push(detail);
      }
    };
    const load = Promise.all(agents.map(callUntilRefused));
    await new Promise((resolve) => setTimeout(resolve, loadMs));
    const askedAtMs = performance.now();
    expect(await gateway.stop()).toBe(0);
    slowestExitMs = Math.max(slowestExitMs, Math.round(performance.now() - askedAtMs));
    await load;
    for (const agent of agents) agent.destroy();
  }
  const about = `requests dropped of ${answered + dropped.length} in ${rounds} stops under load`;
  reportFigure('R14', about, dropped.length, 0);
  reportFigure('R14', 'ms to exit, slowest', slowestExitMs, '<= 20000');
  expect(dropped).toEqual([]);
  expect(answered).toBeGreaterThan(0);
}, 600_000);
