import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { runCrm, type CrmResult } from './run-crm.js';
import { answerError, startStubGateway, type Mischief, type StubGateway } from './stub-inbound-gateway.js';

const pipelineId = '01890000-0000-7000-8000-000000000001';
const mapping = `
object: opportunity
pipeline_id: ${pipelineId}
fields:
  name: { column: Name }
  amount: { column: Value }
  account_domain: { column: Domain }
`;

let directory: string;
let gateway: StubGateway | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-import-'));
  await writeFile(join(directory, 'deals.yaml'), mapping);
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await rm(directory, { recursive: true });
});

const start = async (mischief?: Mischief): Promise<StubGateway> => (gateway = await startStubGateway(mischief));

const deals = (count: number): string =>
  ['Name,Value,Domain', ...Array.from({ length: count }, (_, index) => `Deal ${index},${index}.5,a${index}.com`)].join(
    '\n',
  );

const importText = async (csv: string, url: string, ...more: string[]): Promise<CrmResult> => {
  const file = join(directory, 'deals.csv');
  await writeFile(file, csv);
  const rejects = join(directory, 'rejects.csv');
  const fixed = [
    '--mapping',
    join(directory, 'deals.yaml'),
    '--rejects',
    rejects,
    '--url',
    url,
    '--api-key',
    'crm_live_x',
  ];
  return runCrm(['import', file, ...fixed, '--json', ...more]);
};

const report = (result: CrmResult): Record<string, unknown> => JSON.parse(result.stdout) as Record<string, unknown>;
const nameOf = (body: Readonly<Record<string, unknown>>): string =>
  String((body['opportunity'] as { name?: string }).name);

describe('crm import', () => {
  it('creates one record a row, in parallel, with the key', async () => {
    const { url, requests } = await start();
    const result = await importText(deals(200), url, '--concurrency', '7');
    expect(result.exitCode).toBe(0);
    expect(report(result)).toMatchObject({
      complete: true,
      rows: 200,
      created: 200,
      matched: 0,
      rejected: 0,
      rejects_file: null,
    });
    expect(requests).toHaveLength(200);
    expect(requests[3]).toMatchObject({ path: '/v1/inbound/opportunities', headers: { 'x-api-key': 'crm_live_x' } });
    expect(requests.find(({ body }) => nameOf(body) === 'Deal 3')?.body).toEqual({
      pipeline_id: pipelineId,
      opportunity: { name: 'Deal 3', deal_size: 3.5 },
      related_objects: { account_domain: 'a3.com' },
    });
    expect(gateway?.mostInFlight).toBeGreaterThan(1);
    expect(gateway?.mostInFlight).toBeLessThanOrEqual(7);
  });

  it('can run again: rows that are there are matched', async () => {
    const { url, recordNames } = await start();
    await importText(deals(20), url);
    const again = await importText(deals(25), url);
    expect(report(again)).toMatchObject({ created: 5, matched: 20 });
    expect(recordNames.size).toBe(25);
  });

  it('loses and repeats no row when connections break and the gateway is busy', async () => {
    const { url, recordNames } = await start((request, response, times) => {
      const index = Number(nameOf(request.body).slice(5));
      if (times > 0) return 'create';
      if (index % 7 === 1) response.socket?.resetAndDestroy();
      else if (index % 7 === 2) return answerError(response, 503, {}, { 'retry-after': '0' });
      else if (index % 7 === 3)
        response.writeHead(200, { 'content-length': '100' }).write('{"success"', () => response.destroy());
      else return 'create';
      return 'answered';
    });
    const result = await importText(deals(140), url);
    expect(report(result)).toMatchObject({ rows: 140, created: 140, rejected: 0 });
    expect(recordNames.size).toBe(140);
  });

  it('obeys Retry-After: nothing is sent meanwhile', async () => {
    const times: number[] = [];
    let refusals = 0;
    const { url } = await start((_request, response) => {
      times.push(performance.now());
      if (times.length <= 10 || refusals === 1) return 'create';
      refusals += 1;
      return answerError(response, 429, {}, { 'retry-after': '1' });
    });
    const result = await importText(deals(30), url, '--concurrency', '1');
    expect(report(result)).toMatchObject({ created: 30, rejected: 0 });
    expect(refusals).toBe(1);
    expect((times[11] ?? 0) - (times[10] ?? 0)).toBeGreaterThanOrEqual(950);
  });

  it('stops before the limit is reached when the gateway tells how much is left', async () => {
    let left = 20;
    let resetAtMs = 0;
    let refused = 0;
    const { url } = await start((_request, response) => {
      if (left === 20) resetAtMs = performance.now() + 1000;
      if (performance.now() > resetAtMs) left = 20;
      if (left === 0) {
        refused += 1;
        return answerError(response, 429, {}, { 'retry-after': '1' });
      }
      left -= 1;
      const seconds = Math.max(1, Math.ceil((resetAtMs - performance.now()) / 1000));
      response.setHeader('ratelimit', `"inbound";r=${left};t=${seconds}`);
      return 'create';
    });
    const result = await importText(deals(50), url, '--concurrency', '4');
    expect(report(result)).toMatchObject({ created: 50, rejected: 0 });
    expect(refused).toBe(0);
  });

  it('counts warnings and updates', async () => {
    const { url, requests } = await start((request, response) => {
      response.writeHead(200, { 'x-record-status': nameOf(request.body) === 'Deal 0' ? 'updated' : 'matched' });
      const warnings = [{ field: 'opportunity.deal_size', message: 'kept' }];
      response.end(JSON.stringify({ success: true, data: {}, warnings }));
      return 'answered';
    });
    const result = await importText(deals(3), url, '--on-match', 'update');
    expect(report(result)).toMatchObject({ created: 0, updated: 1, matched: 2, warnings: 3 });
    expect(requests[0]?.path).toBe('/v1/inbound/opportunities?on_match=update');
  });

  it('sends notes with a key of their own, the same when the file is sent again', async () => {
    await writeFile(
      join(directory, 'deals.yaml'),
      'object: note\nfields: { title: { column: Name }, contact_emails: { column: Domain } }',
    );
    const { url, requests } = await start();
    await importText('Name,Value,Domain\nCall,1,a@x.com\nCall,1,a@x.com\n', url, '--concurrency', '1');
    await importText('Name,Value,Domain\nCall,1,a@x.com\nCall,1,a@x.com\n', url, '--concurrency', '1');
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys.slice(0, 2)).toEqual(keys.slice(2));
    expect(new Set(keys).size).toBe(2);
    expect(requests[0]?.body).toEqual({ note: { title: 'Call' }, contact_emails: ['a@x.com'] });
  });
});

describe('crm import, refused rows', () => {
  const refuseOdd: Mischief = (request, response) =>
    nameOf(request.body).endsWith('bad')
      ? answerError(response, 400, {
          errors: { 'related_objects.account_domain': 'is no domain, "so"', 'opportunity.deal_size': 'no' },
        })
      : 'create';

  it('go to a file with line, field, reason and their columns, and the exit code is 1', async () => {
    const { url } = await start(refuseOdd);
    const csv = 'Name,Value,Domain\nA,1,a.com\n"B\nbad",2,"b, c"\nC,many,c.com\nD,1\n';
    const result = await importText(csv, url, '--concurrency', '1');
    expect(result.exitCode).toBe(1);
    expect(report(result)).toMatchObject({ complete: true, rows: 4, created: 1, rejected: 3 });
    expect(await readFile(join(directory, 'rejects.csv'), 'utf8')).toBe(
      [
        'line,field,reason,Name,Value,Domain',
        '3,account_domain; amount,"account_domain: is no domain, ""so""; amount: no","B\nbad",2,"b, c"',
        '5,amount,"""many"" is not a number such as 1234.50",C,many,c.com',
        '6,,has 2 cells where the header has 3 columns,D,1',
        '',
      ].join('\n'),
    );
  });

  it('can be corrected in that file, which is imported with the same mapping', async () => {
    const { url } = await start(refuseOdd);
    await importText('Name,Value,Domain\nA bad,1,a.com\nB bad,1,b.com\n', url);
    const rejects = await readFile(join(directory, 'rejects.csv'), 'utf8');
    const result = await importText(rejects.replace('A bad', 'A good'), url);
    expect(report(result)).toMatchObject({ created: 1, rejected: 1 });
    expect((await readFile(join(directory, 'rejects.csv'), 'utf8')).split('\n')[0]).toBe(
      'line,field,reason,Name,Value,Domain',
    );
  });

  it('leave no file of an earlier run behind, and never overwrite another file', async () => {
    const { url } = await start(refuseOdd);
    const rejects = join(directory, 'rejects.csv');
    await importText('Name,Value,Domain\nA bad,1,a.com\n', url);
    await importText('Name,Value,Domain\nA,1,a.com\n', url);
    await expect(access(rejects)).rejects.toThrow();
    await writeFile(rejects, 'my notes');
    expect((await importText('Name,Value,Domain\nA bad,1,a.com\n', url)).exitCode).toBe(1);
    expect(await readFile(rejects, 'utf8')).toBe('my notes');
  });
});

describe('crm import, a gateway that fails', () => {
  it('stops with how to resume when the gateway stays away', async () => {
    const { url } = await start((request, response) => {
      if (Number(nameOf(request.body).slice(5)) < 10) return 'create';
      response.socket?.resetAndDestroy();
      return 'answered';
    });
    const result = await importText(deals(100), url, '--outage', '1', '--concurrency', '3');
    expect(result.exitCode).toBe(1);
    expect(report(result)).toMatchObject({ complete: false, rows: 10, created: 10, rejected: 0 });
    expect(report(result)['stopped']).toMatch(/does not answer/);
  });

  it('goes on when the gateway comes back within the bound', async () => {
    const first = await startStubGateway();
    const port = Number(new URL(first.url).port);
    const importing = importText(deals(3000), first.url, '--outage', '20');
    await new Promise((resolve) => void setTimeout(resolve, 150));
    await first.close();
    await new Promise((resolve) => void setTimeout(resolve, 400));
    gateway = await startStubGateway(undefined, port);
    const result = await importing;
    expect(report(result)).toMatchObject({ complete: true, rows: 3000, rejected: 0 });
    expect(new Set([...first.recordNames, ...gateway.recordNames]).size).toBe(3000);
  });

  it('refuses a row that alone keeps failing, and goes on with the others', async () => {
    const { url } = await start((request, response) =>
      nameOf(request.body) === 'Deal 0' ? answerError(response, 503) : 'create',
    );
    const result = await importText(deals(1000), url, '--outage', '1', '--concurrency', '2');
    expect(report(result)).toMatchObject({ complete: true, created: 999, rejected: 1 });
    expect(await readFile(join(directory, 'rejects.csv'), 'utf8')).toContain(
      'not created after many attempts: HTTP 503',
    );
  });

  it('says at once when nothing listens', async () => {
    const { url } = await start();
    await gateway?.close();
    const result = await importText(deals(3), url, '--outage', '1');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/does not answer: .*ECONNREFUSED.*Nothing was imported/);
  });

  it.each([
    [401, {}, /Check --api-key/],
    [404, {}, /Check --url and --pipeline/],
    [405, {}, /Check --url/],
    [400, { errors: { pipeline_id: 'is no pipeline' } }, /pipeline_id: is no pipeline.*--pipeline/],
  ])('stops at the first HTTP %d that every row would get', async (status, extra, message) => {
    const { url, requests } = await start((_request, response) => answerError(response, status, extra));
    const result = await importText(deals(100), url, '--concurrency', '1');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(message);
    expect(requests).toHaveLength(1);
  });

  it('ends after Ctrl-C with the counts so far', async () => {
    const stop = new AbortController();
    const { url } = await start((request) => {
      if (nameOf(request.body) === 'Deal 20') stop.abort();
      return 'create';
    });
    const file = join(directory, 'deals.csv');
    await writeFile(file, deals(1000));
    const args = ['import', file, '--mapping', join(directory, 'deals.yaml'), '--url', url, '--api-key', 'k', '--json'];
    const result = await runCrm(args, {}, stop.signal);
    expect(result.exitCode).toBe(1);
    expect(report(result)).toMatchObject({ complete: false, stopped: 'The import was interrupted.' });
    expect(report(result)['created']).toBeLessThan(40);
  });
});

describe('crm import, before anything is sent', () => {
  it('refuses columns that the file lacks, naming the place in the mapping', async () => {
    const { url, requests } = await start();
    const result = await importText('name,Value,Domain\nA,1,a.com\n', url);
    expect(result.exitCode).toBe(78);
    expect(result.stderr).toContain(
      'deals.yaml:5: fields.name.column: the CSV file has no column "Name"; did you mean "name"?',
    );
    expect(requests).toHaveLength(0);
  });

  it('sends nothing on a dry run, which tells the rows that do not fit', async () => {
    const { url, requests } = await start();
    const result = await importText('Name,Value,Domain\nA,1,a.com\nB,x,b.com\n', url, '--dry-run');
    expect(result.exitCode).toBe(1);
    expect(report(result)).toMatchObject({ dry_run: true, rows: 2, created: 0, rejected: 1 });
    expect(requests).toHaveLength(0);
  });

  it('takes the local demo when no address and key are given, and says so', async () => {
    const { url, requests } = await start();
    await mkdir(join(directory, 'data'));
    const demo = {
      read_url: url,
      inbound_url: url,
      api_key: 'demo',
      pipeline_id: pipelineId,
      organization_id: 'o',
      database_url: 'd',
    };
    await writeFile(join(directory, 'data', 'demo.json'), JSON.stringify(demo));
    const file = join(directory, 'deals.csv');
    await writeFile(file, deals(2));
    const args = ['import', file, '--mapping', join(directory, 'deals.yaml')];
    const result = await runCrm(args, { CRM_DATA_DIR: join(directory, 'data') });
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/created {2}2/) });
    expect(result.stderr).toContain('Importing into the local demo');
    expect(requests[0]?.headers['x-api-key']).toBe('demo');
    const mixed = await runCrm([...args, '--url', url], { CRM_DATA_DIR: join(directory, 'data') });
    expect(mixed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--url needs --api-key') });
  });
});
