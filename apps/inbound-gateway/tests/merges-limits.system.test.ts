import { mergeAccount } from '@crm/contract';
import { expect, test } from '@jest/globals';
import { recordsOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { account, opportunity, changeAccount } = recordsOf(gateway);

const merge = (id: string, body: object) => gateway().client.call(mergeAccount, { params: { id }, body });

test.each([
  ['changes', 2_001, 0, /^One merge changes at most 2000 opportunities: delete or move some first$/],
  ['merges', 501, 501, /^One merge merges at most 500 pairs of opportunities with the same pipeline and name: rename/],
])('409: more opportunities than one merge %s', async (name, ofFrom, ofKept, message) => {
  const [id, from] = [await account({ domain: `small-${name}.com` }), await account({ domain: `large-${name}.com` })];
  for (const [owner, count] of [
    [from, ofFrom],
    [id, ofKept],
  ])
    await gateway().rows(
      `INSERT INTO opportunities (organization_id, id, pipeline_id, account_id, account_key, name, normalized_name, record, search_text, created_at, updated_at)
       SELECT $1, gen_random_uuid(), $2::uuid, $3::uuid, $3, 'Large ' || n, 'large ' || n, '', 'large ' || n, now(), now() FROM generate_series(1, $4::int) n`,
      [gateway().organization.pipeline.id, owner, count],
    );
  const answers = [];
  for (const dry_run of [false, true]) answers.push(await merge(id, { from, deals: 'merge', dry_run }));
  await gateway().rows(`DELETE FROM opportunities WHERE organization_id = $1 AND name LIKE 'Large %'`);
  for (const { status, body } of answers) expect([status, body.message]).toEqual([409, expect.stringMatching(message)]);
});

test('409: more bytes of contacts, notes, and moved and renamed opportunities than one merge changes', async () => {
  const [id, from] = [await account({ domain: 'kept-bytes.com' }), await account({ domain: 'bytes.com' })];
  // The kept account gets the name of the other one, so its opportunities change too.
  await changeAccount(id, { name: null });
  const large = `now(), now(), repeat('x', 245000) FROM generate_series(1, 9) n`;
  const fill = (text: string, ...values: readonly unknown[]) => gateway().rows(text.replace('LARGE', large), values);
  await fill(
    `INSERT INTO contacts (organization_id, id, account_id, email, search_text, created_at, updated_at, custom_fields)
     SELECT $1, gen_random_uuid(), $2, n || '@bytes.com', 'large', c, u, jsonb_build_object('a', t) FROM (SELECT n, LARGE) l (n, c, u, t)`,
    from,
  );
  await fill(
    `WITH added AS (INSERT INTO notes (organization_id, id, search_text, created_at, updated_at, content)
       SELECT $1, gen_random_uuid(), 'large', LARGE RETURNING organization_id, id)
     INSERT INTO note_accounts (organization_id, note_id, account_id) SELECT organization_id, id, $2 FROM added`,
    from,
  );
  for (const owner of [id, from])
    await fill(
      `INSERT INTO opportunities (organization_id, id, pipeline_id, account_id, account_key, name, normalized_name, search_text, created_at, updated_at, record)
       SELECT $1, gen_random_uuid(), $2::uuid, $3::text::uuid, $3, concat($3, n), 'large', 'large', LARGE`,
      gateway().organization.pipeline.id,
      owner,
    );
  const answers = [];
  for (const dry_run of [false, true]) answers.push(await merge(id, { from, dry_run }));
  for (const table of ['notes', 'contacts', 'opportunities']) {
    await gateway().rows(`DELETE FROM ${table} WHERE organization_id = $1 AND search_text = 'large'`);
    answers.push(await merge(id, { from, dry_run: true }));
  }
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 200, 200, 200]);
  for (const { body } of answers.slice(0, 2))
    expect(body.message).toBe('One merge changes records with at most 8 MB of values: delete or move some first');
});

test('409: opportunities that together have too many additional contacts, also in a dry run', async () => {
  const domains = ['few-contacts.com', 'many-contacts.com'];
  const [id = '', from] = await Promise.all(domains.map((domain) => account({ domain })));
  for (const account_domain of domains) {
    const additional_contact_emails = Array.from({ length: 51 }, (_, n) => `c${n}@${account_domain}`);
    await opportunity({ name: 'Crowded' }, { account_domain, additional_contact_emails });
  }
  const message = 'A merged opportunity would have more than 100 additional contacts: remove some first';
  for (const dry_run of [true, false]) {
    const { status, body } = await merge(id, { from, deals: 'merge', dry_run });
    expect([status, body.message]).toEqual([409, message]);
  }
  expect((await merge(id, { from, dry_run: true })).status).toBe(200);
});
