import { access, mkdir, readFile, writeFile } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';

import { escapeFormula } from '../src/spreadsheet-escape.js';
import { deals, useImportFixture, nameOf, pipelineId, report } from './import-fixture.js';
import { runCrm } from './run-crm.js';
import { answerError, itemsOf, type Mischief, type ReceivedRequest } from './stub-inbound-gateway.js';

const amountMapping = `
object: opportunity
pipeline_id: ${pipelineId}
fields:
  name: { column: Name }
  amount: { column: Value, transform: [{ strip: € }, { number: { decimal: ',', group: '.' } }] }
  account_domain: { column: Domain }
`;

const namesOf = ({ body }: ReceivedRequest): readonly string[] => (itemsOf(body) ?? []).map(nameOf);

const fixture = useImportFixture();

describe('crm import', () => {
  it('creates one record per row, in parallel, with the API key', async () => {
    const gateway = await fixture.start();
    const { url, requests, recordNames } = gateway;
    const result = await fixture.import(deals(30), url, ['--concurrency', '7']);
    expect(result.exitCode).toBe(0);
    const counts = { complete: true, rows: 30, created: 30, matched: 0, rejected: 0, rejects_file: null };
    expect(report(result)).toMatchObject(counts);
    expect(requests).toHaveLength(30);
    expect(requests[3]).toMatchObject({ path: '/v1/inbound/opportunities', headers: { 'x-api-key': 'crm_live_x' } });
    expect(requests.find(({ body }) => nameOf(body) === 'Deal 3')?.body).toEqual({
      pipeline_id: pipelineId,
      opportunity: { name: 'Deal 3', deal_size: 3.5 },
      related_objects: { account_domain: 'a3.com' },
    });
    expect(gateway.mostInFlight).toBeGreaterThan(1);
    expect(gateway.mostInFlight).toBeLessThanOrEqual(7);
    // The same command again matches existing records.
    expect(report(await fixture.import(deals(35), url))).toMatchObject({ created: 5, matched: 30 });
    expect(recordNames.size).toBe(35);
  });

  it.each([
    ['1', '1', [1]],
    ['2', '1', [1, 1]],
    ['2', '2', [2]],
    ['3', '2', [2, 1]],
    ['4', '2', [2, 1]],
  ])('with --limit-rows %s --batch %s sends so many of three rows: %j', async (limit, batch, sizes) => {
    const { url, requests } = await fixture.start();
    const more = ['--limit-rows', limit, '--batch', batch, '--concurrency', '1'];
    expect((await fixture.import(deals(3), url, more)).exitCode).toBe(0);
    expect(requests.map(({ body }) => itemsOf(body)?.length ?? 1)).toEqual(sizes);
  });

  it('loses and repeats no row if connections break and the gateway is busy', async () => {
    const { url, recordNames } = await fixture.start((request, response, times) => {
      const index = Number(nameOf(request.body).slice(5));
      if (times > 0) return 'create';
      if (index % 7 === 1) response.socket?.resetAndDestroy();
      else if (index % 7 === 2) return answerError(response, 503, {}, { 'retry-after': '0' });
      else if (index % 7 === 3)
        response.writeHead(200, { 'content-length': '100' }).write('{"success"', () => response.destroy());
      else return 'create';
      return 'answered';
    });
    const result = await fixture.import(deals(28), url);
    expect(report(result)).toMatchObject({ rows: 28, created: 28, rejected: 0 });
    expect(recordNames.size).toBe(28);
  });

  it('with a mapping takes off the apostrophes of an export exactly, and asks where the file may be another one', async () => {
    const mapping = [
      `{object: opportunity, pipeline_id: ${pipelineId}`,
      'fields: {name: {column: name}, next_step: {column: next_step}}}',
    ].join(', ');
    const stored = ['=1+1', "'=1", "''+49", '+49 30 123', "'tis", '-', '@x', '＝2', '1+1', "'", "a'=b"];
    const export_ = (header: string): string =>
      [
        header,
        ...stored.map((text, index) =>
          `id-${index},Deal ${index},${escapeFormula(text)},1,Sales`
            .split(',')
            .slice(0, header.split(',').length)
            .join(','),
        ),
      ].join('\n');
    const nextSteps = (requests: readonly ReceivedRequest[]): readonly unknown[] =>
      [...requests]
        .sort((one, other) => Number(nameOf(one.body).slice(5)) - Number(nameOf(other.body).slice(5)))
        .map(({ body }) => (body as { opportunity: { next_step?: unknown } }).opportunity.next_step);
    const run = async (header: string, yaml: string, ...more: string[]) => {
      await fixture.write('deals.yaml', yaml);
      const { url, requests } = await fixture.start();
      const result = await fixture.import(export_(header), url, more);
      return { result, texts: nextSteps(requests) };
    };
    // Only an export has these columns, so that it needs no setting.
    expect((await run('id,name,next_step,version,pipeline', mapping)).texts).toEqual(stored);
    const said = await run('Nr,name,next_step,Rest', mapping.replace(/}$/, ', escaped_formulas: true}'));
    expect(said.texts).toEqual(stored);
    const raw = await run('Nr,name,next_step,Rest', mapping.replace(/}$/, ', escaped_formulas: false}'));
    expect(raw.texts).toEqual(stored.map(escapeFormula));
    expect((await run('Nr,name,next_step,Rest', mapping, '--raw')).texts).toEqual(raw.texts);
    const { result, texts } = await run('Nr,name,next_step,Rest', mapping);
    expect(texts).toEqual(["'tis", '1+1', "'", "a'=b"]);
    expect(await fixture.readRejects()).toContain('escaped_formulas: true or false in the mapping');
    expect(report(result)).toMatchObject({ created: 4, rejected: 7 });
  });

  it('obeys Retry-After, and pauses before it reaches the limit in the headers of the gateway', async () => {
    const times: number[] = [];
    const { url } = await fixture.start((_request, response) => {
      times.push(performance.now());
      if (times.length === 3) return answerError(response, 429, {}, { 'retry-after': '1' });
      if (times.length === 5) response.setHeader('ratelimit', '"inbound";r=0;t=1');
      if (times.length === 7) return answerError(response, 503, {}, { 'retry-after': '1' });
      return 'create';
    });
    const result = await fixture.import(deals(6), url, ['--concurrency', '1']);
    expect(report(result)).toMatchObject({ created: 6, rejected: 0 });
    for (const index of [3, 5, 7]) expect((times[index] ?? 0) - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(950);
  });

  it('counts warnings and updates, and lists the rows with warnings', async () => {
    const { url, requests } = await fixture.start((request, response) => {
      const name = nameOf(request.body);
      response.writeHead(200, { 'x-record-status': name === 'Deal 0' ? 'updated' : 'matched' });
      const warnings = name === 'Deal 2' ? [] : [{ field: 'opportunity.deal_size', message: 'kept' }];
      response.end(JSON.stringify({ success: true, data: { opportunity_id: name }, warnings }));
      return 'answered';
    });
    const csv = `${deals(3)}\nDeal 2,7,a2.com\n`;
    const result = await fixture.import(csv, url, ['--on-match', 'update']);
    const file = fixture.path('rejects.warnings.csv');
    const counts = { created: 0, updated: 1, matched: 3, warnings: 3, warnings_file: file, rejects_file: null };
    expect(report(result)).toMatchObject({
      ...counts,
      warning_reasons: [{ field: 'amount', reason: 'kept', count: 2 }, {}],
    });
    expect((await readFile(file, 'utf8')).split('\n').sort()).toEqual([
      '',
      '2,amount,kept,Deal 0,0.5,a0.com',
      '3,amount,kept,Deal 1,1.5,a1.com',
      '5,,is the same record as line 4,Deal 2,7,a2.com',
      'line,field,reason,Name,Value,Domain',
    ]);
    expect(requests[0]?.path).toBe('/v1/inbound/opportunities?on_match=update');
    const { stdout } = await fixture.import(csv, url, [], undefined, 'text');
    expect(stdout).toContain('updated  1 (got contacts; other values were kept)');
    expect(stdout).toContain(`warnings 3, with reasons in ${file}\n    2 × amount: kept (first on line 2)`);
  });
});

describe('crm import, in bulk', () => {
  it('sends every row once, in batches in file order', async () => {
    const { url, requests } = await fixture.start();
    const result = await fixture.import(deals(25), url, ['--batch', '10', '--concurrency', '1']);
    expect(report(result)).toMatchObject({ complete: true, created: 25, rejected: 0 });
    expect(requests.map(({ path }) => path)).toEqual(Array(3).fill('/v1/inbound/opportunities/bulk'));
    expect(requests.flatMap(namesOf)).toEqual(Array.from({ length: 25 }, (_, index) => `Deal ${index}`));
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
      if (names.includes('Deal 0')) void overtaken.then(() => setTimeout(answer, 100));
      else answer();
      if (names.includes('Deal 3')) overtake();
      return 'answered';
    });
    const rows = ['Deal 0,1,a.com', 'Deal 1,1,a.com', 'Deal 1,2,A.com', 'Deal 2,1,a.com', 'Deal 3,1,b.com'];
    await fixture.import(`Name,Value,Domain\n${rows.join('\n')}`, url, ['--batch', '2', '--concurrency', '3']);
    expect(ended).toEqual(['Deal 3', 'Deal 0,Deal 1', 'Deal 1,Deal 2']);
  });

  it('rejects the rows of a refused batch, and imports the others', async () => {
    const { url } = await fixture.start((request, response) =>
      namesOf(request).includes('Deal 5') ? answerError(response, 400) : 'create',
    );
    const result = await fixture.import(deals(20), url, ['--batch', '8']);
    expect(report(result)).toMatchObject({ complete: true, created: 12, rejected: 8 });
    expect(await fixture.readRejects()).toMatch(/^7,,HTTP 400 status 400 for a batch of 8 rows: [^,]*,Deal 5/m);
  });
});

describe('crm import, rejected rows', () => {
  const refuseOdd: Mischief = (request, response) =>
    nameOf(request.body).endsWith('bad')
      ? answerError(response, 400, {
          errors: { 'related_objects.account_domain': 'is no domain, "so"', 'opportunity.deal_size': 'no' },
        })
      : 'create';

  it('are written to a file with line, field, reason and their columns, and the exit code is 1', async () => {
    const { url } = await fixture.start(refuseOdd);
    const csv = 'Name,Value,Domain\nA,1,a.com\n"B\nbad",2,"b, c"\nC,many,c.com\nD,1,d.com,x\n';
    const result = await fixture.import(csv, url, ['--concurrency', '1']);
    expect(result.exitCode).toBe(1);
    expect(report(result)).toMatchObject({ complete: true, rows: 4, created: 1, rejected: 3 });
    expect(await fixture.readRejects()).toBe(
      [
        'line,field,reason,Name,Value,Domain',
        '3,account_domain; amount,"account_domain: is no domain, ""so""; amount: no","B\nbad",2,"b, c"',
        '5,amount,"""many"" is not a number such as 1234.50",C,many,c.com',
        '6,,has 4 cells where the header has 3 columns,D,1,d.com,x',
        '',
      ].join('\n'),
    );
  });

  it('replace the file of an earlier run, and never overwrite another file', async () => {
    const { url } = await fixture.start(refuseOdd);
    const rejects = fixture.path('rejects.csv');
    await fixture.import('Name,Value,Domain\nA bad,1,a.com\n', url);
    await fixture.import('Name,Value,Domain\nA,1,a.com\n', url);
    await expect(access(rejects)).rejects.toThrow();
    await writeFile(rejects, 'my notes');
    expect((await fixture.import('Name,Value,Domain\nA bad,1,a.com\n', url)).exitCode).toBe(1);
    expect(await readFile(rejects, 'utf8')).toBe('my notes');
  });
});

describe('crm import, before anything is sent', () => {
  it('refuses columns that the file does not have, and names the place in the mapping', async () => {
    const { url, requests } = await fixture.start();
    const result = await fixture.import('name,Value,Domain\nA,1,a.com\n', url);
    expect(result.exitCode).toBe(78);
    expect(result.stderr).toContain(
      'deals.yaml:5: fields.name.column: the CSV file has no column "Name"; did you mean "name"?',
    );
    expect(requests).toHaveLength(0);
  });

  it('guesses the delimiter and the encoding, prints them, and reads amounts in local notation', async () => {
    await fixture.write('deals.yaml', amountMapping);
    const { url, requests } = await fixture.start();
    const euros = Buffer.from('Name;Value;Domain\nM\xfcller;1.234,56 \x80;a.com\n', 'latin1');
    const result = await fixture.import(euros, url);
    expect(result).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Windows-1252 ("Müller €"), ";" between'),
    });
    const opportunity = { name: 'Müller', deal_size: 1234.56 };
    expect(requests.map(({ body }) => body)).toEqual([expect.objectContaining({ opportunity })]);
    const options = ['--delimiter', ';', '--encoding', 'Windows-1252'];
    expect(await fixture.import(euros, url, options)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await fixture.import(euros, url, ['--delimiter', ';;'])).toMatchObject({ exitCode: 2 });
  });

  it('uses the local demo if no address is given, and prints that', async () => {
    const { url, requests } = await fixture.start();
    await mkdir(fixture.path('data'));
    const ids = { pipeline_id: pipelineId, organization_id: 'o', database_url: 'd' };
    const demo = { read_url: url, inbound_url: url, api_key: 'demo', ...ids };
    await fixture.write('data/demo.json', JSON.stringify(demo));
    await fixture.write('deals.csv', deals(2));
    const args = ['import', fixture.path('deals.csv'), '--mapping', fixture.path('deals.yaml'), '--batch', '1'];
    const result = await runCrm(args, { CRM_DATA_DIR: fixture.path('data') });
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/created {2}2/) });
    expect(result.stderr).toContain('Importing into the local demo');
    expect(requests[0]?.headers['x-api-key']).toBe('demo');
    await runCrm([...args, '--api-key', 'own'], { CRM_DATA_DIR: fixture.path('data') });
    expect(requests.at(-1)?.headers['x-api-key']).toBe('own');
    for (const [option, message] of [
      ['--url', '--url needs --api-key'],
      ['--read-url', '--read-url (or CRM_READ_URL) needs --url and --api-key'],
    ] as const) {
      const mixed = await runCrm([...args, option, url], { CRM_DATA_DIR: fixture.path('data') });
      expect(mixed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
    }
  });
});
