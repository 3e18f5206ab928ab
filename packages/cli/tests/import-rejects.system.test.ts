import { readFile, readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { RejectReasons } from '../src/import/reporting/report.js';
import { deals, useImportFixture, nameOf, report } from './import-fixture.js';
import { runCrm, type CrmResult } from './run-crm.js';
import { answerError } from './stub-inbound-gateway.js';

const fixture = useImportFixture();

/** Imports a file of `crm export`, which needs no mapping. */
const importExported = (name: string, url: string, ...more: string[]): Promise<CrmResult> => {
  const where = ['--url', url, '--api-key', 'crm_live_x', '--batch', '1', '--json'];
  return runCrm(['import', fixture.path(name), '--rejects', fixture.path('rejects'), ...where, ...more]);
};

describe('crm import, the reasons of rejected rows', () => {
  it('counts every reason, grouped, in the text and in the JSON', async () => {
    const { url } = await fixture.start((request, response) =>
      nameOf(request.body) === 'E' ? answerError(response, 400, { errors: { 'opportunity.name': 'no' } }) : 'create',
    );
    const csv = 'Name,Value,Domain\nA,x,a.com\nB,y,b.com\nC,1,c.com,x\nD,1,d.com\nE,1,e.com\n';
    expect(report(await fixture.import(csv, url))).toMatchObject({
      created: 1,
      rejected: 4,
      reject_reasons: [
        { field: 'amount', reason: '"…" is not a number such as 1234.50', count: 2, first_line: 2 },
        { field: '', reason: 'has 4 cells where the header has 3 columns', count: 1, first_line: 4 },
        { field: 'name', reason: 'no', count: 1, first_line: 6 },
      ],
    });
    const { stdout } = await fixture.import(csv, url, [], undefined, 'text');
    expect(stdout).toContain(
      [
        '    2 × amount: "…" is not a number such as 1234.50 (first on line 2)',
        '    1 × has 4 cells where the header has 3 columns (line 4)',
        '    1 × name: no (line 6)\n',
      ].join('\n'),
    );
  });
});

describe('RejectReasons', () => {
  it('groups reasons that differ only in their values, and keeps a value that all share', () => {
    const reasons = new RejectReasons();
    for (const [index, text] of ['y', 'x', 'z'].entries())
      reasons.add({ field: 'amount', reason: `"${text}" is not a number such as 1234.50` }, 5 + index);
    const shared = 'there is no stage "Wonn"; the stages are: Won';
    for (const line of [3, 4]) reasons.add({ field: 'stage', reason: shared }, line);
    expect(reasons.list()).toEqual([
      { field: 'amount', reason: '"…" is not a number such as 1234.50', count: 3, firstLine: 5 },
      { field: 'stage', reason: shared, count: 2, firstLine: 3 },
    ]);
  });

  it('groups reasons with lines, and names all missing stages', () => {
    const reasons = new RejectReasons();
    for (const line of [3, 4])
      reasons.add({ field: 'name', reason: `has the name of line ${line - 1} but another external_id` }, line);
    for (const label of ['Neu', 'Alt', 'Neu'])
      reasons.add({ field: 'stage', reason: `there is no stage "${label}"; the stages are: Won` }, 5);
    expect(reasons.list().map(({ reason, count }) => [reason, count])).toEqual([
      ['there is no stage "Neu", "Alt"; the stages are: Won', 3],
      ['has the name of an earlier line but another external_id', 2],
    ]);
  });

  it('counts every problem, including reasons beyond the limits', () => {
    const reasons = new RejectReasons(3);
    for (let index = 0; index < 10; index += 1) reasons.add({ field: `f${index % 5}`, reason: 'no' }, index);
    const counts = (most?: number): number[] => reasons.list(most).map(({ count }) => count);
    expect([counts(), counts(1)]).toEqual([
      [2, 2, 2, 4],
      [2, 8],
    ]);
    expect(reasons.list().at(-1)).toEqual({ field: '', reason: 'other reasons', count: 4, firstLine: null });
  });
});

describe('crm import, rows with the key of an earlier row and another external id', () => {
  const mapping = `object: contact\nfields: { email: { column: Email }, external_id: { column: Id } }\n`;
  const csv = 'Email,Id\na@x.com,1\nA@X.com,2\na@x.com,1\na@x.com,\nb@x.com,3\n';

  it('are rejected before anything of them is sent, in a dry run too', async () => {
    await fixture.write('deals.yaml', mapping);
    const { url, requests } = await fixture.start();
    for (const more of [['--dry-run'], [], []]) {
      expect(report(await fixture.import(csv, url, more))).toMatchObject({ rejected: 1, same_key: 0 });
      expect(await fixture.readRejects()).toContain(
        '3,email,has the email of line 2 but another external_id,A@X.com,2',
      );
    }
    expect(requests.map(({ body }) => body['external_id'])).not.toContain('2');
  });

  it('are counted by themselves with --same-key keep, and the exit code is 1', async () => {
    await fixture.write('deals.yaml', mapping);
    const { url, requests } = await fixture.start();
    const kept = await fixture.import(csv, url, ['--same-key', 'keep']);
    expect(kept.exitCode).toBe(1);
    expect(report(kept)).toMatchObject({ rejected: 0, same_key: 1 });
    expect(requests.map(({ body }) => body['external_id'])).not.toContain('2');
    const { stdout } = await fixture.import(csv, url, ['--same-key', 'keep'], undefined, 'text');
    expect(stdout).toContain('same key 1 (--same-key keep: not imported)');
  });
});

describe('crm import, the rejects file', () => {
  it('stays if it was changed since, and the new one gets the next number', async () => {
    const { url } = await fixture.start();
    const csv = 'Name,Value,Domain\nA,x,a.com\n';
    await fixture.import(csv, url);
    await fixture.import(csv, url);
    expect((await readdir(fixture.directory)).filter((name) => name.startsWith('rejects'))).toEqual(['rejects.csv']);
    const corrected = (await fixture.readRejects()).replace('A,x', 'A,1');
    await fixture.write('rejects.csv', corrected);
    for (let times = 0; times < 2; times += 1) {
      expect(report(await fixture.import(csv, url))).toMatchObject({ rejects_file: fixture.path('rejects.1.csv') });
      expect(await fixture.readRejects()).toBe(corrected);
    }
    const { rejected, created } = report(await fixture.import('Name,Value,Domain\nA,1,a.com\n', url));
    expect([rejected, created]).toEqual([0, 1]);
    expect((await readdir(fixture.directory)).filter((name) => name.startsWith('rejects'))).toEqual(['rejects.csv']);
    expect(await fixture.readRejects()).toBe(corrected);
  });

  it('can be imported with the same mapping, even if that has another delimiter and encoding', async () => {
    const { url, requests } = await fixture.start();
    const mapping = await readFile(fixture.path('deals.yaml'), 'utf8');
    await fixture.write('deals.yaml', `${mapping}delimiter: ';'\nencoding: windows-1252\n`);
    await fixture.import(Buffer.from('Name;Value;Domain\nMüller; Söhne;x;a.com\n"Öl; Gas";x;b.com\n', 'latin1'), url);
    const rejects = await readFile(fixture.path('rejects.csv'));
    expect((await stat(fixture.path('rejects.csv'))).mode & 0o777).toBe(0o600);
    const corrected = rejects.toString('utf8').replace(';x;b.com', ';2;b.com');
    expect(report(await fixture.import(Buffer.from(corrected), url))).toMatchObject({ created: 1, rejected: 1 });
    expect(requests.map(({ body }) => nameOf(body))).toEqual(['Öl; Gas']);
    expect(await fixture.readRejects()).toContain('Müller;" Söhne";x;a.com\n');
  });

  it('has unchanged JSON lines, so that nothing is lost when they are imported again', async () => {
    const { url, requests } = await fixture.start();
    const lines = [
      '{"domain":"a.com","name":"A","name":"B"}',
      ' { "domain" : "b.com", "x": 1.0000000000000001 }',
      '{"domain":"c.com","industry":7,"custom_fields":{"n":1.50}}',
      '{"domain":"d.com","unknown":null}',
      'no JSON',
    ];
    await fixture.write('accounts.jsonl', lines.join('\n'));
    const result = await importExported('accounts.jsonl', url);
    expect(report(result)).toMatchObject({ created: 2, rejected: 3, rejects_file: fixture.path('rejects') });
    const rejects = await readFile(fixture.path('rejects'), 'utf8');
    expect(rejects.split('\n')).toEqual([
      '{"line":1,"field":"name","reason":"is given twice","domain":"a.com","name":"A","name":"B"}',
      expect.stringMatching(
        /^\{"line":2,"field":"x","reason":"has .* digits.*", "domain" : "b.com", "x": 1.0000000000000001 \}$/,
      ),
      '{"line":5,"field":"","reason":"is not a JSON object","text":"no JSON"}',
      '',
    ]);
    // Another program may write the same JSON with other spaces.
    const rewritten = rejects.replace('{"line":1,"field":', '{"line": 1, "field": ').replace(',"name":"B"', '');
    await fixture.write('again.jsonl', rewritten);
    expect(report(await importExported('again.jsonl', url, '--rejects', fixture.path('more')))).toMatchObject({
      created: 1,
      rejected: 2,
    });
    expect(requests.at(-1)?.body).toEqual({ domain: 'a.com', name: 'A' });
    expect((await readFile(fixture.path('more'), 'utf8')).split('\n')[0]).toMatch(
      /^\{"line":2,"field":"x","reason":"has [^"]*", "domain" : "b.com", "x": 1.0000000000000001 \}$/,
    );
  });

  it('is never the imported file, even under another name of it', async () => {
    const { url } = await fixture.start();
    const csv = 'line,field,reason,Name,Value,Domain\n2,,no,A,1,a.com\n';
    await fixture.write('deals.csv', csv);
    const before = await readdir(fixture.directory);
    const sameFile = `${fixture.directory}/../${basename(fixture.directory)}/deals.csv`;
    const result = await fixture.import(csv, url, ['--rejects', sameFile]);
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--rejects must not be the file') });
    expect(await readdir(fixture.directory)).toEqual(before);
  });
});

describe('crm import, a duplicated column', () => {
  it.each(['domain,name,industry,name\nb.com,A,I,B\n', 'domain,name, name \nb.com,A,B\n'])(
    'is refused in the header of an exported file: %j',
    async (content) => {
      const { url, requests } = await fixture.start();
      await fixture.write('accounts.csv', content);
      const result = await importExported('accounts.csv', url, '--read-url', url);
      expect(result).toMatchObject({
        exitCode: 78,
        stderr: expect.stringMatching(/The header line of \S+accounts\.csv has "name" more than once/),
      });
      expect(requests).toHaveLength(0);
    },
  );

  it('is refused if the mapping uses it, and ignored otherwise', async () => {
    const { url } = await fixture.start();
    const result = await fixture.import('Name,Value,Domain,Value\nA,1,a.com,2\n', url);
    expect(result).toMatchObject({ exitCode: 78, stderr: expect.stringContaining('has 2 columns "Value"') });
    expect(report(await fixture.import('Name,Value,Domain,x,x\nA,1,a.com,2,3\n', url))).toMatchObject({ created: 1 });
  });
});

describe('crm import, --pipeline', () => {
  it('is refused for objects without pipelines', async () => {
    const { url, requests } = await fixture.start();
    await fixture.write('accounts.jsonl', '{"domain":"a.com"}');
    const exported = await importExported('accounts.jsonl', url, '--pipeline', 'Sales');
    await fixture.write('deals.yaml', 'object: account\nfields: { domain: { column: Domain } }');
    const mapped = await fixture.import(deals(1), url, ['--pipeline', 'Sales']);
    const stderr = expect.stringContaining('--pipeline applies only to opportunities, not to accounts.');
    expect([exported, mapped]).toEqual([
      expect.objectContaining({ exitCode: 2, stderr }),
      expect.objectContaining({ exitCode: 2, stderr }),
    ]);
    expect(requests).toHaveLength(0);
  });
});
