import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CustomFieldDefinition } from '../custom-field/definition.js';
import { ErrorCollector } from '../errors.js';
import { objectTypes } from '../object-type.js';
import { createFieldIndex } from '../query/field-index.js';
import { parseFieldSelection } from '../query/field-selection.js';
import { parseFilters } from '../query/filter/parse-filters.js';
import { parseSort } from '../query/sort.js';
import type { Result } from '../result.js';
import { type ValueReader, valueReaders } from './value-readers.js';
import { anyCharacter, propertyRuns } from '../../tests/random.js';
import { changeOf } from './change.js';
import { objects } from './objects.js';
import type { FieldDescription } from './field.js';
import { type Body, bodyPathOf, readChange } from './read-change.js';

const context = {
  definitions: new Map<string, CustomFieldDefinition>(),
  pipeline: {
    id: 'pipeline',
    stages: [
      { id: 'stage', label: 'In Progress', isActive: true },
      { id: 'won', label: 'Won', isActive: true },
      { id: 'old', label: 'Old', isActive: false },
    ],
  },
  findMember: (email: string) => ({ id: `id of ${email}`, isActive: !email.startsWith('former') }),
};

/** The change that a body makes, or its errors. */
const read = (object: 'account' | 'opportunity', body: Body, isCreate = false) => {
  const errors = new ErrorCollector();
  const change = readChange(object, body, context, isCreate, errors);
  return errors.isEmpty ? change : errors.fieldErrors;
};

const empty = { set: {}, derived: {}, custom_fields: {}, normalized: {}, references: {} };

describe('a body becomes the change that is stored', () => {
  it('with normalized values, their normalized texts and the columns that are computed from them', () => {
    expect(read('account', { domain: 'https://www.GMail.com/', name: ' Größe ', industry: 'Tools' })).toEqual({
      ...empty,
      set: { domain: 'gmail.com', name: 'Größe', industry: 'Tools' },
      derived: { is_freemail: true, normalized_name: 'größe' },
      normalized: { industry: 'tools' },
    });
  });

  it('with columns in place of the names of the body, and references', () => {
    const related = {
      owner_email: 'Ann@acme.com',
      account_domain: 'Acme.com',
      additional_contact_emails: ['B@acme.com'],
    };
    const body = { opportunity: { deal_size: 5, stage_id: 'stage', next_steps: 'Call' }, related_objects: related };
    expect(read('opportunity', body)).toEqual({
      ...empty,
      set: { amount: 5, stage_id: 'stage', next_step: 'Call', owner_id: 'id of ann@acme.com' },
      normalized: { next_step: 'call' },
      references: { account_domain: 'acme.com', additional_emails: ['b@acme.com'] },
    });
  });

  it('where null clears a value of an update and is absent from a create', () => {
    expect(read('account', { name: null, industry: ' ' })).toEqual({
      ...empty,
      set: { name: null, industry: null },
      derived: { normalized_name: null },
      normalized: { industry: null },
    });
    expect(read('account', { domain: 'acme.com', name: null, industry: ' ' }, true)).toMatchObject({
      set: { domain: 'acme.com' },
      normalized: {},
    });
  });

  it('with what the record must have already: a former member and an archived stage', () => {
    const body = {
      opportunity: { stage_id: 'old', close_date: 5 },
      related_objects: { owner_email: 'former@acme.com' },
    };
    expect(read('opportunity', body)).toMatchObject({
      set: { stage_id: 'old', close_date: 5, owner_id: 'id of former@acme.com' },
      if_stored: [
        { column: 'stage_id', part: 'old', path: 'opportunity.stage_id', message: 'is archived' },
        { column: 'close_date', part: 5, path: 'opportunity.close_date' },
        { column: 'owner_id', path: 'related_objects.owner_email', message: 'is a former member' },
      ],
    });
  });

  it('which a create with another fault reports too', () => {
    const related_objects = { owner_email: 'former@acme.com' };
    expect(read('opportunity', { opportunity: { close_date: 5 }, related_objects }, true)).toEqual({
      'opportunity.name': 'is required',
      'opportunity.close_date': expect.stringContaining('looks like seconds'),
      'related_objects.owner_email': 'is a former member',
    });
  });

  it('or every fault is reported on its path', () => {
    const body = {
      opportunity: { name: ' ', stage_id: 'none', next_step: 'a', next_steps: 'b', custom_fields: { unknown: 1 } },
      related_objects: { additional_contact_emails: ['ann@acme.com', 'ann'] },
    };
    expect(Object.keys(read('opportunity', body))).toEqual([
      'opportunity.name',
      'opportunity.stage_id',
      'related_objects.additional_contact_emails[1]',
      'opportunity.next_steps',
      'opportunity.custom_fields.unknown',
    ]);
  });

  it.each<[object, unknown]>([
    [{ stage: 'In Progress' }, 'stage'],
    [{ stage: ' in\u200b  progress' }, 'stage'],
    [{ stage: 'Won', stage_id: 'won' }, 'won'],
    [{ stage: 'Won', stage_id: null }, { 'opportunity.stage': 'differs from stage_id, which is the same field' }],
    [{ stage: null }, null],
    [{ stage: ' ' }, null],
    [
      { stage: 'won', stage_id: 'stage' },
      { 'opportunity.stage': expect.stringContaining('stage_id, which is the stage "In Progress"') },
    ],
    [{ stage: 'Wonn' }, { 'opportunity.stage': '"Wonn" is not a stage of this pipeline; known: In Progress, Won' }],
    [{ stage: 'stage' }, { 'opportunity.stage': expect.stringContaining('is not a stage') }],
  ])('a stage is named by its label, id or both: %j', (opportunity, expected) => {
    const change = read('opportunity', { opportunity });
    expect('set' in change ? (change.set as Body)['stage_id'] : change).toEqual(expected);
  });

  it('a stage that is archived may be named by a record that is in it', () => {
    const condition = { column: 'stage_id', part: 'old', path: 'opportunity.stage', message: 'is archived' };
    expect(read('opportunity', { opportunity: { stage: 'old' } })).toMatchObject({ if_stored: [condition] });
  });

  it('if a create has the natural key or an external id that is not blank', () => {
    expect(read('account', { external_id: ' ' }, true)).toEqual({ domain: 'is required' });
    expect(read('opportunity', { opportunity: {} }, true)).toEqual({ 'opportunity.name': 'is required' });
    expect(read('account', { external_id: 'SF-1' }, true)).toMatchObject({ set: { external_id: 'SF-1' } });
  });
});

it('a stored name has the path of its value in the body', () => {
  expect(
    ['amount', 'owner_id', 'primary_email', 'name', 'custom__seats'].map((name) => bodyPathOf('opportunity', name)),
  ).toEqual([
    ...['opportunity.deal_size', 'related_objects.owner_email', 'related_objects.primary_contact_email'],
    ...['opportunity.name', 'opportunity.custom__seats'],
  ]);
  expect(bodyPathOf('account', 'domain')).toBe('domain');
});

it('a field that requests cannot set is not changed', () => {
  expect(changeOf('account', { id: 'id', is_freemail: true, version: 3 })).toEqual(empty);
});

it.each(objectTypes)(
  'each row of the description of an %s is a field of filters, sorts and selections',
  (objectType) => {
    const index = createFieldIndex(objectType, []);
    const fields: readonly FieldDescription[] = objects[objectType].fields;
    for (const { name, kind, always, required, isInput, onRequest } of fields) {
      if (isInput === true) continue;
      const errors = new ErrorCollector();
      const field = { source: 'system', field: { name, kind, nullable: required !== true } };
      const selected = parseFieldSelection(name, index, errors).extras.map((extra) => extra.name);
      expect(selected).toEqual(always === true ? [] : [name]);
      if (kind.endsWith('_list')) continue;
      if (onRequest === true) {
        expect(parseFilters({ field: name, operator: 'not_empty' }, index, errors)).toBeNull();
        expect(index.fullSelection.extras.map((extra) => extra.name)).not.toContain(name);
        continue;
      }
      expect(parseFilters({ field: name, operator: 'not_empty' }, index, errors)).toMatchObject({
        kind: 'leaf',
        field,
      });
      expect(parseSort(`${name}:desc`, index, 'updated_at', errors)).toMatchObject([{ field, direction: 'desc' }]);
      expect(errors.fieldErrors).toEqual({});
    }
  },
);

it.each(Object.keys(valueReaders) as ValueReader[])('what the reader %s stores is read as itself', (name) => {
  const read = valueReaders[name] as (input: unknown) => Result<unknown>;
  const edge = fc.constantFrom('', ' ', '\u00a0', '\u200b', '\ufeff', '\u0007', '\u200d', '\u0301', 'www.', "'", '+');
  const middle = fc.oneof(
    fc.constantFrom(
      'www.www.acme.com',
      'ann@www.www.acme.com',
      'a.com:443/',
      '+49 (0)30 1234567',
      '\u202a+49 30 1234567',
      'EUR',
    ),
    fc.string({ unit: anyCharacter, maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(edge, middle), { maxLength: 6 }), (parts) => {
      const first = read(name === 'amount' ? parts.length / 8 : parts.join(''));
      if (first.ok && first.value !== null) expect(read(first.value)).toEqual(first);
    }),
    { numRuns: propertyRuns({ short: 200, soak: 5_000 }) },
  );
});
