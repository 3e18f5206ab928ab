import { spawnSync } from 'node:child_process';
import { loadSetup, type OrganizationSetup } from '@crm/db';
import { setupTools } from '@crm/testing/suites';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { responseText } from '../src/api/response-table.js';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

let administered: AdministeredDatabase;
let org: string;

beforeAll(() => {
  administered = administer(readTestStack().databaseUrl);
});
afterAll(() => administered.close());
beforeEach(async () => {
  org = await administered.createOrganization();
  const tools = setupTools(administered.database);
  const stages = ['Open', 'Talks', 'Won'].map((label) => ({ label }));
  await tools.createPipeline({ organizationId: org, name: 'Sales', stages });
  for (const email of ['ann@acme.com', 'bob@acme.com'])
    await tools.addMember({ organizationId: org, email, name: email });
});

/** Runs a command on the organization. */
const run = (...args: string[]): Promise<Record<string, unknown>> => administered.crmJson(...args, '--org', org);

/** Runs a command that must fail, with this exit code and a message with this text. */
const refuses = async (exitCode: number, text: string, ...args: string[]): Promise<void> => {
  const stderr = expect.stringContaining(text) as unknown;
  expect(await administered.crm(...args, '--org', org)).toMatchObject({ exitCode, stderr });
};

const storedSetup = (): Promise<OrganizationSetup> => loadSetup(administered.database, org);

const query = (text: string): Promise<Record<string, unknown>[]> =>
  administered.database.query(org, { text, values: [] });

/** Adds deals in the stage Talks, with the owner Ann. */
const addDeals = (count: number) =>
  query(`INSERT INTO opportunities (organization_id, id, pipeline_id, stage_id, account_key, name, normalized_name, owner_id, record, search_text, created_at, updated_at)
    SELECT $1, gen_random_uuid(), s.pipeline_id, s.id, '', 'Deal ' || n, '', m.id, '{}', '', now(), now()
      FROM generate_series(1, ${count}) n, stages s, members m
     WHERE s.organization_id = $1 AND s.label = 'Talks' AND m.organization_id = $1 AND m.email = 'ann@acme.com'`);

describe('crm migrate and crm org', () => {
  it('migrate reports that there is nothing to do', async () => {
    expect(await administered.crmJson('migrate')).toEqual({ applied: [] });
  });

  it('create and list organizations; the terminal shows no control characters of their names', async () => {
    const steering = '\u001b]0;owned\u0007\u001b[2J\u202e\r';
    const created = await administered.crmJson('org', 'create', `Evil ${steering} Corp`, '--freemail', 'skip');
    const { organizations } = await administered.crmJson('org', 'list');
    expect(organizations).toContainEqual(
      expect.objectContaining({ ...created, freemail: 'skip', name: `Evil ${steering} Corp` }),
    );
    const listed = await administered.crm('org', 'list');
    expect(listed.stdout).toContain('Evil');
    const refused = await administered.crm('api', 'GET', '/v1/members', '--org', `x${steering}`);
    expect(refused.exitCode).not.toBe(0);
    for (const text of [listed.stdout, refused.stderr]) expect(text).toMatch(/^[\P{C}\n\t]*$/u);
  });

  it('update clears the currency, and names the option of a bad one', async () => {
    await run('org', 'update', '--currency', 'EUR');
    expect(await run('org', 'update', '--currency', 'none')).toMatchObject({ currency: null });
    await refuses(2, '--currency', 'org', 'update', '--currency', 'euro');
  });
});

describe('crm api', () => {
  const stages = '[{"label":"Open"},{"label":"Won"}]';
  const dataOf = async (...args: string[]) =>
    (await run('api', ...args))['data'] as Record<string, Record<string, unknown>>;

  it('takes texts, numbers, lists and objects as the operation takes them', async () => {
    const { pipeline } = await dataOf('POST', '/v1/inbound/pipelines', '-f', 'name=2026', '-f', `stages=${stages}`);
    expect(pipeline).toMatchObject({ name: '2026', is_active: true });
    const path = `v1/inbound/pipelines/${String(pipeline?.['pipeline_id'])}/stages`;
    const added = await dataOf('POST', path, '-f', 'label=Sent', '-f', 'position=2', '-f', 'probability=5.5');
    expect(added['stage']).toMatchObject({ label: 'Sent', stage_order: 2, probability: 5.5 });
    const field = ['object=account', 'slug=seats', 'current_name=Seats', 'attribute_type=number'];
    await run('api', 'POST', '/v1/inbound/fields', ...field.flatMap((one) => ['-f', one]));
    const domain = ['-f', 'domain=acme.com'];
    await run('create', 'account', ...domain, '-F', 'custom_fields.seats=25');
    const { data } = await run('get', 'account', 'acme.com', '-f', 'fields=custom__seats');
    expect(data).toMatchObject({ account: { custom_fields: { seats: 25 } } });
  });

  it('stops where a value has two readings, or none, and shows them', async () => {
    const create = ['create', 'account', '-f', 'domain=a.com'];
    await refuses(
      2,
      "-F 'custom_fields.seats=5' or -F 'custom_fields.seats=\"5\"'",
      ...create,
      '-f',
      'custom_fields.seats=5',
    );
    await refuses(2, 'null can be a null or a text', ...create, '-f', 'industry=null');
    const search = ['api', 'POST', '/v1/accounts/search', '-f', 'limit=many'];
    await refuses(2, '"many" must be', ...search);
    await refuses(2, 'is not JSON', ...create, '-F', 'custom_fields.seats=five');
    await refuses(2, 'must be NAME=VALUE', ...create, '-f', 'industry');
    await refuses(2, '__proto__', ...create, '-F', 'custom_fields.__proto__=1');
    await refuses(2, '__proto__', ...create, '-F', '__proto__.polluted=1');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    await refuses(2, 'is given twice', ...create, '-f', 'domain=b.com');
    await refuses(2, 'more digits', ...create, '-F', 'custom_fields.seats=12345678901234567890');
  });

  it('names the operations at a path that has no such method, or near one', async () => {
    await refuses(2, 'GET /v1/accounts/{id}', 'api', 'PUT', '/v1/accounts/x');
    await refuses(2, 'POST /v1/accounts/search', 'api', 'GET', '/v1/account/x/search');
    const { operations } = await run('api', '--list');
    expect(operations).toContainEqual(expect.objectContaining({ operation: 'createNote', path: '/v1/inbound/notes' }));
  });

  it('reads all pages, one record a line', async () => {
    const domains = Array.from({ length: 5 }, (_, index) => `page-${index}.com`);
    await administered.api(org, 'POST /v1/inbound/accounts/bulk', { items: domains.map((domain) => ({ domain })) });
    for (const call of [
      ['api', 'GET', '/v1/accounts', '-f', 'limit=2'],
      ['search', 'account', '-f', 'limit=2'],
    ]) {
      const { stdout } = await administered.crm(...call, '--paginate', '--org', org);
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { domain: string });
      expect(lines.map(({ domain }) => domain).sort()).toEqual(domains);
    }
    await refuses(2, 'has no pages', 'api', 'GET', '/v1/key', '--paginate');
  });

  it('repeats a call that moves opportunities in steps', async () => {
    await addDeals(201);
    const { pipelines } = (await dataOf('GET', '/v1/pipelines')) as unknown as { pipelines: { pipeline_id: string }[] };
    const { members } = (await dataOf('GET', '/v1/members')) as unknown as {
      members: { member_id: string; email: string }[];
    };
    expect(pipelines).toHaveLength(1);
    const [ann = '', bob = ''] = ['ann', 'bob'].map(
      (name) => members.find(({ email }) => email.startsWith(name))?.member_id,
    );
    await refuses(1, 'opportunities', 'api', 'DELETE', `/v1/inbound/members/${ann}`);
    await run('api', 'DELETE', `/v1/inbound/members/${ann}`, '-f', `reassign_to=${bob}`);
    expect((await storedSetup()).members.map(({ email }) => email)).toEqual(['bob@acme.com']);
  });

  it('prints what the API refuses: by field for people, the whole response for scripts', async () => {
    const args = ['api', 'POST', '/v1/inbound/members', '{"email":"no address"}', '--org', org];
    const refused = await administered.crm(...args);
    expect(refused).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/HTTP 400[^]*\n {2}email: /),
    });
    const { stdout } = await administered.crm(...args, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      error: { exit_code: 2, response: { success: false, statusCode: 400 } },
    });
  });
});

describe('crm completion', () => {
  it('completes commands, and the paths of a method, in bash', async () => {
    const { stdout } = await administered.crm('completion', 'bash');
    const complete = (...line: string[]) => {
      const call = `COMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1}; _crm`;
      const { stdout: found } = spawnSync('bash', ['-c', `${stdout}\n${call}; printf '%s\\n' "\${COMPREPLY[@]}"`]);
      return found.toString().trim().split('\n');
    };
    expect(complete('crm', 'import')).toEqual(['import', 'import-all']);
    expect(complete('crm', 'api', 'P')).toEqual(['POST', 'PATCH']);
    expect(complete('crm', 'api', 'GET', '/v1/accounts/b')).toEqual(['/v1/accounts/by-domain/{domain}']);
  });
});

describe('responseText', () => {
  it('is a table of a list that says what it leaves out, and lines of one record', () => {
    const accounts = [
      { id: '1', name: 'Acme', domain: 'acme.com' },
      { id: '2', name: null, domain: 'b.com' },
    ];
    expect(responseText({ accounts, has_more: true, next_cursor: 'x', limit: 2 }, 12)).toBe(
      'id  name\n1   Acme\n2\nNot shown, for want of room: domain. All: --json\nThere are more: --paginate reads all',
    );
    expect(responseText({ account: accounts[0], custom_field_definitions: [] }, 80)).toBe(
      'id      1\nname    Acme\ndomain  acme.com',
    );
    expect(responseText({ notes: [], has_more: false }, 80)).toBe('There is none.');
  });
});
