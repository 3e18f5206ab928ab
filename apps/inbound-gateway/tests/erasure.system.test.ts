import { randomBytes } from 'node:crypto';
import * as api from '@crm/contract';
import type { OperationContract } from '@crm/contract';
import { reportFigure, testSize } from '@crm/testing';
import { expect, test } from '@jest/globals';
import { recordsOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { contact, note, countOf } = recordsOf(gateway);

/** The values of the largest record that a request may send. They are random, so that the database cannot compress them. */
const largest = randomBytes(183_000).toString('base64');
/** Records per statement, so that each ends within its time limit. */
const filledAtOnce = 100;

/** Runs a statement that inserts `count` records. NUMBERED stands for the source of their numbers `n`. */
const fill = async (count: number, text: string, ...values: readonly unknown[]): Promise<void> => {
  for (let first = 1; first <= count; first += filledAtOnce) {
    const numbered = `FROM generate_series(${first}, ${Math.min(count, first + filledAtOnce - 1)}) n`;
    await gateway().rows(text.replace('NUMBERED', numbered), values);
  }
};

const fillDeals = (count: number, contactId: string) =>
  fill(
    count,
    `INSERT INTO opportunities (organization_id, id, pipeline_id, account_key, name, normalized_name, contact_id, contact_email, custom_fields, record, search_text, created_at, updated_at)
     SELECT $1, gen_random_uuid(), $2::uuid, '', 'Large ' || n, 'large', $3::uuid, 'large@people.com', jsonb_build_object('large', $4::text), $4, 'large', now(), now() NUMBERED`,
    gateway().organization.pipeline.id,
    contactId,
    largest,
  );

const fillNotes = (count: number, contactId: string) =>
  fill(
    count,
    `WITH added AS (INSERT INTO notes (organization_id, id, content, search_text, created_at, updated_at)
       SELECT $1, gen_random_uuid(), $3::text, 'large', now(), now() NUMBERED RETURNING organization_id, id)
     INSERT INTO note_contacts (organization_id, note_id, contact_id) SELECT organization_id, id, $2 FROM added`,
    contactId,
    largest,
  );

const fillEvents = async (count: number, object: string, id: string): Promise<void> => {
  const [head] = await gateway().rows<{ position: string }>(
    'UPDATE event_heads SET position = position + $2 WHERE organization_id = $1 RETURNING position - $2 AS position',
    [count],
  );
  await fill(
    count,
    `INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, record, bytes)
     SELECT $1, $2::bigint + n, now(), gen_random_uuid(), $3::text || '.updated', $3, $4, n, jsonb_build_object('large', $5::text), octet_length($5::text) NUMBERED`,
    head?.position,
    object,
    id,
    largest,
  );
};

/** Sends a deletion until it is complete. Each answer of an unfinished one must ask for a repeat. @returns the number of requests */
const erase = async (contract: OperationContract, id: string): Promise<number> => {
  for (let requests = 1; ; requests += 1) {
    const answer = await gateway().client.call(contract, { params: { id } });
    if (answer.status === 200) return requests;
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('The deletion has begun')]);
    expect(answer.headers.get('retry-after')).toBe('1');
  }
};

test('R27: every erasure ends, with progress, at any size the API accepts', async () => {
  const id = await contact({ email: 'large@people.com' });
  const noteId = await note({ title: 'Large' }, { contact_emails: ['other@people.com'] });
  await fillDeals(testSize({ short: 249, soak: 2_000 }), id);
  await fillNotes(testSize({ short: 30, soak: 400 }), id);
  const events = testSize({ short: 150, soak: 9_000 });
  await fillEvents(events, 'contact', id);
  await fillEvents(events, 'note', noteId);
  const startedAtMs = performance.now();
  const requests = (await erase(api.deleteNote, noteId)) + (await erase(api.deleteContact, id));
  reportFigure('R27', 'ms to erase the largest person', Math.round(performance.now() - startedAtMs), 'no limit');
  reportFigure('R27', 'requests to erase the largest person and a note', requests, 'no limit');
  expect(await countOf('events WHERE record_id IN ($2, $3) AND NOT is_erased', id, noteId)).toBe(0);
  expect(await countOf('note_contacts WHERE contact_id = $2', id)).toBe(0);
  expect(await countOf('opportunities WHERE contact_id = $2', id)).toBe(0);
  for (const table of ['notes', 'opportunities'])
    await gateway().rows(`DELETE FROM ${table} WHERE organization_id = $1 AND search_text = 'large'`);
}, 900_000);

test('R27: the deletion of a contact keeps all of its deals, even more than one transaction can update', async () => {
  const deals = testSize({ short: 2_500, soak: 100_000 });
  const id = await contact({ email: 'busy@many-deals.com' });
  // It is the primary contact of half of them, and an additional one of the others.
  const text = `WITH added AS (
      INSERT INTO opportunities (organization_id, id, pipeline_id, account_key, name, normalized_name, contact_id, contact_email, record,
        search_text, created_at, updated_at)
      SELECT $1, gen_random_uuid(), $2::uuid, '', 'Many ' || n, 'many ' || n, CASE n % 2 WHEN 0 THEN $3::uuid END,
             CASE n % 2 WHEN 0 THEN 'busy@many-deals.com' END, '', 'many ' || n, now(), now() NUMBERED
      RETURNING organization_id, id, contact_id)
    INSERT INTO opportunity_contacts (organization_id, opportunity_id, contact_id, position)
    SELECT organization_id, id, $3::uuid, 1 FROM added WHERE contact_id IS NULL`;
  await fill(deals, text, gateway().organization.pipeline.id, id);
  const startedAtMs = performance.now();
  await erase(api.deleteContact, id);
  const elapsedMs = Math.round(performance.now() - startedAtMs);
  reportFigure('R27', `ms to delete a contact of ${deals} opportunities`, elapsedMs, 'no limit');
  expect(await countOf('opportunities WHERE contact_id = $2', id)).toBe(0);
  expect(await countOf('opportunity_contacts WHERE contact_id = $2', id)).toBe(0);
  expect(await countOf(`opportunities WHERE name LIKE 'Many %' AND version = 2`)).toBe(deals);
}, 900_000);
