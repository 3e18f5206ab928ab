import { expect, test } from '@jest/globals';

import { startFaultProxy, startGatewayProcess } from '@crm/testing';
import { callGateway, type GatewaySubject } from './gateway-subject.js';

type Line = Readonly<Record<string, unknown>>;

const warning = 40;
const polls = 60;
const hangGuardMs = 120_000;

/** The log lines of both gateways while their database is unavailable and polls and requests continue. */
export const describeOutageLog = (subject: GatewaySubject): void => {
  test(
    'an outage is logged once when it begins and once when it ends, for any number of polls and requests',
    async () => {
      const { environment, apiKey, close } = await subject.prepare();
      const proxy = await startFaultProxy(environment.DATABASE_URL);
      const gateway = await startGatewayProcess(subject.mainFile, { ...environment, DATABASE_URL: proxy.url });
      const poll = async (): Promise<readonly number[]> => {
        const answers = await Promise.all([
          fetch(`${gateway.url}/readyz`),
          fetch(`${gateway.url}/livez`),
          callGateway(gateway.url, apiKey, subject.request()),
        ]);
        return answers.map(({ status }) => status);
      };
      const pollUntil = async (holds: (statuses: readonly number[]) => boolean): Promise<void> => {
        while (!holds(await poll())) await new Promise((resolve) => setTimeout(resolve, 50));
      };
      const linesSince = (start: number): readonly Line[] => {
        const lines = gateway.output().slice(start).split('\n').slice(0, -1);
        return lines.map((line) => JSON.parse(line) as Line);
      };
      try {
        await pollUntil((statuses) => statuses.every((status) => status === 200));
        // The lines of the start arrive through a pipe, possibly after the first responses.
        await pollUntil(() => gateway.output().includes('the database is as it should be'));
        const start = gateway.output().length;
        await proxy.refuse();
        // Once this request is answered, the gateway has noticed its ended connections and sends no statement to them.
        await fetch(`${gateway.url}/livez`);
        await pollUntil(([ready, , answer]) => ready === 503 && answer === 503);
        for (let count = 0; count < polls; count += 1) expect(await poll()).toEqual([503, 200, 503]);
        await proxy.restore();
        await pollUntil(() => gateway.output().includes('the database answers again'));

        const lines = linesSince(start);
        const requests = lines.filter(({ msg }) => msg === 'request');
        const others = lines.filter(({ msg }) => msg !== 'request');
        expect(others.map(({ msg }) => msg)).toEqual([
          expect.stringMatching(/^the database does not answer.*crm doctor/),
          'the database answers again',
        ]);
        expect(others[0]).toMatchObject({ level: 50, err: { cause: { code: 'ECONNREFUSED' } } });
        // Every request of an operation has a log line, health checks have none. The lines have no error.
        expect(requests.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(polls);
        expect(requests.filter(({ route }) => route === undefined)).toEqual([]);
        expect(requests.filter(({ level, err }) => Number(level) >= warning || err !== undefined)).toEqual([]);
      } finally {
        await gateway.stop();
        await proxy.stop();
        await close();
      }
    },
    hangGuardMs,
  );
};
