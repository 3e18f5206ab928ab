import { describe, expect, it } from '@jest/globals';
import { definitionOf } from '../../tests/definition-fixture.js';
import type { EventObject } from '../event-type.js';
import { isSameChanged, objectsOfEvents, readChangedNames } from './changed-fields.js';
import { createFieldIndex } from './field-index.js';

const custom = {
  opportunity: [definitionOf('string', { slug: 'tier' }), definitionOf('string', { slug: 'amount' })],
  account: [definitionOf('string', { slug: 'region' })],
  contact: [definitionOf('string', { slug: 'custom__odd' })],
};

const read = (names: readonly string[], objects: readonly EventObject[] = objectsOfEvents([], [])) => {
  const problems: [number, string][] = [];
  const scope = { objects, fieldIndex: (object: keyof typeof custom) => createFieldIndex(object, custom[object]) };
  const found = readChangedNames(names, scope, (index, text) => problems.push([index, text]));
  return problems.length === 0 ? found : problems;
};

describe('readChangedNames', () => {
  it.each([
    [
      ['stage_id', 'amount', 'stage_id'],
      ['stage_id', 'amount'],
    ],
    [['tier', 'custom__tier', 'custom_fields.tier'], ['custom_fields.tier']],
    [['custom__amount'], ['custom_fields.amount']],
    [['custom__odd'], ['custom_fields.custom__odd']],
    [
      ['additional_contact_ids', 'opportunity_ids', 'job_title'],
      ['additional_contact_ids', 'opportunity_ids', 'job_title'],
    ],
  ])('reads %j as %j', (names, expected) => {
    expect(read(names)).toEqual(expected);
  });

  it.each<[string, EventObject, string]>([
    ['owner_email', 'opportunity', '"owner_email" is owner_id in events'],
    ['deal_size', 'opportunity', '"deal_size" is amount in events'],
    ['primary_contact_email', 'opportunity', '"primary_contact_email" is contact_id in events'],
    ['account_domains', 'note', '"account_domains" is account_ids in events'],
    ['updated_at', 'account', '"updated_at" is never in changed: it changes with every event'],
    ['created_at', 'note', '"created_at" is never in changed: it never changes'],
    ['custom_fields', 'contact', '"custom_fields" is never in changed: name each custom field as custom__<slug>'],
    ['phnoe', 'contact', '"phnoe" is not a field of contacts, did you mean phone?'],
    ['tier', 'account', '"tier" is not a field of accounts'],
    ['tier', 'note', '"tier" is not a field of notes'],
    ['__proto__', 'account', '"__proto__" is not a field of accounts'],
    ['', 'account', '"" is not a field of accounts'],
  ])('refuses %j for events of the object %s: %s', (name, object, text) => {
    expect(read([name], [object])).toEqual([[0, text]]);
  });

  it('blames filters on object and type that no event passes, and not the field', () => {
    expect(read(['amount'], [])).toEqual([[0, 'no event passes the filters on object and type']]);
  });
});

it('finds the objects of the events that pass filters on object and type', () => {
  expect(objectsOfEvents([], [])).toEqual(['opportunity', 'account', 'contact', 'note']);
  expect(objectsOfEvents(['note', 'account'], ['account.updated', 'contact.created'])).toEqual(['account']);
});

it.each([
  [['amount', 'tier'], ['custom_fields.tier', 'amount'], true],
  [['custom__tier'], ['custom_fields.tier'], true],
  [['custom__odd'], ['custom_fields.custom__odd'], true],
  [['custom_fields.tier'], ['custom_fields.tier'], true],
  [['amount'], ['custom_fields.amount'], false],
  [['amount'], [], false],
  [[], ['amount'], false],
  [['amount', 'amount'], ['amount', 'name'], false],
])('compares %j of a set-up file with the stored %j', (wanted, stored, isSame) => {
  expect(isSameChanged(wanted, stored)).toBe(isSame);
});
