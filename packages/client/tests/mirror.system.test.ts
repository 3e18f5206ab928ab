import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readTestStack, until } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestCrm, type TestCrm } from './support/crm.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const objects = ['account', 'contact', 'opportunity', 'note'] as const;
type Records = Record<string, Record<string, unknown>>;
type Copy = { log_id: string; position: number } & Record<(typeof objects)[number], Records>;

let crm: TestCrm;
let directory: string;
let mirror: ChildProcess | undefined;
const copyFile = (): string => join(directory, 'copy.json');

/** The code of the page, in a folder with the client installed. */
const installPage = async (): Promise<void> => {
  directory = await mkdtemp(join(tmpdir(), 'crm-mirror-'));
  await mkdir(join(directory, 'node_modules/@crm'), { recursive: true });
  await symlink(join(root, 'packages/client'), join(directory, 'node_modules/@crm/client'));
  const page = await readFile(join(root, 'docs/how-to/mirror-your-data.md'), 'utf8');
  const code = /```js\n(.*?)```/s.exec(page)?.[1];
  if (code === undefined) throw new Error('The page has no code');
  await writeFile(join(directory, 'mirror.mjs'), code);
};

const startMirror = (): void => {
  const env = { PATH: process.env['PATH'], CRM_READ_URL: crm.addresses.readUrl, CRM_API_KEY: crm.organization.key };
  mirror = spawn(process.execPath, ['mirror.mjs'], { cwd: directory, env, stdio: ['ignore', 'inherit', 'inherit'] });
};
const killMirror = async (): Promise<void> => {
  if (mirror === undefined || mirror.exitCode !== null) return;
  const ended = once(mirror, 'exit');
  mirror.kill('SIGKILL');
  await ended;
};

beforeAll(async () => {
  crm = await startTestCrm(readTestStack());
  await installPage();
});
afterAll(async () => {
  await killMirror();
  await crm.stop();
  await rm(directory, { recursive: true, force: true });
});

const readCopy = async (): Promise<Copy | null> =>
  readFile(copyFile(), 'utf8').then(
    (text) => JSON.parse(text) as Copy,
    () => null,
  );

/** Waits until the mirror has reached the end of the log. */
const caughtUp = async (): Promise<Copy> => {
  let copy: Copy | null = null;
  await until(async () => {
    const { data } = await crm.client.events.latest();
    copy = await readCopy();
    const isThere = copy?.log_id === data.log_id && copy.position === data.position;
    if (!isThere && mirror?.exitCode !== null) throw new Error('The mirror has ended');
    return isThere;
  }, 100);
  return copy as unknown as Copy;
};

/** The records of each object in the form of events. */
const recordSql: Readonly<Record<(typeof objects)[number], string>> = {
  account: 'SELECT account_event_record(r, additional_domains(r.organization_id, r.id)) AS record FROM accounts r',
  contact: 'SELECT contact_event_record(r, additional_emails(r.organization_id, r.id)) AS record FROM contacts r',
  opportunity: `SELECT opportunity_event_record(r, additional_contact_ids(r.organization_id, r.id)) AS record FROM opportunities r`,
  note: `SELECT note_event_record(r, note_links(r.organization_id, r.id)) AS record FROM notes r`,
};

/** A note may name deleted contacts, and its links have no order. */
const comparable = (records: Records, contacts: Records): Records =>
  Object.fromEntries(
    Object.entries(records).map(([id, record]) => {
      const ids = record['contact_ids'] as string[] | undefined;
      if (ids === undefined) return [id, record];
      const accountIds = (record['account_ids'] as string[]).toSorted();
      return [id, { ...record, account_ids: accountIds, contact_ids: ids.filter((one) => one in contacts).toSorted() }];
    }),
  );

const expectEqualToDatabase = async (copy: Copy): Promise<void> => {
  for (const object of objects) {
    const { rows } = await crm.database.pool.query<{ record: { id: string } }>(
      `${recordSql[object]} WHERE r.organization_id = $1`,
      [crm.organization.id],
    );
    const stored = Object.fromEntries(rows.map(({ record }) => [record.id, record as Record<string, unknown>]));
    expect(comparable(copy[object], copy.contact)).toEqual(comparable(stored, copy.contact));
  }
};

/** Creates, changes and deletes records of every kind. Some are shared with the other writers. */
const write = async (writer: number, rounds: number): Promise<void> => {
  const { client, organization } = crm;
  const pipeline_id = organization.pipeline.id;
  for (let round = 0; round < rounds; round++) {
    const domain = `shared${round % 5}.example`;
    const email = `w${writer}r${round}@${domain}`;
    const { data: deal } = await client.opportunities.create({
      pipeline_id,
      opportunity: { name: `Deal ${writer} ${round}`, deal_size: round + 0.5 },
      related_objects: { account_domain: domain, primary_contact_email: email },
    });
    const { data: contact } = await client.contacts.create({ email, first_name: `Ann ${round}` });
    const { data: account } = await client.accounts.create({ domain });
    const { data: note } = await client.notes.create({
      note: { title: `Note ${round}` },
      contact_emails: [email],
      related_objects: { opportunity_ids: [deal.opportunity_id] },
    });
    await client.accounts.update(account.company_id, { name: `Name ${writer} ${round}` });
    await client.opportunities.update(deal.opportunity_id, { opportunity: { next_step: `Step ${round}` } });
    await client.contacts.update(contact.people_id, { job_title: `Title ${round}` });
    if (round % 3 === 0) await client.opportunities.delete(deal.opportunity_id);
    if (round % 3 === 1) await client.contacts.delete(contact.people_id);
    if (round % 4 === 0) await client.notes.delete(note.note_id);
  }
};

describe('the mirror of docs/how-to/mirror-your-data.md', () => {
  test('equals the database although other clients wrote during its first copy and it was killed', async () => {
    await write(0, 10);
    const writers = Promise.all([1, 2, 3].map((writer) => write(writer, 30)));
    startMirror();
    await until(async () => (await readCopy()) !== null, 20);
    await sleep(500);
    await killMirror();
    startMirror();
    await writers;
    const copy = await caughtUp();
    expect(Object.keys(copy.opportunity).length).toBeGreaterThan(50);
    const onDeals = Object.values(copy.note).filter((note) => (note['opportunity_ids'] as string[]).length > 0);
    expect(onDeals.length).toBeGreaterThan(25);
    await expectEqualToDatabase(copy);
  });

  test('starts over if events expired while it was down', async () => {
    await caughtUp();
    await killMirror();
    await write(4, 3);
    const { pool } = crm.database;
    await pool.query('DELETE FROM events WHERE organization_id = $1', [crm.organization.id]);
    await pool.query('UPDATE event_heads SET oldest_position = position + 1 WHERE organization_id = $1', [
      crm.organization.id,
    ]);
    startMirror();
    await expectEqualToDatabase(await caughtUp());
  });

  test('starts over if the log is another one', async () => {
    const copy = await caughtUp();
    await killMirror();
    const stale = { lost: { id: 'lost' } };
    await writeFile(
      copyFile(),
      JSON.stringify({ ...copy, log_id: 'another', position: copy.position + 7, account: stale }),
    );
    startMirror();
    await expectEqualToDatabase(await caughtUp());
  });
});
