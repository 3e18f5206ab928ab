import { randomUUID } from 'node:crypto';
import { administration, insertWebhook } from '@crm/db';
import { reportFigure } from '@crm/testing';
import { encryptSecret, newSecret, Sender } from '@crm/webhooks';
import { expect, test } from '@jest/globals';
import { startReceiver } from './support/receiver.js';
import { records, useWorker } from './support/use-worker.js';

const worker = useWorker();
const slowEndpoints = 100;
const answerAfterMs = 12_000;
const attemptTimeoutMs = 15_000;
const events = 40;
/** A guard against hanging. */
const hangGuardMs = 300_000;

test(
  'R34: delivers to an organization while another one has 100 slow endpoints',
  async () => {
    const { database, keys } = worker.log();
    const { id: slowId } = await administration(database).createOrganization({ name: 'Slow' });
    /** The paths of the requests that are running. */
    const running: string[] = [];
    let mostRequests = 0;
    let mostEndpoints = 0;
    const slow = await startReceiver([], (_message, response, { url: path = '' }) => {
      running.push(path);
      mostRequests = Math.max(mostRequests, running.length);
      mostEndpoints = Math.max(mostEndpoints, new Set(running).size);
      setTimeout(() => {
        running.splice(running.indexOf(path), 1);
        response.end();
      }, answerAfterMs);
      return true;
    });
    const secret = newSecret();
    slow.secrets = [secret];
    for (let index = 0; index < slowEndpoints; index += 1) {
      const id = randomUUID();
      const url = `${slow.url}/${index}`;
      await insertWebhook(database, slowId, id, encryptSecret(keys, id, secret), 'a test', { url });
    }
    await worker.log().append(records(20), slowId);
    const sender = new Sender(['127.0.0.0/8'], attemptTimeoutMs);
    worker.start({ sender, attemptTimeoutMs, retryDelaysMs: [1_000] });
    await worker.until(() => running.length > 0);
    const delaysMs: number[] = [];
    for (let event = 0; event < events; event += 1) {
      const sentMs = performance.now();
      await worker.log().append(records(1));
      await worker.until(() => worker.receiver().accepted.length > event);
      delaysMs.push(performance.now() - sentMs);
      await worker.log().append(records(1), slowId);
    }
    const p99 = delaysMs.toSorted((a, b) => a - b)[Math.ceil(delaysMs.length * 0.99) - 1] ?? 0;
    reportFigure('R34', 'p99 of a delivery beside 100 slow endpoints of another organization, in ms', p99, 5_000);
    reportFigure('R34', 'running requests of the slow organization', mostRequests, 128);
    reportFigure('R34', 'its endpoints that are served at the same time', mostEndpoints, 32);
    await slow.close();
    sender.close();
    expect(mostRequests).toBeLessThanOrEqual(128);
    expect(mostEndpoints).toBeLessThanOrEqual(32);
  },
  hangGuardMs,
);
