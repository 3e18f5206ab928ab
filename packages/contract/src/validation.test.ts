import { maxNameLength, reportedErrors, reportedItemErrors } from '@crm/domain';
import { describe, expect, it } from '@jest/globals';
import { keysPerCall } from './bounds.js';
import { bulkCreateContacts, updateContact } from './operations/contacts.js';
import { createNote } from './operations/notes.js';
import {
  bulkCreateOpportunities,
  createOpportunity,
  listOpportunities,
  searchOpportunities,
} from './operations/opportunities.js';
import { dottedPath } from './validate/field-errors.js';
import { compileOperation, compileResponseValidator } from './validation.js';

const pipelineId = '0197a3c4-5b1e-7c3a-9f00-2d6f1c0a7b11';
const create = compileOperation(createOpportunity);
const body = (input: unknown) => create.body?.(input);

describe('a body', () => {
  it('is not changed, not even null values', () => {
    const input = Object.freeze({ pipeline_id: pipelineId, opportunity: Object.freeze({ name: 'a', stage_id: null }) });
    expect(body(input)).toBeNull();
    expect(input).toEqual({ pipeline_id: pipelineId, opportunity: { name: 'a', stage_id: null } });
  });

  it('accepts null for optional properties, and custom values in both forms', () => {
    const opportunity = {
      name: 'a',
      next_steps: 'call',
      deal_size: null,
      custom_fields: { tier: 'a' },
      custom__tier: [1],
    };
    expect(body({ pipeline_id: pipelineId, opportunity, related_objects: null })).toBeNull();
  });

  it('gets all errors at once, by dotted path', () => {
    const errors = body({
      pipeline_id: 'x',
      oportunity: {},
      opportunity: { nam: 'a', name: null, deal_size: '12', custom_field: {} },
      related_objects: { owner_email: 7, additional_contact_emails: ['a@b.co', 3, null] },
    });
    expect(errors).toEqual({
      pipeline_id: 'must be a valid UUID',
      oportunity: 'is not a known field, did you mean opportunity?',
      'opportunity.nam': 'is not a known field, did you mean name?',
      'opportunity.name': 'is required',
      'opportunity.deal_size': 'must be a number',
      'opportunity.custom_field': 'is not a known field, did you mean custom_fields?',
      'related_objects.owner_email': 'must be a string',
      'related_objects.additional_contact_emails[1]': 'must be a string',
      'related_objects.additional_contact_emails[2]': 'must be a string',
    });
  });

  it.each([
    ['opportunity.value', 'deal_size'],
    ['opportunity.stage_name', 'stage'],
    ['opportunity.pipeline_name', 'pipeline'],
    ['opportunity.owner_email', 'related_objects.owner_email'],
    ['related_objects.owner', 'owner_email'],
    ['stage_id', 'opportunity.stage_id'],
    ['contact', 'primary_contact'],
    ['related_objects.contact', 'primary_contact_email'],
    ['related_objects.primary_contact', 'primary_contact one level up'],
    ['opportunity.note', 'note one level up'],
    ['constructor', undefined],
  ])('gets a hint at the key that %s probably stands for', (path, meant) => {
    const [first = '', second] = path.split('.');
    const sent = { pipeline_id: pipelineId, opportunity: { name: 'A' }, related_objects: {} };
    const inner = { ...sent[first as 'opportunity'], [second ?? '']: 1 };
    const errors = body({ ...sent, [first]: second === undefined ? 1 : inner });
    expect(errors).toEqual({ [path]: `is not a known field${meant === undefined ? '' : `, did you mean ${meant}?`}` });
  });

  it('gets errors for missing properties', () => {
    expect(body({ opportunity: {} })).toEqual({ pipeline_id: 'is required', 'opportunity.name': 'is required' });
    expect(body({ pipeline_id: null, opportunity: null })).toEqual({
      pipeline_id: 'is required',
      opportunity: 'is required',
    });
  });

  it.each([[undefined], [null], [[]], ['text']])('must be an object, not %p', (input) => {
    expect(body(input)).toEqual({ body: 'must be a JSON object' });
  });

  it('accepts a UUID only in its 36 character form', () => {
    const withId = (pipeline_id: unknown) => body({ pipeline_id, opportunity: { name: 'a' } });
    expect(withId(pipelineId.toUpperCase())).toBeNull();
    for (const id of [`urn:uuid:${pipelineId}`, ` ${pipelineId}`, `{${pipelineId}}`, `${pipelineId}\n`, '']) {
      expect(withId(id)).toEqual({ pipeline_id: 'must be a valid UUID' });
    }
  });

  it('has limits in code points', () => {
    const named = (name: string) => body({ pipeline_id: pipelineId, opportunity: { name } });
    expect(named('𝒜'.repeat(maxNameLength))).toBeNull();
    expect(named('a'.repeat(maxNameLength + 1))).toEqual({ 'opportunity.name': 'must have at most 255 characters' });
  });

  it('does not take inherited names for properties', () => {
    const input: unknown = JSON.parse(
      `{"pipeline_id":"${pipelineId}","opportunity":{"name":"a"},"__proto__":{},"constructor":1}`,
    );
    const errors = body(input);
    expect(Object.entries(errors ?? {})).toEqual([
      ['__proto__', 'is not a known field'],
      ['constructor', 'is not a known field'],
    ]);
  });

  it('gets one error for a list that is too long, whatever its items', () => {
    const input = { note: { title: 'a' }, account_domains: Array.from({ length: 100_000 }, () => null) };
    expect(compileOperation(createNote).body?.(input)).toEqual({
      account_domains: `must have at most ${keysPerCall} items`,
    });
  });

  it('gets few errors for each item of a bulk call, each with a hint at the right field', () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => [`emai${index}`, 1] as const);
    const errors = compileOperation(bulkCreateContacts).item?.({ email: 'a@b.com', ...Object.fromEntries(keys) }) ?? {};
    expect(Object.keys(errors)).toHaveLength(reportedItemErrors);
    expect(errors['emai0']).toBe('is not a known field, did you mean email?');
  });

  it('never gets more errors than the limit, nor whole long keys', () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1] as const);
    expect(Object.keys(body(Object.fromEntries(keys)) ?? {})).toHaveLength(reportedErrors);
    const [path] = Object.keys(
      body({ ['x'.repeat(5_000)]: 1, pipeline_id: pipelineId, opportunity: { name: 'a' } }) ?? {},
    );
    expect(path?.length).toBeLessThan(200);
  });

  it('of an update clears with null, except natural keys and the custom values as a whole', () => {
    const { body: update } = compileOperation(updateContact);
    expect(update?.({})).toBeNull();
    expect(update?.({ phone: null, custom__tier: null, custom_fields: { tier: null } })).toBeNull();
    expect(update?.({ email: null, custom_fields: null })).toEqual({
      email: 'must be a string',
      custom_fields: 'must be an object',
    });
  });

  it('of a search accepts filters, sort and fields in every form, and a limit within its bounds', () => {
    const { body: search } = compileOperation(searchOpportunities);
    for (const filters of [null, [], {}, [{ and: [] }]]) expect(search?.({ filters })).toBeNull();
    for (const sort of [null, 'amount:desc', { field: 'amount' }, ['a', 'b']]) expect(search?.({ sort })).toBeNull();
    for (const fields of [null, 'a,b', ['a']]) expect(search?.({ fields })).toBeNull();
    expect(search?.({ filters: 'a', sort: 1, fields: [1], limit: 0 })).toEqual({
      filters: 'must be an array or an object',
      sort: 'must be a string or an object or an array',
      'fields[0]': 'must be a string',
      limit: 'must be at least 1',
    });
    expect(search?.({ limit: 501 })).toEqual({ limit: 'must be at most 500' });
    expect(search?.({ limit: 1.5 })).toEqual({ limit: 'must be an integer' });
    expect(search?.({ limit: '5' })).toEqual({ limit: 'must be an integer' });
  });

  it('of a bulk call is checked as a list, and its items one by one', () => {
    const bulk = compileOperation(bulkCreateOpportunities);
    expect(bulk.body?.({ items: [{ anything: 1 }] })).toBeNull();
    expect(bulk.body?.({ items: [] })).toEqual({ items: 'must have at least 1 item' });
    expect(bulk.body?.({ items: Array.from({ length: 101 }, () => ({})) })).toEqual({
      items: 'must have at most 100 items',
    });
    expect(bulk.body?.({ items: [{}, 1, null] })).toBeNull();
    for (const item of [1, null, [], 'x']) expect(bulk.item?.(item)).toEqual({ '': 'must be a JSON object' });
    expect(bulk.item?.({ pipeline_id: 1, opportunity: { name: 'a' } })).toEqual({ pipeline_id: 'must be a string' });
  });
});

describe('a query', () => {
  const { query } = compileOperation(listOpportunities);

  it('is valid without a prototype, with fields as a list and limit as text', () => {
    const input = Object.assign(Object.create(null) as object, {
      pipeline_id: pipelineId,
      fields: ['a', 'b'],
      limit: '100',
    });
    expect(query(input)).toBeNull();
  });

  it('is checked against the rules of domain in the same pass', () => {
    expect(query({ pipeline_id: 'x', limit: '1e2', q: 'a'.repeat(201) })).toEqual({
      pipeline_id: 'must be a valid UUID, or all',
      limit: 'must be an integer from 1 to 500',
      q: 'must have at most 200 characters',
    });
  });

  it('is valid if it only breaks rules of domain: the handler finds these with all the others', () => {
    expect(query({ pipeline_id: pipelineId, limit: '1e2' })).toBeNull();
    expect(body({ pipeline_id: pipelineId, opportunity: { name: ' ', close_date: 1 } })).toBeNull();
  });

  it('gets errors for unknown, repeated and missing parameters', () => {
    expect(query({ pipelin_id: 'x', q: ['a', 'b'] })).toEqual({
      pipeline_id: 'is required',
      pipelin_id: 'is not a known parameter, did you mean pipeline_id?',
      q: 'is given twice',
    });
  });

  it('accepts only the listed values, and of an operation without parameters none', () => {
    expect(create.query({ on_match: 'merge' })).toEqual({ on_match: 'must be one of keep, update' });
    expect(create.query({ on_match: 'update' })).toBeNull();
    const { query: none } = compileOperation(createNote);
    expect(none({})).toBeNull();
    expect(none({ a: '1' })).toEqual({ a: 'is not a known parameter' });
  });
});

describe('a response', () => {
  const check = compileResponseValidator(createOpportunity);
  const data = { opportunity_id: pipelineId, name: 'a', amount: null, account_id: null, contact_id: pipelineId };

  it('is a success envelope with the properties of the operation', () => {
    const warnings = [{ field: 'opportunity.deal_size', message: 'differs' }];
    expect(check({ success: true, statusCode: 200, message: 'OK', data })).toBeNull();
    expect(check({ success: true, statusCode: 200, message: 'OK', data, warnings })).toBeNull();
    expect(check({ success: true, message: 'OK', data })).toEqual({ statusCode: 'is required' });
    expect(check({ success: true, statusCode: 200, message: 'OK', data: { ...data, id: 'a' } })).toEqual({
      'data.id': 'is not a known field',
    });
  });

  it('or an error envelope', () => {
    expect(
      check({
        success: false,
        statusCode: 400,
        code: 'validation_failed',
        message: 'Validation failed',
        errors: { a: 'b' },
      }),
    ).toBeNull();
    expect(check({ success: false, statusCode: 200, code: 'no', message: 'no', stack: '' })).toEqual({
      code: expect.stringContaining('must be one of') as unknown,
      stack: 'is not a known field',
      statusCode: 'must be at least 400',
    });
  });

  it('of a list has records whose custom fields can have any name', () => {
    const list = compileResponseValidator(listOpportunities);
    const [page] = (listOpportunities.data as { examples?: unknown }).examples as [{ opportunities: object[] }];
    const answer = (change: object) => ({
      success: true,
      message: 'OK',
      data: { ...page, opportunities: [{ ...page.opportunities[0], ...change }] },
    });
    expect(list(answer({ custom_fields: { anything: { a: 1 } } }))).toBeNull();
    expect(list(answer({ contact_id: 'x' }))).toEqual({ 'data.opportunities[0].contact_id': 'must be a valid UUID' });
    expect(list(answer({ amont: 1 }))).toEqual({
      'data.opportunities[0].amont': 'is not a known field, did you mean amount?',
    });
  });
});

describe('the path of an error', () => {
  it('has list indexes in brackets, keys with dots and decoded escapes, and is empty for the whole input', () => {
    expect(dottedPath('/items/3/email', { items: [0, 0, 0, {}] })).toBe('items[3].email');
    expect(dottedPath('/map/3/email', { map: { 3: {} } })).toBe('map.3.email');
    expect(dottedPath('/a~1b/c~0d', { 'a/b': {} })).toBe('a/b.c~d');
    expect([dottedPath('/~01', {}), dottedPath('', {})]).toEqual(['~1', '']);
  });
});
