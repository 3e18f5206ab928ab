import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { deals, useImportFixture, nameOf, report } from './import-fixture.js';
import { answerError, itemsOf } from './stub-inbound-gateway.js';

const fixture = useImportFixture();

describe('crm import, a gateway that fails', () => {
  it('rejects a row that alone keeps failing while others succeed', async () => {
    const { url } = await fixture.start(async (request, response): Promise<'answered' | 'create'> => {
      // The bad row is retried for up to 1.5 seconds, in which the others must not all be done.
      if (nameOf(request.body) !== 'Deal 0') await sleep(100);
      return nameOf(request.body) === 'Deal 0' ? answerError(response, 503) : 'create';
    });
    const result = report(await fixture.import(deals(25), url, ['--concurrency', '2', '--outage', '1']));
    expect(result).toMatchObject({ complete: true, created: 24, rejected: 1 });
    const reason = expect.stringContaining('not created after many attempts: HTTP 503') as unknown;
    expect(result['reject_reasons']).toMatchObject([{ field: '', reason, first_line: 2 }]);
  });

  it('pauses before running requests can use up the rate limit, and Ctrl-C ends the pause', async () => {
    const stop = new AbortController();
    let arrive: () => void = () => undefined;
    const bothArrived = new Promise<void>((resolve) => (arrive = resolve));
    const { url, requests } = await fixture.start(async (_request, response): Promise<'create'> => {
      if (requests.length === 1) {
        await bothArrived;
        response.setHeader('ratelimit', '"key";r=50;t=30, "organization";r=1;t=60');
        return 'create';
      }
      arrive();
      await sleep(100);
      setTimeout(() => stop.abort(), 100);
      return 'create';
    });
    const result = await fixture.import(deals(4), url, ['--concurrency', '2'], stop.signal);
    expect(result.stderr).toBe('The rate limit is reached. Continuing in 60 s.\n');
    expect(report(result)).toMatchObject({ created: 2, stopped: 'The import was interrupted.' });
    expect(requests).toHaveLength(2);
  });

  it('stops and says how to resume if the gateway stays unreachable', async () => {
    const { url } = await fixture.start((request, response) => {
      if (Number(nameOf(request.body).slice(5)) < 10) return 'create';
      response.socket?.resetAndDestroy();
      return 'answered';
    });
    const result = await fixture.import(deals(20), url, ['--outage', '0', '--concurrency', '1']);
    expect(result.exitCode).toBe(1);
    expect(report(result)).toMatchObject({ complete: false, rows: 10, created: 10, rejected: 0, unanswered: 1 });
    expect(report(result)['stopped']).toMatch(/does not answer/);
  });

  it('continues if the gateway comes back within the time limit', async () => {
    const first = await fixture.start();
    const importing = fixture.import(deals(60), first.url, ['--outage', '20']);
    await until(() => first.recordNames.size >= 20, 1);
    await first.close();
    await sleep(50);
    const second = await fixture.start(undefined, Number(new URL(first.url).port));
    expect(report(await importing)).toMatchObject({ complete: true, rows: 60, rejected: 0 });
    expect(new Set([...first.recordNames, ...second.recordNames]).size).toBe(60);
    expect(second.recordNames.size).toBeGreaterThan(0);
  });

  it('reports at once that nothing listens', async () => {
    const gateway = await fixture.start();
    await gateway.close();
    const result = await fixture.import(deals(3), gateway.url, ['--outage', '0']);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/does not answer: .*ECONNREFUSED.*Nothing was imported/);
  });

  it.each([
    [401, {}, /Check --api-key/],
    [307, {}, /HTTP 307.*Check --url: it must be the address of the inbound gateway/],
    [404, {}, /Check --url.*Check --pipeline/],
    [
      400,
      { errors: { pipeline_id: 'is no pipeline' } },
      /HTTP 400: .*--pipeline: is no pipeline\. .*crm api GET \/v1\/pipelines/,
    ],
  ])('stops at the first HTTP %d, which every row would get', async (status, extra, message) => {
    const { url, requests } = await fixture.start((_request, response) => answerError(response, status, extra));
    const result = await fixture.import(deals(3), url, ['--concurrency', '1']);
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
    const result = await fixture.import(deals(60), url, [], stop.signal);
    expect(result.exitCode).toBe(1);
    expect(report(result)).toMatchObject({ complete: false, stopped: 'The import was interrupted.' });
    expect(report(result)['created']).toBeLessThan(40);
  });
});

describe('crm import, the final message', () => {
  const runAgain = 'Run the same command again to continue: existing records are matched, not duplicated.';
  /** Prints the text report instead of JSON. */
  const importText = (csv: string, url: string, more: readonly string[]): Promise<string> =>
    fixture.import(csv, url, more, undefined, 'text').then(({ stdout, stderr }) => stdout + stderr);

  it('counts the rows of another request that was running when the import stopped', async () => {
    const { url } = await fixture.start((request, response) => {
      if (nameOf(itemsOf(request.body)?.[0] ?? {}) !== 'Deal 0') return answerError(response, 401);
      // Answered only after the refusal of the others was received.
      setTimeout(() => {
        const results = (itemsOf(request.body) ?? []).map(() => ({ success: true, record_status: 'created' }));
        response.end(JSON.stringify({ success: true, data: { results } }));
      }, 300);
      return 'answered';
    });
    const text = await importText(deals(20), url, ['--batch', '10', '--concurrency', '2']);
    expect(text).not.toContain('Nothing was imported');
    expect(text).toContain(`10 rows were imported before that. ${runAgain}`);
    expect(text).toContain('Check --api-key');
  });

  it('reports how many rows have an unknown result after broken connections', async () => {
    const { url } = await fixture.start((_request, response) => {
      response.socket?.resetAndDestroy();
      return 'answered';
    });
    const text = await importText(deals(20), url, ['--batch', '10', '--concurrency', '1', '--outage', '0']);
    expect(text).toContain(`0 rows were imported before that; the result of 10 more is unknown. ${runAgain}`);
  });

  it('counts the written rows if the file cannot be read to its end', async () => {
    const { url, recordNames } = await fixture.start();
    const csv = `${deals(60)}\n"never\nclosed "x" y`;
    const result = await fixture.import(csv, url, ['--batch', '10', '--concurrency', '1']);
    expect(result.exitCode).toBe(1);
    expect(recordNames.size).toBeGreaterThan(0);
    expect(report(result)).toMatchObject({ complete: false, created: recordNames.size, unanswered: 0 });
    expect(report(result)['stopped']).toMatch(/^The record that starts on line 62 .* has a misplaced quote/);
  });

  it('counts the imported rows if the rejects file cannot be written', async () => {
    const { url } = await fixture.start((request, response) => {
      rmSync(fixture.path('there'), { recursive: true, force: true });
      const results = (itemsOf(request.body) ?? []).map((one) =>
        nameOf(one) === 'Deal 0' ? { success: false, errors: { 'opportunity.name': 'no' } } : { success: true },
      );
      response.end(JSON.stringify({ success: true, data: { results } }));
      return 'answered';
    });
    mkdirSync(fixture.path('there'));
    const rejects = ['--rejects', fixture.path('there/rejects.csv'), '--batch', '10', '--concurrency', '1'];
    const result = report(await fixture.import(deals(20), url, rejects));
    expect(result).toMatchObject({ complete: false, rows: 10, created: 9, rejected: 1 });
    expect(result['stopped']).toMatch(/ENOENT/);
    const before = await fixture.import(deals(20), url, rejects);
    expect(before).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/--rejects: .*ENOENT/) });
  });

  it('reports that nothing was imported if every row was rejected', async () => {
    const { url } = await fixture.start((_request, response) => answerError(response, 401));
    const text = await importText(`Name,Value,Domain\nA,x,a.com\n${deals(1).split('\n')[1] ?? ''}`, url, []);
    expect(text).toMatch(/rejected 1.*\nNothing was imported\.\n$/s);
  });
});
