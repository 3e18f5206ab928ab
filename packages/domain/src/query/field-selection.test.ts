import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { parseFieldSelection } from './field-selection.js';
import { accepted, errorsOf, testFieldIndex } from '../../tests/query-fields.js';

const select = (input: unknown) => accepted((errors) => parseFieldSelection(input, testFieldIndex, errors));
const refuse = (input: unknown) => errorsOf((errors) => parseFieldSelection(input, testFieldIndex, errors));
const slugs = (input: unknown) => select(input).custom.map((definition) => definition.slug);
const extras = (input: unknown) => select(input).extras.map((field) => field.name);

describe('parseFieldSelection', () => {
  it.each([undefined, null, '', ' , ', [], ['']])('selects all visible custom fields and no extras for %j', (input) => {
    const selection = select(input);
    expect(selection.isDefault).toBe(true);
    expect(selection.extras).toEqual([]);
    expect(selection.custom).toHaveLength(21);
    expect(selection.custom.some((definition) => definition.isHidden)).toBe(false);
  });

  it("uses the caller's default if no field is named", () => {
    const read = parseFieldSelection.bind(null, undefined, testFieldIndex);
    expect(accepted((errors) => read(errors, testFieldIndex.fullSelection)).extras).toHaveLength(17);
  });

  it('selects the named custom fields, in the order of the field index', () => {
    expect(slugs('seats,motto')).toEqual(['motto', 'seats']);
    expect(slugs(['custom__seats', 'motto,seats'])).toEqual(['motto', 'seats']);
  });

  it('selects no custom field if only system fields are named', () => {
    expect(slugs('id')).toEqual([]);
    expect(select('id').isDefault).toBe(false);
  });

  it('adds extras in the order of systemFields, and accepts the names of fields that every record has', () => {
    expect(extras(['version , amount', 'stage_name'])).toEqual(['amount', 'version']);
  });

  it('selects a hidden custom field only if it is named', () => {
    expect(slugs('secret_note')).toEqual(['secret_note']);
    expect(slugs('custom_fields,secret_note')).toHaveLength(22);
    expect(select('custom_fields,secret_note').isDefault).toBe(false);
  });

  it('selects the default for custom_fields alone', () => {
    expect(select('custom_fields')).toEqual({ ...testFieldIndex.defaultSelection });
    expect(select('custom_fields,id').isDefault).toBe(true);
    expect(select('custom_fields,amount').isDefault).toBe(false);
  });

  it('reads a name that is both as the system field', () => {
    expect(slugs('name')).toEqual([]);
    expect(slugs('custom__name')).toEqual(['name']);
  });

  it.each(['nope', 'custom__nope', 'term.start', '__proto__', 'constructor', 'ID'])(
    'refuses the unknown field %s and names it',
    (name) => {
      expect(refuse(['id', name])).toEqual({ fields: `unknown field "${name}"` });
    },
  );

  it.each([
    ['amonut', 'amount'],
    ['account.domain', 'account_domain'],
    ['custom__colrs', 'custom__colors'],
  ])('suggests a name for the misspelled %s', (name, near) => {
    expect(refuse(['id', name])).toEqual({ fields: `unknown field "${name}", did you mean ${near}?` });
  });

  it('does not suggest hidden fields', () => {
    expect(refuse('secret_not')).toEqual({ fields: 'unknown field "secret_not"' });
  });

  it('refuses more than 100 names and input that is not text', () => {
    const names = Array.from({ length: 101 }, (_, index) => `f${index}`);
    expect(refuse(names)).toEqual({ fields: 'must name at most 100 fields' });
    expect(refuse([1])).toHaveProperty('fields');
    expect(refuse({ a: 'b' })).toHaveProperty('fields');
  });

  it('adds errors and never throws, whatever the input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.string())), (input) => {
        expect(Object.keys(refuse(input)).every((path) => path === 'fields')).toBe(true);
      }),
    );
  });
});
