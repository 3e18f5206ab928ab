import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter, propertyRuns } from '../../tests/random.js';
import { accepted, errorsOf, testDefinitions, testFieldIndex } from '../../tests/query-fields.js';
import { suggestionsPerRequest } from '../errors.js';
import { fieldKey } from './field-ref.js';
import { parseFilters } from './filter/parse-filters.js';
import { parseFieldSelection } from './field-selection.js';
import { parseLimit } from './limit.js';
import { parseSearchQuery } from './search-query.js';
import { parseSort } from './sort.js';
import { parseGroupBy } from './summary.js';
import { systemFields } from './system-fields.js';

type Names = string | readonly string[] | undefined;
const select = (input: Names) => accepted((errors) => parseFieldSelection(input, testFieldIndex, errors));
const refuseFields = (input: Names) => errorsOf((errors) => parseFieldSelection(input, testFieldIndex, errors));
const slugs = (input: Names) => select(input).custom.map((definition) => definition.slug);
const extras = (input: Names) => select(input).extras.map((field) => field.name);

describe('parseFieldSelection', () => {
  it.each([undefined, ' , ', ['']])('selects all visible custom fields and no extras for %j', (input) => {
    const selection = select(input);
    expect(selection.isAllVisible).toBe(true);
    expect(selection.extras).toEqual([]);
    expect(selection.custom).toHaveLength(21);
    expect(selection.custom.some((definition) => definition.isHidden)).toBe(false);
  });

  it("uses the caller's default if no field is named", () => {
    const read = parseFieldSelection.bind(null, undefined, testFieldIndex);
    expect(accepted((errors) => read(errors, testFieldIndex.fullSelection)).extras).toHaveLength(24);
  });

  it('selects the named custom fields, in the order of the field index', () => {
    expect(slugs('seats,motto')).toEqual(['motto', 'seats']);
    expect(slugs(['custom__seats', 'motto,seats'])).toEqual(['motto', 'seats']);
  });

  it('adds extras in the order of systemFields, and accepts the names of fields that every record has', () => {
    expect(extras(['version , amount', 'stage_name'])).toEqual(['amount', 'version']);
  });

  it('selects a hidden custom field only if it is named', () => {
    expect(slugs('secret_note')).toEqual(['secret_note']);
    expect(slugs('custom_fields,secret_note')).toHaveLength(22);
    expect(select('custom_fields,secret_note').isAllVisible).toBe(false);
  });

  it('selects the default for custom_fields alone', () => {
    expect(select('custom_fields')).toEqual({ ...testFieldIndex.defaultSelection });
    expect(select('custom_fields,id').isAllVisible).toBe(true);
    expect(select('custom_fields,amount')).toMatchObject({ isAllVisible: true, extras: [{ name: 'amount' }] });
  });

  it('reads a name that is both as the system field, which selects no custom field', () => {
    expect(select('id').isAllVisible).toBe(false);
    expect(slugs('name')).toEqual([]);
    expect(slugs('custom__name')).toEqual(['name']);
  });

  it.each(['nope', 'custom__nope', 'term.start', '__proto__', 'ID'])(
    'refuses the unknown field %s and names it',
    (name) => {
      expect(refuseFields(['id', name])).toEqual({ fields: `unknown field "${name}"` });
    },
  );

  it.each([
    ['account.domain', ', did you mean account_domain?'],
    ['custom__colrs', ', did you mean custom__colors?'],
    // A hidden field.
    ['secret_not', ''],
  ])('suggests a name for the misspelled %s', (name, hint) => {
    expect(refuseFields(['id', name])).toEqual({ fields: `unknown field "${name}"${hint}` });
  });

  it('suggests names for the first few unknown fields of a request only, because each is compared with every field', () => {
    const filters = Array.from({ length: 50 }, () => ({ field: 'motot', operator: 'eq', value: 'x' }));
    const texts = Object.values(
      errorsOf((errors) => {
        parseFilters(filters, testFieldIndex, errors);
        parseGroupBy(['motot', 'motot'], { own: testFieldIndex, account: null }, errors);
      }),
    );
    const suggested = texts.filter((text) => text.endsWith(', did you mean motto?'));
    expect([texts.length, suggested.length]).toEqual([52, suggestionsPerRequest]);
    expect(texts.at(-1)).toBe('unknown field "motot"');
  });

  it('refuses more than 100 names', () => {
    const names = Array.from({ length: 101 }, (_, index) => `f${index}`);
    expect(refuseFields(names)).toEqual({ fields: 'must name at most 100 fields' });
  });
});

const limitError = { limit: 'must be an integer from 1 to 500' };

describe('a limit', () => {
  it('is 100 if absent, otherwise an integer from 1 to 500', () => {
    expect(accepted((errors) => parseLimit(undefined, errors))).toBe(100);
    expect([1, 99, 500].map((limit) => accepted((errors) => parseLimit(String(limit), errors)))).toEqual([1, 99, 500]);
    const texts = ['0', '-1', '501', '1e2', '0x10', ' 5', '+5', '05', '1.0', '', '5\n', '٥'];
    for (const text of texts) expect(errorsOf((errors) => parseLimit(text, errors))).toEqual(limitError);
  });
});

const words = (input: string | undefined) => accepted((errors) => parseSearchQuery(input, 'q', errors));
const refuseWords = (input: string) => errorsOf((errors) => parseSearchQuery(input, 'query', errors));

describe('parseSearchQuery', () => {
  it.each([undefined, ' \t\u00a0\u3000\n'])('returns no words for %j', (input) => {
    expect(words(input)).toEqual([]);
  });

  it('splits only at white space, normalizes each word and keeps it once', () => {
    expect(words("  O'Neil\u00a0acme.COM \n ann+crm@x.de 100% ")).toEqual([
      "o'neil",
      'acme.com',
      'ann+crm@x.de',
      '100%',
    ]);
    expect(words('MU\u0308LLER acme ACME')).toEqual(['m\u00fcller', 'acme']);
  });

  it('counts characters, not UTF-16 units, without surrounding white space', () => {
    expect(words(`  ${'😀'.repeat(200)}  `)).toEqual(['😀'.repeat(200)]);
    expect(refuseWords('a'.repeat(201))).toEqual({ query: 'must have at most 200 characters' });
  });

  it.each(['a\u0000b', 'a\ud800'])('refuses %j under the name that was sent', (input) => {
    expect(Object.keys(refuseWords(input))).toEqual(['query']);
  });
});

const sort = (input: unknown) =>
  accepted((errors) => parseSort(input, testFieldIndex, 'created_at', errors)).map(
    (key) => `${fieldKey(key.field)} ${key.direction}`,
  );
const refuseSort = (input: unknown) => errorsOf((errors) => parseSort(input, testFieldIndex, 'created_at', errors));

describe('parseSort', () => {
  it.each([undefined, []])('returns the default for %j', (input) => {
    expect(sort(input)).toEqual(['created_at desc']);
    expect(
      accepted((errors) => parseSort(input, testFieldIndex, 'updated_at', errors)).map(({ field }) => fieldKey(field)),
    ).toEqual(['updated_at']);
  });

  it('reads every spelling', () => {
    expect(sort('amount')).toEqual(['amount asc']);
    expect(sort('amount:desc')).toEqual(['amount desc']);
    expect(sort({ field: 'amount' })).toEqual(['amount asc']);
    expect(sort({ field: 'amount', direction: null })).toEqual(['amount asc']);
    expect(sort({ field: 'custom__seats', direction: 'desc' })).toEqual(['custom:id-of-seats desc']);
    expect(sort(['name', { field: 'term.start', direction: 'desc' }, 'office.city:asc'])).toEqual([
      'name asc',
      'custom:id-of-term.start desc',
      'custom:id-of-office.city asc',
    ]);
  });

  it('accepts every system field except lists and those on request, and every custom field with one value', () => {
    for (const field of systemFields.opportunity) {
      expect([field.name, Object.keys(refuseSort(field.name)).length]).toEqual([
        field.name,
        ['additional_contacts', 'seconds_in_stage', 'days_to_close'].includes(field.name) ? 1 : 0,
      ]);
    }
    const refused = testDefinitions
      .map((definition) => definition.slug)
      .filter((slug) => Object.keys(refuseSort(`custom__${slug}`)).length > 0);
    expect(refused).toEqual(['term', 'colors', 'office', 'helpers']);
  });

  it('gives the path of each error, all at once', () => {
    expect(refuseSort('nope')).toEqual({ sort: 'unknown field "nope"' });
    expect(refuseSort('name:up')).toEqual({ sort: 'must be asc or desc' });
    expect(refuseSort('-amount')).toEqual({ sort: 'unknown field "-amount": write amount:desc' });
    expect(refuseSort('amount ASC')).toEqual({ sort: 'unknown field "amount ASC": write amount:asc' });
    expect(refuseSort({ field: 'colors', direction: 'DESC' })).toEqual({
      'sort.field': 'cannot sort by "colors": it holds several values',
      'sort.direction': 'must be asc or desc',
    });
    expect(refuseSort(['name', { field: 'account.domain' }, { field: 'term' }])).toEqual({
      'sort[1].field': 'cannot sort by "account.domain": it belongs to another record',
      'sort[2].field': 'cannot sort by "term": sort by one of its parts, start, end',
    });
    expect(refuseSort({ field: 'name', order: 'desc' })).toEqual({
      sort: 'has an unknown key "order": it takes field and direction',
    });
  });

  it('refuses a field that is named twice, in any spelling', () => {
    expect(refuseSort(['seats', { field: 'custom__seats' }])).toEqual({
      'sort[1].field': 'names a field that an earlier key sorts by',
    });
    expect(Object.keys(refuseSort(['name', 'name:desc']))).toEqual(['sort[1]']);
  });

  it('refuses more than three keys and other shapes', () => {
    expect(refuseSort(['id', 'name', 'amount', 'version'])).toEqual({ sort: 'must have at most 3 keys' });
    for (const input of ['', ':desc', 5, true, {}, { field: 5 }])
      expect(Object.keys(refuseSort(input))).toHaveLength(1);
    expect(Object.keys(refuseSort([['name']]))).toEqual(['sort[0]']);
  });
});

it('no input makes a parser throw, and each error has the path of its parameter', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 300 });
  fc.assert(
    fc.property(text, fc.oneof(fc.jsonValue(), text), (value, keys) => {
      const paths = [refuseFields(value), refuseWords(value), refuseSort(keys)].flatMap((errors) =>
        Object.keys(errors),
      );
      expect(paths.filter((path) => !/^(fields$|query$|sort)/.test(path))).toEqual([]);
    }),
    { numRuns: propertyRuns({ short: 40, soak: 5_000 }) },
  );
});
