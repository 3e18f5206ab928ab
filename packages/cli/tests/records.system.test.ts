import { randomUUID } from 'node:crypto';
import { createClient, type CrmClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { setupTools } from '@crm/testing/suites';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCrm } from './run-crm.js';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

const { databaseUrl, readUrl, inboundUrl } = readTestStack();
let administered: AdministeredDatabase;
let client: CrmClient;
let apiKey: string;
let pipelineId: string;

beforeAll(async () => {
  administered = administer(databaseUrl);
  const organizationId = await administered.createOrganization();
  const stages = [{ label: 'Open' }];
  const tools = setupTools(administered.database);
  ({ id: pipelineId } = await tools.createPipeline({ organizationId, name: 'Sales', stages }));
  const groups = 'list,search,inbound,delete';
  const key = await administered.crmJson('key', 'create', '--org', organizationId, '--allow', groups);
  apiKey = String(key['api_key']);
  client = createClient({ readUrl, inboundUrl, apiKey });
});
afterAll(() => administered.close());

/** Runs a command on the gateway that it needs. */
const crm = (command: 'duplicates' | 'merge' | 'restore', ...args: string[]) =>
  runCrm([command, ...args, '--url', command === 'duplicates' ? readUrl : inboundUrl, '--api-key', apiKey]);
const account = async (domain: string, name: string): Promise<string> =>
  (await client.accounts.create({ domain, name })).data.company_id;

describe('crm restore', () => {
  it('restores a deleted account by its id, and says which deletion is not there', async () => {
    const id = await account('acme.example', 'Acme');
    await client.accounts.delete(id);
    expect((await crm('restore', 'account', id)).stdout).toBe(`Restored account ${id}.\n`);
    expect((await client.accounts.get(id)).version).toBe(2);
    expect((await crm('restore', 'account', id)).stderr).toMatch(/ has this domain \(request \S+\)\n$/);
    const unknown = randomUUID();
    const refused = await crm('restore', 'opportunity', unknown);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(`The change log retains no deletion of the opportunity ${unknown}.`);
  });
});

describe('crm duplicates and crm merge', () => {
  it('lists a duplicate, shows its merge in a dry run, and merges it', async () => {
    const keep = await account('orchid-works.com', 'Orchid Works');
    const from = await account('orchidworks.com', 'Orchid Works');
    for (const account_domain of ['orchid-works.com', 'orchidworks.com']) {
      const opportunity = { name: 'Same deal' };
      await client.opportunities.create({ pipeline_id: pipelineId, opportunity, related_objects: { account_domain } });
    }
    await client.contacts.create({ email: 'ann@orchidworks.com' });
    const shown = await crm('duplicates', 'account');
    expect(shown).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        `${keep} +orchid-works.com +${from} +orchidworks.com +Orchid Works +same_name_near_domain`,
      ),
    });
    const listed = await crm('duplicates', 'account', '--json', '--limit', '1');
    expect(JSON.parse(listed.stdout)).toMatchObject({ duplicates: [{ id: from, candidates: [{ id: keep }] }] });

    const dry = await crm('merge', 'account', keep, from, '--dry-run');
    expect(dry.stdout).toContain(`Would merge account ${from} into ${keep}.`);
    expect(dry.stdout).toContain('Same name: "Same deal"');
    expect(dry.stdout).toContain('Without --merge-deals the merge is refused');
    const refused = await crm('merge', 'account', keep, from);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/\(request \S+\)\. --dry-run lists/)]);
    expect((await client.accounts.get(from)).data.account.id).toBe(from);

    const merged = await crm('merge', 'account', keep, from, '--merge-deals', '--json');
    const counts = { contacts: 1, merged_opportunities: 1 };
    expect(JSON.parse(merged.stdout)).toMatchObject({ id: keep, from, dry_run: false, ...counts });
    expect(merged.exitCode).toBe(0);
    expect((await crm('duplicates', 'account')).stdout).not.toContain(from);
  });

  it('merges records by domain, and says what is not there', async () => {
    const kept = await account('kept.example', 'Kept');
    const gone = await account('gone.example', 'Gone');
    const merge = (...args: string[]) => crm('merge', 'account', ...args, '--read-url', readUrl);
    expect((await merge('kept.example', 'gone.example')).stdout).toContain(`Merged account ${gone} into ${kept}.`);
    for (const text of ['other.example', 'no domain'])
      expect((await merge(text, 'gone.example')).stderr).toContain(`There is no account ${text}.`);
    expect(await crm('merge', 'account', 'kept.example', 'gone.example')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('kept.example is not an id'),
    });
  });

  it('reports unknown records, a wrong key and a wrong object', async () => {
    const unknown = randomUUID();
    const known = await account('known.com', 'Known');
    const noKeep = await crm('merge', 'account', unknown, known);
    expect(noKeep).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.not.stringContaining('Check --url') });
    const noFrom = await crm('merge', 'account', known, unknown);
    expect(noFrom).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(/\(request \S+\)\n$/) });
    const wrongKey = await runCrm(['duplicates', 'contact', '--url', readUrl, '--api-key', 'crm_live_x']);
    expect([wrongKey.exitCode, wrongKey.stderr]).toEqual([1, expect.stringContaining('have the groups search')]);
    expect((await crm('merge', 'opportunity', known, known)).exitCode).toBe(2);
    expect((await runCrm(['merge', 'account', known, known, '--api-key', 'x'])).exitCode).toBe(2);
  });
});
