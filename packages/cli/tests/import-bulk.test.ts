import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { deals, ImportFixture, nameOf, report } from './import-fixture.js';
import { answerError, itemsOf, type ReceivedRequest } from './stub-inbound-gateway.js';

let fixture: ImportFixture;
beforeEach(async () => {
  fixture = await ImportFixture.create();
});
afterEach(() => fixture.remove());

const namesOf = ({ body }: ReceivedRequest): readonly string[] => (itemsOf(body) ?? []).map(nameOf);

describe('crm import, in bulk', () => {
  it('sends every row once, in batches in file order', async () => {
    const { url, requests } = await fixture.start();
    const result = await fixture.import(deals(250), url, ['--batch', '100', '--concurrency', '1']);
    expect(report(result)).toMatchObject({ complete: true, created: 250, rejected: 0 });
    expect(requests.map(({ path }) => path)).toEqual(Array(3).fill('/v1/inbound/opportunities/bulk'));
    expect(requests.flatMap(namesOf)).toEqual(Array.from({ length: 250 }, (_, index) => `Deal ${index}`));
    // Natural keys already make repeats safe, so bulk calls need no Idempotency-Key.
    for (const { headers } of requests) expect(headers).not.toHaveProperty('idempotency-key');
  });

  it('keeps batches that share a key in order, while other batches overtake', async () => {
    const ended: string[] = [];
    let overtake: () => void = () => undefined;
    const overtaken = new Promise<void>((resolve) => (overtake = resolve));
    const { url } = await fixture.start((request, response) => {
      const names = namesOf(request);
      const answer = (): void => {
        ended.push(names.join());
        const results = names.map(() => ({ success: true, record_status: 'created', warnings: [] }));
        response.end(JSON.stringify({ success: true, data: { results } }));
      };
      // Without waiting, the first of the two would arrive last.
      if (names.includes('Deal 0')) void overtaken.then(() => setTimeout(answer, 200));
      else answer();
      if (names.includes('Deal 3')) overtake();
      return 'answered';
    });
    const rows = [
      'Name,Value,Domain',
      'Deal 0,1,a.com',
      'Deal 1,1,a.com',
      'Deal 1,2,A.com',
      'Deal 2,1,a.com',
      'Deal 3,1,b.com',
    ];
    await fixture.import(rows.join('\n'), url, ['--batch', '2', '--concurrency', '3']);
    expect(ended).toEqual(['Deal 3', 'Deal 0,Deal 1', 'Deal 1,Deal 2']);
  });

  it('finds the single row that makes the gateway fail, and sends the rest of its batch', async () => {
    const { url } = await fixture.start((request, response) => {
      if (namesOf(request).includes('Deal 5')) return answerError(response, 503);
      // The other batches together take longer than the search for the bad row.
      const results = namesOf(request).map(() => ({ success: true, record_status: 'created', warnings: [] }));
      setTimeout(() => response.end(JSON.stringify({ success: true, data: { results } })), 50);
      return 'answered';
    });
    const result = await fixture.import(deals(1000), url, ['--batch', '8', '--outage', '1', '--concurrency', '2']);
    expect(report(result)).toMatchObject({ complete: true, created: 999, rejected: 1 });
    expect(await fixture.readRejects()).toMatch(/^7,,not created after many attempts: HTTP 503/m);
  });

  it('finds the rows that make a whole batch fail, and reports the reason', async () => {
    const { url } = await fixture.start((request, response) =>
      namesOf(request).includes('Deal 5')
        ? answerError(response, 400, { errors: { 'items[0].opportunity.name': 'no' } })
        : 'create',
    );
    const result = await fixture.import(deals(20), url, ['--batch', '8']);
    expect(report(result)).toMatchObject({ complete: true, created: 19, rejected: 1 });
    expect(await fixture.readRejects()).toMatch(/^7,name,no,Deal 5/m);
  });

  it('resends a batch whose response was lost', async () => {
    const { url, recordNames } = await fixture.start((_request, response, times) => {
      if (times > 0) return 'create';
      response.socket?.resetAndDestroy();
      return 'answered';
    });
    const result = await fixture.import(deals(30), url, ['--batch', '10']);
    expect(report(result)).toMatchObject({ complete: true, rows: 30, created: 30 });
    expect(recordNames.size).toBe(30);
  });
});
