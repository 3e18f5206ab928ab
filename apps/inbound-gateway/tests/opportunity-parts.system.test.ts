import {
  bulkCreateOpportunities,
  bulkUpdateOpportunities,
  createContact,
  createNote,
  createOpportunity,
  updateOpportunity,
} from '@crm/contract';
import { describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { recordsOf, statusOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { create, countOf, row, contact, opportunity } = recordsOf(gateway);

const form = (name: string, parts: object = {}) => ({ pipeline: 'Sales', opportunity: { name }, ...parts });
const send = (name: string, parts?: object, query?: Record<string, string>) =>
  create(createOpportunity, form(name, parts), query);
const notesOf = (id: string | undefined) =>
  gateway().rows<{ id: string; title: string | null; content: string | null }>(
    `SELECT n.id, n.title, n.content FROM note_opportunities l JOIN notes n ON n.organization_id = $1 AND n.id = l.note_id
      WHERE l.organization_id = $1 AND l.opportunity_id = $2 ORDER BY n.id`,
    [id],
  );
/** The last events of the organization, oldest first. */
const lastEvents = async (count: number): Promise<string[]> => {
  const text = 'SELECT e.type FROM events e WHERE e.organization_id = $1 ORDER BY e.position DESC LIMIT $2';
  return (await gateway().rows<{ type: string }>(text, [count])).map(({ type }) => type).reverse();
};
const countAll = async () =>
  Promise.all(['accounts', 'contacts', 'opportunities', 'notes', 'events'].map((table) => countOf(table)));

const person = {
  email: 'Ann@Form.com',
  first_name: ' Ann ',
  last_name: 'Lee',
  phone: '+1 (415) 555-0123',
  job_title: 'CTO',
};
const storedPerson = {
  email: 'ann@form.com',
  first_name: 'Ann',
  last_name: 'Lee',
  phone: '+14155550123',
  job_title: 'CTO',
};
const note = { title: ' Web form ', content: ' Please call. ' };

describe('one call of a web form', () => {
  test('creates account, contact, deal and note, with one event each, in this order', async () => {
    const opportunity = { name: 'Form', stage: ' won ', amount: 5 };
    const answer = await create(createOpportunity, { ...form('Form'), opportunity, primary_contact: person, note });
    const { opportunity_id: id, note_id: noteId, contact_id: contactId, account_id: accountId } = answer.data;
    expect([answer.status, statusOf(answer), answer.body.warnings]).toEqual([200, 'created', undefined]);
    expect(await row('contacts', String(contactId))).toMatchObject({
      ...storedPerson,
      account_id: accountId,
      version: 1,
    });
    const stage = gateway().organization.pipeline.stages.find(({ label }) => label === 'Won');
    expect(await row('opportunities', id)).toMatchObject({
      stage_id: stage?.id,
      contact_id: contactId,
      account_id: accountId,
    });
    expect(await notesOf(id)).toEqual([{ id: noteId, title: 'Web form', content: ' Please call. ' }]);
    const created = ['account', 'contact', 'opportunity', 'note'].map((object) => `${object}.created`);
    expect(await lastEvents(4)).toEqual(created);
    await expectConsistent(gateway());
  });

  test('sent again, finds all of them and writes nothing', async () => {
    const parts = { primary_contact: { ...person, email: 'ann@again.com' }, note };
    const first = await send('Again', parts);
    const before = await countAll();
    const second = await send('Again', parts);
    expect([statusOf(second), second.data, second.body.warnings]).toEqual(['matched', first.data, undefined]);
    expect(await countAll()).toEqual(before);
  });

  test('with an Idempotency-Key, replays its answer', async () => {
    const body = form('Once', { primary_contact: { ...person, email: 'ann@once.com' }, note });
    const headers = { 'idempotency-key': 'form-once' };
    const first = await gateway().client.call(createOpportunity, { body, headers });
    const replay = await gateway().client.call(createOpportunity, { body, headers });
    expect([replay.data, replay.headers.get('idempotent-replayed')]).toEqual([first.data, 'true']);
    expect(await notesOf(first.data.opportunity_id)).toHaveLength(1);
    const other = { ...body, note: { title: 'Other' } };
    expect((await gateway().client.call(createOpportunity, { body: other, headers })).status).toBe(422);
  });

  test('adds a note to a deal that exists, unless the deal has an equal one', async () => {
    const { data } = await send('Notes', { note: { title: 'A' } });
    const id = data.opportunity_id;
    await create(createNote, { note: { content: 'B' }, related_objects: { opportunity_ids: [id] } });
    for (const [sent, count] of [
      [{ title: 'A', content: null }, 2],
      [{ title: 'A', content: ' ' }, 2],
      [{ content: 'B' }, 2],
      [{ title: 'a' }, 3],
      [{ title: 'A', content: 'B' }, 4],
      [{ content: 'b ' }, 5],
    ] as const) {
      const answer = await send('Notes', { note: sent });
      expect([answer.status, statusOf(answer), (await notesOf(id)).length]).toEqual([200, 'matched', count]);
      expect((await notesOf(id)).map((one) => one.id)).toContain(answer.data.note_id);
    }
    expect((await send('Other deal', { note: { title: 'A' } })).data.note_id).not.toBe(data.note_id);
  });
});

describe('a contact that exists', () => {
  test('gets only its empty names, with a warning for each other value that differs', async () => {
    const id = await contact({ email: 'ann@kept.com', first_name: 'Anna', job_title: 'CEO' });
    const answer = await send('Kept', { primary_contact: { ...person, email: 'ANN@kept.com' } });
    expect(answer.data.contact_id).toBe(id);
    const names = { first_name: 'Anna', last_name: 'Lee' };
    expect(await row('contacts', id)).toMatchObject({ ...names, job_title: 'CEO', phone: null, version: 2 });
    const fields = ['first_name', 'job_title', 'phone'].map((name) => `primary_contact.${name}`);
    expect([...answer.fieldsWarnedOf].sort()).toEqual(fields);
    expect(await lastEvents(2)).toEqual(['contact.updated', 'opportunity.created']);
  });

  test('gets all values with on_match=update, also in a deal that exists', async () => {
    const id = await contact({ email: 'ann@changed.com', first_name: 'Anna', job_title: 'CEO' });
    const parts = { primary_contact: { ...person, email: 'ann@changed.com' } };
    const answer = await send('Changed', parts, { on_match: 'update' });
    expect(answer.body.warnings).toBeUndefined();
    expect(await row('contacts', id)).toMatchObject({ ...storedPerson, email: 'ann@changed.com', version: 2 });
    const next = { primary_contact: { email: 'ann@changed.com', job_title: 'CFO' } };
    expect(statusOf(await send('Changed', next, { on_match: 'update' }))).toBe('matched');
    expect(await row('contacts', id)).toMatchObject({ ...storedPerson, email: 'ann@changed.com', job_title: 'CFO' });
    await expectConsistent(gateway());
  });

  test('replaces the primary contact of a deal, who becomes an additional one', async () => {
    const related_objects = { account_domain: 'moved.com' };
    const first = await send('Moved', { related_objects, primary_contact: { email: 'a@moved.com' } });
    const second = await send('Moved', {
      related_objects,
      primary_contact: { email: 'b@moved.com', first_name: 'Bea' },
    });
    expect([statusOf(second), second.data.opportunity_id]).toEqual(['updated', first.data.opportunity_id]);
    const deal = second.data.opportunity_id;
    expect(
      await countOf('opportunity_contacts WHERE opportunity_id = $2 AND contact_id = $3', deal, first.data.contact_id),
    ).toBe(1);
    expect(await row('opportunities', deal)).toMatchObject({ contact_id: second.data.contact_id });
  });

  test.each([
    ['the same email in both places', { primary_contact_email: ' ANN@both.com' }],
    ['the external id of the same contact', { primary_contact_external_id: 'both-1' }],
    ['the same person as additional contact', { additional_contact_emails: ['ann@both.com'] }],
  ])('may be named twice: %s', async (name, related_objects) => {
    await create(createContact, { email: 'ann@both.com', external_id: 'both-1' });
    const answer = await send(name, { related_objects, primary_contact: { email: 'ann@both.com' } });
    expect([answer.status, statusOf(answer)]).toEqual([200, 'created']);
    expect(await countOf('opportunity_contacts WHERE opportunity_id = $2', answer.data.opportunity_id)).toBe(0);
  });
});

describe('bulk calls', () => {
  test('apply the items in their order, each with its contact and note', async () => {
    const email = 'ann@bulk.com';
    const items = [
      form('Bulk 1', { primary_contact: { email, first_name: 'Ann', phone: '1' } }),
      form('Bulk 2', {
        primary_contact: { email, first_name: 'Bea', last_name: 'Lee', phone: '1' },
        note: { title: 'A' },
      }),
      form('Bulk 2', { primary_contact: { email }, note: { title: 'A' } }),
      { ...form('Bulk 3'), related_objects: { primary_contact_email: email } },
      form('Bulk 4', { primary_contact: { email: 'none' } }),
      form('Bulk 1', { note: { title: 'B' }, primary_contact: { email } }),
    ];
    const { results } = (await create(bulkCreateOpportunities, { items })).data;
    expect(results.map(({ record_status: status }) => status)).toEqual([
      'created',
      'created',
      'matched',
      'created',
      null,
      'matched',
    ]);
    expect(results[4]?.errors).toEqual({ 'primary_contact.email': expect.any(String) });
    expect(results[1]?.warnings).toEqual([{ field: 'primary_contact.first_name', message: expect.any(String) }]);
    expect(results[2]?.note_id).toBe(results[1]?.note_id);
    expect(new Set([results[0], results[1], results[3]].map((one) => one?.contact_id)).size).toBe(1);
    expect(await row('contacts', String(results[0]?.contact_id))).toMatchObject({
      first_name: 'Ann',
      last_name: 'Lee',
      version: 2,
    });
    const text = `${['account', 'contact', 'opportunity'].map((one) => `${one}.created`).join()},contact.updated,opportunity.created,note.created,opportunity.created,note.created`;
    expect((await lastEvents(8)).join()).toBe(text);
    await expectConsistent(gateway());
  });

  test('refuse an atomic call as a whole, with the paths of its items', async () => {
    const before = await countAll();
    const items = [form('Atomic', { note }), form('Atomic 2', { note: { title: '' } })];
    const answer = await create(bulkCreateOpportunities, { items }, { atomic: 'true' });
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, ['items[1].note.content', 'items[1].note.title']]);
    expect(await countAll()).toEqual(before);
  });
});

test('updates move a deal to a stage by its label, in bulk too', async () => {
  const { pipeline } = gateway().organization;
  const stageOf = async (id: string) => {
    const stageId = (await row('opportunities', id))?.['stage_id'];
    return pipeline.stages.find((stage) => stage.id === stageId)?.label;
  };
  const id = await opportunity({ name: 'Mover' });
  const params = { id };
  const move = (body: object) => gateway().client.call(updateOpportunity, { params, body: { opportunity: body } });
  expect([(await move({ stage: 'WON' })).status, await stageOf(id)]).toEqual([200, 'Won']);
  const refused = await move({ stage: 'Elsewhere' });
  expect([refused.status, refused.fieldsAtFault, await stageOf(id)]).toEqual([400, ['opportunity.stage'], 'Won']);
  const items = [
    { id, opportunity: { stage: pipeline.stages[0]?.label } },
    { id, opportunity: { stage: 'Elsewhere' } },
  ];
  const { results } = (await create(bulkUpdateOpportunities, { items })).data;
  expect(results.map(({ success }) => success)).toEqual([true, false]);
  expect(await stageOf(id)).toBe(pipeline.stages[0]?.label);
});
