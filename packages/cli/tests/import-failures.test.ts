import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { deals, ImportFixture, nameOf, report } from './import-fixture.js';
import { answerError } from './stub-inbound-gateway.js';

let fixture: ImportFixture;
beforeEach(async () => {
  fixture = await ImportFixture.create();
});
afterEach(() => fixture.remove());

describe('crm import, a gateway that fails', () => {
  it('stops with how to resume when the gateway stays away', async () => {
    const { url } = await fixture.start((request, response) => {
      if (Number(nameOf(request.body).slice(5)) < 10) return 'create';
      response.socket?.resetAndDestroy();
      return 'answered';
    });
    const result = await fixture.import(deals(100), url, ['--outage', '1', '--concurrency', '3']);
    expect(result.exitCode).toBe(1);
    expect(report(result)).toMatchObject({ complete: false, rows: 10, created: 10, rejected: 0 });
    expect(report(result)['stopped']).toMatch(/does not answer/);
  });

  it('goes on when the gateway comes back within the bound', async () => {
    const first = await fixture.start();
    const importing = fixture.import(deals(1000), first.url, ['--outage', '20']);
    while (first.recordNames.size < 100) await sleep(5);
    await first.close();
    await sleep(400);
    const second = await fixture.start(undefined, Number(new URL(first.url).port));
    expect(report(await importing)).toMatchObject({ complete: true, rows: 1000, rejected: 0 });
    expect(new Set([...first.recordNames, ...second.recordNames]).size).toBe(1000);
  });

  it('refuses a row that alone keeps failing, and goes on with the others', async () => {
    const { url } = await fixture.start((request, response) =>
      nameOf(request.body) === 'Deal 0' ? answerError(response, 503) : 'create',
    );
    // The others take longer together than the one is tried.
    const result = await fixture.import(deals(2000), url, ['--outage', '1', '--concurrency', '2']);
    expect(report(result)).toMatchObject({ complete: true, created: 1999, rejected: 1 });
    expect(await fixture.readRejects()).toContain('not created after many attempts: HTTP 503');
  });

  it('says at once when nothing listens', async () => {
    const gateway = await fixture.start();
    await gateway.close();
    const result = await fixture.import(deals(3), gateway.url, ['--outage', '1']);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/does not answer: .*ECONNREFUSED.*Nothing was imported/);
  });

  it.each([
    [401, {}, /Check --api-key/],
    [307, {}, /HTTP 307.*Check --url: it must be the address of the inbound gateway/],
    [404, {}, /Check --url.*Check --pipeline/],
    [405, {}, /Check --url/],
    [400, { errors: { pipeline_id: 'is no pipeline' } }, /pipeline_id: is no pipeline.*--pipeline/],
  ])('stops at the first HTTP %d that every row would get', async (status, extra, message) => {
    const { url, requests } = await fixture.start((_request, response) => answerError(response, status, extra));
    const result = await fixture.import(deals(100), url, ['--concurrency', '1']);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(message);
    expect(requests).toHaveLength(1);
  });

  it('ends after Ctrl-C with the counts so far', async () => {
    const stop = new AbortController();
    const { url } = await fixture.start((request) => {
      if (nameOf(request.body) === 'Deal 20') stop.abort();
      return 'create';
    });
    const result = await fixture.import(deals(1000), url, [], stop.signal);
    expect(result.exitCode).toBe(1);
    expect(report(result)).toMatchObject({ complete: false, stopped: 'The import was interrupted.' });
    expect(report(result)['created']).toBeLessThan(40);
  });
});
