import { describe, expect, it } from '@jest/globals';
import { accepted, define, errorsOf, testDefinitions, testFieldIndex } from '../../tests/query-fields.js';
import { createFieldIndex } from './field-index.js';
import { fieldKey } from './field-ref.js';
import { dateUnits, hasCurrencyPerRecord, parseGroupBy, parseMeasures, type SummaryFields } from './summary.js';
import { parseSummarySort } from './summary-sort.js';
import { parseTimeZone } from './time-zone.js';

const summaryFields: SummaryFields = {
  own: createFieldIndex('opportunity', [...testDefinitions, define('account', 'date_range')]),
  account: createFieldIndex('account', [...testDefinitions, define('start', 'date')]),
};
const groups = (...texts: string[]) =>
  accepted((errors) => parseGroupBy(texts, summaryFields, errors)).map(
    ({ name, field, unit, isOfAccount }) => `${name} ${isOfAccount ? 'account ' : ''}${fieldKey(field)} ${unit ?? ''}`,
  );
const refuseGroups = (...texts: string[]) => errorsOf((errors) => parseGroupBy(texts, summaryFields, errors));
const measures = (...texts: string[]) => accepted((errors) => parseMeasures(texts, testFieldIndex, errors));
const refuseMeasures = (...texts: string[]) => errorsOf((errors) => parseMeasures(texts, testFieldIndex, errors));

describe('parseGroupBy', () => {
  it.each(['stage_id', 'currency'])('accepts %s', (name) => {
    expect(groups(name)).toEqual([`${name} ${name} `]);
  });

  it.each(['tier', 'is_vip', 'custom__color'])('accepts the custom field %s by its name', (name) => {
    expect(groups(name)).toEqual([`${name} custom:id-of-${name.replace('custom__', '')} `]);
  });

  it.each(['close_date', 'signed_on', 'met_at', 'term.start'])(
    'accepts %s with each unit, but not without one',
    (name) => {
      for (const unit of dateUnits) expect(groups(`${name}:${unit}`)).toHaveLength(1);
      for (const text of [name, `${name}:`, `${name}:hour`, `${name}:month:month`]) {
        expect(Object.keys(refuseGroups(text))).toEqual(['group_by[0]']);
      }
    },
  );

  it.each(['name', 'amount', 'colors', 'term', 'office', 'account.name', 'call_time'])(
    'refuses %s, whose values do not form groups',
    (name) => {
      expect(refuseGroups('stage_id', name)['group_by[1]']).toMatch(/^(cannot group by|unknown field)/);
    },
  );

  it.each(['nope', '', 'secret_note', '__proto__', 'stage_id '])('refuses %j as unknown', (name) => {
    expect(refuseGroups(name)['group_by[0]']).toMatch(/^unknown field/);
  });

  it.each([
    ['account.industry', 'account.industry account industry '],
    ['account.is_vip', 'account.is_vip account custom:id-of-is_vip '],
    ['account.created_at:year', 'account.created_at:year account created_at year'],
    ['account.custom__start:month', 'account.custom__start:month account custom:id-of-start month'],
    ['custom__account.start:month', 'custom__account.start:month custom:id-of-account.start month'],
    ['account.end:day', 'account.end:day custom:id-of-account.end day'],
  ])('accepts %s of the account, or of a custom field with that name', (name, read) => {
    expect(groups(name)).toEqual([read]);
  });

  it.each([
    ['account.start:month', 'has two meanings: write custom__account.start or account.custom__start'],
    ['account.nope', 'of the account: unknown field "nope"'],
    ['account.industri', 'of the account: unknown field "industri", did you mean industry?'],
    ['account.secret_note', 'of the account: unknown field "secret_note"'],
    [
      'account.description',
      'cannot group by "account.description": use an id, a select, radio or checkbox field, or a date with its unit',
    ],
  ])('refuses %s', (name, text) => {
    expect(refuseGroups(name)).toEqual({ 'group_by[0]': text });
  });

  it('refuses a unit for a field that is not a date, and duplicates', () => {
    expect(refuseGroups('stage_id:month')['group_by[0]']).toMatch(/takes no unit/);
    expect(refuseGroups('color', 'custom__color')).toEqual({ 'group_by[1]': 'is given twice' });
    expect(groups('close_date:year', 'close_date:month')).toHaveLength(2);
  });
});

describe('parseMeasures', () => {
  it('leaves out count, which is always included', () => {
    expect(measures('count')).toEqual([]);
    expect(measures('sum:amount', 'count').map(({ name }) => name)).toEqual(['sum:amount']);
  });

  it.each(['amount', 'budget', 'custom__seats', 'office.lat'])('accepts %s', (name) => {
    const names = ['sum', 'avg', 'min', 'max', 'median'].map((compute) => `${compute}:${name}`);
    expect(measures(...names).map((measure) => measure.name)).toEqual(names);
  });

  it.each(['close_date', 'is_vip', 'account.name', 'seen_at'])('refuses %s, which is not a number', (name) => {
    expect(refuseMeasures('count', `sum:${name}`)['measures[1]']).toMatch(/holds no number/);
  });

  it.each(['amount', 'mode:amount', '', 'count:amount'])('refuses %j', (text) => {
    expect(refuseMeasures(text)['measures[0]']).toMatch(/^must be count, or one of/);
  });

  it('refuses unknown and hidden fields, and duplicates', () => {
    expect(refuseMeasures('sum:nope', 'min:')).toEqual({
      'measures[0]': 'unknown field "nope"',
      'measures[1]': 'unknown field ""',
    });
    expect(refuseMeasures('sum:seats', 'sum:custom__seats')).toEqual({ 'measures[1]': 'is given twice' });
    expect(refuseMeasures('count', 'count')).toEqual({ 'measures[1]': 'is given twice' });
  });

  it('refuses more percentiles than a summary may have', () => {
    expect(measures('median:amount', 'p90:amount', 'avg:amount')).toHaveLength(3);
    expect(refuseMeasures('median:amount', 'p90:amount', 'median:seats')).toEqual({
      measures: 'must have at most 2 of median and p90',
    });
  });

  it('separates currencies for amounts only', () => {
    expect(measures('sum:amount', 'sum:budget').map(hasCurrencyPerRecord)).toEqual([true, false]);
  });
});

describe('parseSummarySort', () => {
  const named = (...names: string[]) => names.map((name) => ({ name }));
  const sort = (input: unknown) =>
    accepted((errors) => parseSummarySort(input, named('close_date:month', 'tier'), named('sum:amount'), errors));
  const refuse = (input: unknown) =>
    errorsOf((errors) => parseSummarySort(input, named('close_date:month'), named('sum:amount'), errors));

  it.each([
    [undefined, []],
    [[], []],
    ['count', [{ by: 'count', direction: 'asc' }]],
    ['sum:amount:desc', [{ by: 'measure', index: 0, direction: 'desc' }]],
    ['close_date:month', [{ by: 'group', index: 0, direction: 'asc' }]],
    [
      ['close_date:month:asc', { field: 'sum:amount', direction: 'desc' }],
      [
        { by: 'group', index: 0, direction: 'asc' },
        { by: 'measure', index: 0, direction: 'desc' },
      ],
    ],
    [{ field: 'tier' }, [{ by: 'group', index: 1, direction: 'asc' }]],
  ])('reads %j', (input, keys) => {
    expect(sort(input)).toEqual(keys);
  });

  it.each([
    [
      'avg:amount',
      {
        sort: 'cannot sort by "avg:amount": must be a measure or group of this request: count, sum:amount, close_date:month',
      },
    ],
    [['count', 'count:desc'], { 'sort[1]': 'names a field that an earlier key sorts by' }],
    [{ field: 'count', direction: 'down' }, { 'sort.direction': 'must be asc or desc' }],
    [['count', 5], { 'sort[1]': 'must be "field", "field:desc" or an object of field and direction' }],
    [Array.from({ length: 4 }, () => 'count'), { sort: 'must have at most 3 keys' }],
  ])('refuses %j', (input, errors) => {
    expect(refuse(input)).toEqual(errors);
  });
});

describe('parseTimeZone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'europe/berlin'])(
    'accepts %s',
    (name) => {
      expect(parseTimeZone(name)).toEqual({ ok: true, value: name });
    },
  );

  it.each(['CET', 'EST', '+01:00', 'Europe/Atlantis', 'Mars', ' Europe/Berlin', 'Europe/Berlin;', ''])(
    'refuses %j',
    (name) => {
      expect(parseTimeZone(name).ok).toBe(false);
    },
  );
});
