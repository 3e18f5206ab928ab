import type { CrmClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { runCrm } from './support/run-crm.js';
import { setUpOrganization } from './support/two-organizations.js';

const stack = readTestStack();
/** The addresses of the gateways that `duplicates` reads from and `merge` writes to. */
const urls: Readonly<Record<string, string>> = { duplicates: stack.readUrl, merge: stack.inboundUrl };
let client: CrmClient;
let key: string;

beforeAll(async () => {
  const own = await setUpOrganization(stack);
  ({ client } = own);
  ({ key } = own.organization);
});

const crm = (args: readonly string[], apiKey = key) =>
  runCrm([...args, '--url', urls[args[0] ?? ''] ?? '', '--api-key', apiKey]);
const account = async (domain: string, name: string): Promise<string> =>
  (await client.accounts.create({ domain, name })).data.company_id;
const deal = async (domain: string): Promise<void> => {
  const { data } = await client.pipelines.list().page();
  await client.opportunities.create({
    pipeline_id: data.pipelines[0]?.pipeline_id ?? '',
    opportunity: { name: 'Same deal' },
    related_objects: { account_domain: domain },
  });
};

describe('crm duplicates and crm merge', () => {
  test('lists a duplicate, shows its merge in a dry run, and merges it', async () => {
    const keep = await account('orchid-works.com', 'Orchid Works');
    const from = await account('orchidworks.com', 'Orchid Works');
    for (const domain of ['orchid-works.com', 'orchidworks.com']) await deal(domain);
    await client.contacts.create({ email: 'ann@orchidworks.com' });

    const shown = await crm(['duplicates', 'account']);
    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toMatch(
      new RegExp(`${keep} +orchid-works.com +${from} +orchidworks.com +Orchid Works +same_name_near_domain`),
    );
    const listed = await crm(['duplicates', 'account', '--json', '--limit', '1']);
    const { duplicates } = JSON.parse(listed.stdout) as { duplicates: { id: string; candidates: { id: string }[] }[] };
    expect(duplicates).toMatchObject([{ id: from, candidates: [{ id: keep }] }]);

    const dry = await crm(['merge', 'account', keep, from, '--dry-run']);
    expect(dry.stdout).toContain(`Would merge account ${from} into ${keep}.`);
    expect(dry.stdout).toContain('Same name: "Same deal"');
    expect(dry.stdout).toContain('Without --merge-deals the merge is refused');
    const refused = await crm(['merge', 'account', keep, from]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('--merge-deals merges them')]);
    expect((await client.accounts.get(from)).data.account.id).toBe(from);

    const merged = await crm(['merge', 'account', keep, from, '--merge-deals', '--json']);
    const counts = { contacts: 1, merged_opportunities: 1 };
    expect(JSON.parse(merged.stdout)).toMatchObject({ id: keep, from, dry_run: false, ...counts });
    expect(merged.exitCode).toBe(0);
    expect((await crm(['duplicates', 'account'])).stdout).not.toContain(from);
  });

  test('reports unknown records, a wrong key and a wrong object', async () => {
    const unknown = '01890000-0000-7000-8000-000000000000';
    const keep = await account('known.com', 'Known');
    for (const args of [
      [unknown, keep],
      [keep, unknown],
    ]) {
      const answer = await crm(['merge', 'account', ...args]);
      expect([answer.exitCode, answer.stdout]).toEqual([1, '']);
      expect(answer.stderr).not.toContain('Check --url');
    }
    const wrongKey = await crm(['duplicates', 'contact'], 'crm_live_x');
    expect([wrongKey.exitCode, wrongKey.stderr]).toEqual([1, expect.stringContaining('have the groups search')]);
    expect((await crm(['merge', 'opportunity', keep, keep])).exitCode).toBe(2);
    expect((await runCrm(['merge', 'account', keep, keep, '--api-key', 'x'])).exitCode).toBe(2);
  });
});
