import { expect, it } from '@jest/globals';
import { accepted, errorsOf, testDefinitions, testFieldIndex } from '../../tests/query-fields.js';
import { createFieldIndex } from './field-index.js';
import { parseFieldSelection } from './field-selection.js';
import { parseFilters } from './filter/parse-filters.js';
import { parseSort } from './sort.js';
import { systemFields } from './system-fields.js';

it('selects an archived custom field only if it is named; nothing else can name it', () => {
  const [motto, ...others] = testDefinitions;
  if (motto === undefined) throw new Error('There is no definition');
  const archived = { ...motto, slug: 'old', isActive: false };
  const fieldIndex = createFieldIndex('opportunity', [motto, archived, ...others]);
  const named = (input: string) => accepted((errors) => parseFieldSelection(input, fieldIndex, errors));
  expect(named('custom__old,old').custom).toEqual([archived]);
  expect(named('custom_fields').custom).toEqual(testFieldIndex.defaultSelection.custom);
  expect(named('custom_fields,old')).toMatchObject({ isAllVisible: false, custom: { length: 22 } });
  expect(fieldIndex.bySlug.has('old')).toBe(false);
  expect(errorsOf((errors) => parseSort('old', fieldIndex, 'created_at', errors))).toHaveProperty('sort');
  const filters = [{ field: 'custom__old', operator: 'not_empty' }];
  expect(errorsOf((errors) => parseFilters(filters, fieldIndex, errors))).toHaveProperty(['filters[0].field']);
});

it('adds to the default fields with the name default, whatever the caller has as default', () => {
  const select = (input: string) => accepted((errors) => parseFieldSelection(input, testFieldIndex, errors));
  expect(select('default')).toEqual({ ...testFieldIndex.defaultSelection });
  expect(select('amount,default,owner_email')).toMatchObject({
    isAllVisible: true,
    extras: [{ name: 'amount' }, { name: 'owner_email' }],
  });
  expect(select('default,secret_note').custom).toHaveLength(22);
  const full = (input: string) =>
    accepted((errors) => parseFieldSelection(input, testFieldIndex, errors, testFieldIndex.fullSelection));
  expect(full('default')).toEqual(testFieldIndex.fullSelection);
  const { name: onRequest } = systemFields.opportunity.find(({ isOnRequest }) => isOnRequest) ?? { name: '' };
  expect(full(`default,${onRequest}`).extras).toHaveLength(testFieldIndex.fullSelection.extras.length + 1);
  expect(errorsOf((errors) => parseFieldSelection('default,nope', testFieldIndex, errors))).toEqual({
    fields: 'unknown field "nope"',
  });
});
