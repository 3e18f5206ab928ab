import { bulkCreateOpportunities, createContact, createOpportunity } from '@crm/contract';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, unknownId } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { create, countOf } = recordsOf(gateway);

const note = { title: 'Web form' };
const form = (name: string, parts: object = {}) => ({ pipeline: 'Sales', opportunity: { name }, ...parts });
const send = (name: string, parts: object) => create(createOpportunity, form(name, parts));
const tables = ['accounts', 'contacts', 'opportunities', 'notes', 'events'];
const countAll = () => Promise.all(tables.map((table) => countOf(table)));

describe('refused calls store nothing and name', () => {
  const email = 'left@behind.com';
  test.each<[string, object, string[]]>([
    ['an unknown pipeline', { pipeline: 'Sails' }, ['pipeline']],
    ['an unknown stage', { opportunity: { name: 'Refused', stage: 'Wonn' } }, ['opportunity.stage']],
    ['no pipeline', { pipeline: null }, ['pipeline_id']],
    ['a blank pipeline', { pipeline: ' ' }, ['pipeline_id']],
    ['a contact without email', { primary_contact: { first_name: 'Ann' } }, ['primary_contact.email']],
    ['an empty contact', { primary_contact: {} }, ['primary_contact.email']],
    ['an unknown field of the contact', { primary_contact: { email, name: 'Ann' } }, ['primary_contact.name']],
    [
      'bad values of the contact',
      { primary_contact: { email: 'x', phone: 'none at all' }, note: {} },
      ['note.content', 'note.title', 'primary_contact.email'],
    ],
    ['a long name', { primary_contact: { email, first_name: 'x'.repeat(256) } }, ['primary_contact.first_name']],
    [
      'another email beside it',
      { related_objects: { primary_contact_email: 'other@behind.com' } },
      ['primary_contact.email'],
    ],
    ['a note without text', { note: { title: ' ' } }, ['note.content', 'note.title']],
    ['a long note', { note: { content: 'x'.repeat(50_001) } }, ['note.content']],
    ['an id of a note', { note: { title: 'A', id: unknownId } }, ['note.id']],
    [
      'an unknown external id',
      { related_objects: { account_external_id: 'none' } },
      ['related_objects.account_external_id'],
    ],
    [
      'the external id of another contact',
      { related_objects: { primary_contact_external_id: 'someone' } },
      ['related_objects.primary_contact_external_id'],
    ],
  ])('%s', async (_about, parts, fields) => {
    await create(createContact, { email: 'someone@else.com', external_id: 'someone' });
    const before = await countAll();
    const answer = await send('Refused', { primary_contact: { email, first_name: 'Left' }, note, ...parts });
    expect([answer.status, [...answer.fieldsAtFault].sort()]).toEqual([400, fields]);
    expect(await countAll()).toEqual(before);
  });

  test('both values of two that differ, and the labels and names that exist', async () => {
    const errorsOf = async (parts: object) => (await send('Refused', parts)).body.errors;
    const { pipeline, otherPipeline } = gateway().organization;
    expect(await errorsOf({ pipeline: 'Sails' })).toEqual({
      pipeline: '"Sails" is not a pipeline; known: Sales, Partners',
    });
    expect(await errorsOf({ pipeline_id: otherPipeline.id })).toEqual({
      pipeline: 'differs from pipeline_id, which is the pipeline "Partners": send one of them, or both of one pipeline',
    });
    const [first, second] = pipeline.stages;
    const opportunity = { name: 'Refused', stage: second?.label, stage_id: first?.id };
    expect(await errorsOf({ opportunity })).toEqual({
      'opportunity.stage': `differs from stage_id, which is the stage "${first?.label}": send one of them, or both of one stage`,
    });
    const parts = { primary_contact: { email: 'a@x.com' }, related_objects: { primary_contact_email: 'b@x.com' } };
    expect(await errorsOf(parts)).toEqual({
      'primary_contact.email': 'is "a@x.com", but related_objects.primary_contact_email is "b@x.com": send one of them',
    });
  });

  test('an archived pipeline by the name under which it was sent', async () => {
    const { id, name } = gateway().organization.otherPipeline;
    const archive = (isActive: boolean) =>
      gateway().rows('UPDATE pipelines SET is_active = $3 WHERE organization_id = $1 AND id = $2', [id, isActive]);
    await archive(false);
    const named = await send('Refused', { pipeline: name, primary_contact: { email: 'new@archived.com' }, note });
    const both = await send('Refused', { pipeline: name, pipeline_id: id });
    await archive(true);
    expect([named.body.errors, both.body.errors]).toEqual([
      { pipeline: 'is archived' },
      { pipeline_id: 'is archived' },
    ]);
    expect(await countOf(`contacts WHERE email = 'new@archived.com'`)).toBe(0);
  });

  test('an unknown id of a pipeline beside a name with 404', async () => {
    const answer = await send('Refused', { pipeline_id: unknownId });
    expect(answer.status).toBe(404);
  });

  test('a deal that the database refuses, without its new contact and note', async () => {
    const hundred = Array.from({ length: 100 }, (_, n) => `p${n}@crowd.com`);
    await send('Crowded', { related_objects: { account_domain: 'crowd.com', additional_contact_emails: hundred } });
    const before = await countAll();
    const related_objects = { account_domain: 'crowd.com', additional_contact_emails: ['one@more.com'] };
    const parts = { related_objects, primary_contact: { email: 'new@more.com' }, note };
    expect((await send('Crowded', parts)).status).toBe(400);
    expect(await countAll()).toEqual(before);
    const items = [form('Fine', { note }), form('Crowded', parts), form('Crowded', { ...parts, related_objects: {} })];
    const { results } = (await create(bulkCreateOpportunities, { items })).data;
    expect(results.map(({ success, note_id: id }) => [success, typeof id])).toEqual([
      [true, 'string'],
      [false, 'undefined'],
      [true, 'string'],
    ]);
  });
});
