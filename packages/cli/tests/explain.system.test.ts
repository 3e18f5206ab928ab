import { setupTools } from '@crm/testing/suites';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

interface Explained {
  readonly plans: readonly { readonly name: string; readonly part: string }[];
  readonly statements: readonly {
    readonly sql: string;
    readonly values: readonly unknown[];
    readonly buffers: number;
  }[];
  readonly totals: { readonly buffers: number; readonly milliseconds: number };
}

let administered: AdministeredDatabase;
let org: string;
let pipeline: string;

beforeAll(async () => {
  administered = administer(readTestStack().databaseUrl);
  org = await administered.createOrganization();
  const stages = [{ label: 'Lead' }, { label: 'Won' }];
  const tools = setupTools(administered.database);
  pipeline = (await tools.createPipeline({ organizationId: org, name: 'Sales', stages })).id;
});
afterAll(() => administered.close());

const explain = (...args: string[]) => administered.crm('explain', '--org', org, ...args);
const explainJson = async (...args: string[]): Promise<Explained> =>
  (await administered.crmJson('explain', '--org', org, ...args)) as unknown as Explained;

const range = JSON.stringify({ field: 'amount', operator: 'gt', value: 5 });

/** The steps of all statements, which their SQL names in comments. */
const stepsOf = ({ statements }: Explained): readonly (string | undefined)[] =>
  statements.flatMap(({ sql }) => [...sql.matchAll(/\/\* ([\w-]+) \*\//g)].map(([, step]) => step));

describe('crm explain', () => {
  it('prints the plan, the SQL with its values, and the totals', async () => {
    const { exitCode, stdout, stderr } = await explain('opportunities', '--pipeline', pipeline, '--limit', '50');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Plan: in-order\n {2}1\. in-order\n\nStatement 1 of 1: [\d.]+ ms planning \(the plan is reused\), /,
    );
    expect(stdout).toContain('\n    FROM opportunities r\n    WHERE ');
    expect(stdout).toContain(`$1 = "${org}"`);
    expect(stdout).toMatch(/\n\nTotal: 1 statement, [\d.]+ ms, [\d,]+ buffers?; 0 records\n$/);
  });

  it('prints the statement of a plan with steps', async () => {
    const explained = await explainJson('opportunities', '--filter', range, '--pipeline', pipeline);
    expect(explained.plans).toMatchObject([{ name: 'indexed-filter', part: 'all' }]);
    expect(stepsOf(explained)).toEqual(['scan-next', 'scan-next', 'sort-few', 'sort-matches']);
    expect(explained.totals.buffers).toBe(explained.statements.reduce((sum, { buffers }) => sum + buffers, 0));
    // Searches of contacts by words have a step too.
    expect(stepsOf(await explainJson('contacts', '--query', 'ann'))).toEqual(['scan-next', 'sort-matches']);
  });

  it('prints the conditions of steps, and the plans of both parts of an order', async () => {
    const { stdout } = await explain('opportunities', '--filter', range, '--pipeline', pipeline);
    expect(stdout).toContain('2. sort-few, if one condition has at most 2,000 matches\n  3. scan-next, 20,000 records');
    const sorted = await explain('opportunities', '--sort', 'amount:desc');
    expect(sorted.stdout).toContain('Plan of records with a value: union-pipelines');
    expect(sorted.stdout).toContain('Plan of records without a value: union-pipelines');
  });

  it('refuses the same requests as the gateway, with the same text for each field', async () => {
    const filter = JSON.stringify({ field: 'size', operator: 'gt', value: 5 });
    const refused = await explain('opportunities', '--filter', filter, '--limit', '501', '--sort', 'name:up');
    expect(refused.exitCode).toBe(2);
    for (const text of ['--filter field: ', '--limit: must be an integer from 1 to 500', '--sort [0]: must be asc or'])
      expect(refused.stderr).toContain(text);
    const unknown = await explain('opportunities', '--pipeline', '01890000-0000-7000-8000-000000000009');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('--pipeline: ')]);
    const noJson = await explain('opportunities', '--filter', 'amount>5');
    expect([noJson.exitCode, noJson.stderr]).toEqual([2, expect.stringContaining('Must be JSON')]);
  });
});
