import * as api from '@crm/contract';
import type { OperationContract } from '@crm/contract';
import { type Answer, EventFold, reportFigure } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { eventsAfter, storedRecords } from './support/logged-records.js';
import { type Call, type Races, startRaces } from './support/races.js';

const rounds = Number(process.env['MERGE_ROUNDS'] ?? 8);

let races: Races;
beforeAll(async () => {
  races = await startRaces();
});
afterAll(() => races.gateway.stop());

/** Why single calls may be refused: a record is gone, still in use, or has another key. */
const expected = new Set([200, 400, 404, 409]);
/** Merges that succeeded during their race. */
let mergedInRaces = 0;

/** Repeats a call while the answer is 503, which means that the call changed nothing. */
const answerOf = async (call: Call): Promise<Answer> => {
  // A test that never gets another answer reports the last 503.
  for (let tries = 1; ; tries += 1) {
    const answer = await races.send(call);
    if (answer.status !== 503 || tries === 1_000) return answer;
  }
};

/** Sends all calls at once, in an order rotated by the round. The first call in the list is the merge. */
const race = async (round: number, calls: readonly Call[]): Promise<Answer[]> => {
  const start = (round * 7) % calls.length;
  const rotated = await Promise.all([...calls.slice(start), ...calls.slice(0, start)].map(answerOf));
  const answers = [...rotated.slice(calls.length - start), ...rotated.slice(0, calls.length - start)];
  const failed = answers.filter(({ status }) => !expected.has(status));
  expect(failed.map(({ status, text }) => `${status} ${text.slice(0, 300)}`)).toEqual([]);
  if (answers[0]?.status === 200) mergedInRaces += 1;
  return answers;
};

const post = (contract: OperationContract, body: object, query?: Readonly<Record<string, string>>): Call => [
  contract,
  { body, query },
];
const change = (contract: OperationContract, id: string, body: object): Call => [contract, { params: { id }, body }];
const remove = (contract: OperationContract, id: string): Call => [contract, { params: { id } }];
const idOf = async (call: Call): Promise<string> => Object.values((await answerOf(call)).data as object)[0] as string;
const deal = (name: string, related: object): object => ({
  pipeline_id: races.gateway.organization.pipeline.id,
  opportunity: { name },
  related_objects: related,
});
const note = (title: string, on: object): Call => post(api.createNote, { note: { title }, ...on });

/** The ids in the answers of single and bulk creates. */
const createdIds = (answers: readonly Answer[], calls: readonly Call[], contracts: readonly OperationContract[]) =>
  answers.flatMap((answer, index): string[] => {
    const contract = calls[index]?.[0];
    if (answer.status !== 200 || contract === undefined || !contracts.includes(contract)) return [];
    const data = answer.data as { results?: { id: string | null }[] } & Record<string, unknown>;
    const ids = data.results?.map(({ id }) => id) ?? [Object.values<unknown>(data)[0] as string];
    return ids.filter((id) => id !== null);
  });

/** The ids that a table lacks, except those that were deleted or merged into a record that exists or was deleted. */
const lost = async (table: string, ids: readonly string[], deleted: readonly string[]): Promise<unknown[]> =>
  races.gateway.rows(
    `SELECT i AS id FROM unnest($2::uuid[]) i WHERE i <> ALL ($3::uuid[])
       AND NOT EXISTS (SELECT FROM ${table} r WHERE r.organization_id = $1 AND r.id = i)
       AND NOT EXISTS (SELECT FROM merged_records m WHERE m.organization_id = $1 AND m.id = i AND (m.merged_into = ANY ($3::uuid[])
             OR EXISTS (SELECT FROM ${table} r WHERE r.organization_id = $1 AND r.id = m.merged_into)))`,
    [ids, deleted],
  );

/** Checks that every record in an answer still exists, unless a call deleted it. */
const expectNothingLost = async (answers: readonly Answer[], calls: readonly Call[]): Promise<void> => {
  const deleted = calls.flatMap(([contract, request]) =>
    contract.method === 'delete' ? [(request as { params: { id: string } }).params.id] : [],
  );
  const made: [table: string, ...contracts: OperationContract[]][] = [
    ['contacts', api.createContact, api.bulkCreateContacts],
    ['opportunities', api.createOpportunity, api.bulkCreateOpportunities],
    ['notes', api.createNote],
    ['accounts', api.createAccount],
  ];
  for (const [table, ...contracts] of made) {
    const ids = createdIds(answers, calls, contracts);
    // Without any id the check would prove nothing.
    if (calls.some(([contract]) => contracts.includes(contract))) expect(ids).not.toEqual([]);
    expect(await lost(table, ids, deleted)).toEqual([]);
  }
};

/** Checks that each key names one record: no record has a key that is another record's alias. */
const expectNoDoubleKeys = async (): Promise<void> => {
  const text = `SELECT domain AS key FROM accounts JOIN account_aliases USING (organization_id, domain) WHERE organization_id = $1
    UNION ALL SELECT email FROM contacts JOIN contact_aliases USING (organization_id, email) WHERE organization_id = $1`;
  expect(await races.gateway.rows(text)).toEqual([]);
};

const fold = new EventFold();
/** Reads the events of the round and compares the log with the records. */
const expectLogged = async (): Promise<void> => {
  const { id } = races.gateway.organization;
  for (const event of await eventsAfter(races.gateway.database, id, fold.position, 100_000)) fold.add(event);
  expect(fold.faults).toEqual([]);
  expect(fold.differences(await storedRecords(races.gateway.database, id))).toEqual([]);
};

const expectSound = async (answers: readonly Answer[], calls: readonly Call[]): Promise<void> => {
  await expectNothingLost(answers, calls);
  await expectNoDoubleKeys();
  await expectConsistent(races.gateway);
  await expectLogged();
};

describe('R28: a merge racing with creates, updates and deletes of both records', () => {
  test('merges accounts', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [kept, gone] = [`kept${round}.com`, `gone${round}.com`];
      const id = await idOf(post(api.createAccount, { domain: kept }));
      const from = await idOf(post(api.createAccount, { domain: gone, industry: 'Steel' }));
      const person = await idOf(post(api.createContact, { email: `first@${gone}` }));
      const deals = await Promise.all(
        ['A', 'B', 'C'].map((name) => idOf(post(api.createOpportunity, deal(name, { account_domain: gone })))),
      );
      const same = await idOf(post(api.createOpportunity, deal('Same', { account_domain: kept })));
      const ofFirst = { primary_contact_email: `first@${gone}` };
      const double = await idOf(post(api.createOpportunity, deal('Same', { account_domain: gone, ...ofFirst })));
      await idOf(note('On both', { account_domains: [kept, gone] }));
      const calls: Call[] = [
        change(api.mergeAccount, id, { from, deals: 'merge' }),
        post(api.createContact, { email: `new@${gone}`, first_name: 'New' }),
        post(api.createContact, { email: `first@${gone}`, job_title: 'CTO' }, { on_match: 'update' }),
        post(api.bulkCreateContacts, { items: [0, 1, 2].map((n) => ({ email: `bulk${n}@${n === 1 ? kept : gone}` })) }),
        post(api.createOpportunity, deal('New', { account_domain: gone })),
        post(api.createOpportunity, deal('Same', { account_domain: gone, primary_contact_email: `z@${gone}` })),
        post(api.createOpportunity, deal('New', { account_domain: kept, ...ofFirst })),
        post(api.bulkCreateOpportunities, { items: [kept, gone].map((one) => deal('Bulk', { account_domain: one })) }),
        post(api.createAccount, { domain: gone, description: 'Made again' }, { on_match: 'update' }),
        post(api.createAccount, { domain: gone }),
        note('On gone', { account_domains: [gone], contact_emails: [`first@${gone}`] }),
        note('On all', { account_domains: [gone, kept], contact_emails: [`other@${gone}`] }),
        note('On deals', { account_domains: [gone], related_objects: { opportunity_ids: [same, double, ...deals] } }),
        note('On one deal', { related_objects: { opportunity_ids: [double] } }),
        note('On moved deals', { contact_emails: [`other@${gone}`], related_objects: { opportunity_ids: deals } }),
        change(api.updateAccount, from, { name: `Gone ${round}` }),
        change(api.updateAccount, id, { name: `Kept ${round}` }),
        [api.bulkUpdateAccounts, { body: { items: [id, from].map((one) => ({ id: one, website: 'a.com' })) } }],
        change(api.updateOpportunity, deals[0] ?? '', { opportunity: { name: 'New' } }),
        change(api.updateOpportunity, same, { opportunity: { name: 'A' } }),
        change(api.updateContact, person, { last_name: 'Last' }),
        remove(api.deleteOpportunity, deals[2] ?? ''),
        remove(api.deleteAccount, round % 2 === 0 ? from : id),
      ];
      const answers = await race(round, calls);
      await expectSound(answers, calls);
      // A name conflict from the race may have refused the merge: repeat it.
      const merged = await answerOf(change(api.mergeAccount, id, { from, deals: 'merge' }));
      const [first] = answers;
      expect([first?.status, merged.status]).toContain(200);
      expect(await idOf(post(api.createAccount, { domain: gone }))).toBe(id);
      const left = await races.gateway.rows(
        `SELECT c.email FROM contacts c WHERE c.organization_id = $1 AND c.email LIKE $2 AND c.account_id <> $3`,
        [`%@${gone}`, id],
      );
      expect(left).toEqual([]);
      await expectLogged();
    }
  });

  test('wins at least once', () => {
    reportFigure('R28', `merges of ${rounds} that succeeded while they raced`, mergedInRaces, 'at least 1');
    expect(mergedInRaces).toBeGreaterThan(0);
  });

  test('causes no deadlock', async () => {
    await races.expectNoDeadlocks('R28', `${rounds} rounds of merges of accounts`);
  });
});
