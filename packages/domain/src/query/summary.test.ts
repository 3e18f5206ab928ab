import { describe, expect, it } from '@jest/globals';
import { accepted, errorsOf, testFieldIndex } from '../../tests/query-fields.js';
import { fieldKey } from './field-ref.js';
import { dateUnits, hasCurrencyPerRecord, parseGroupBy, parseMeasures } from './summary.js';

const groups = (...texts: string[]) =>
  accepted((errors) => parseGroupBy(texts, testFieldIndex, errors)).map(
    ({ name, field, unit }) => `${name} ${fieldKey(field)} ${unit ?? ''}`,
  );
const refuseGroups = (...texts: string[]) => errorsOf((errors) => parseGroupBy(texts, testFieldIndex, errors));
const measures = (...texts: string[]) => accepted((errors) => parseMeasures(texts, testFieldIndex, errors));
const refuseMeasures = (...texts: string[]) => errorsOf((errors) => parseMeasures(texts, testFieldIndex, errors));

describe('parseGroupBy', () => {
  it.each(['stage_id', 'owner_id', 'pipeline_id', 'account_id', 'currency'])('accepts %s', (name) => {
    expect(groups(name)).toEqual([`${name} ${name} `]);
  });

  it.each(['color', 'tier', 'is_vip', 'custom__color'])('accepts the custom field %s by its name', (name) => {
    expect(groups(name)).toEqual([`${name} custom:id-of-${name.replace('custom__', '')} `]);
  });

  it.each(['close_date', 'created_at', 'signed_on', 'seen_at', 'met_at', 'term.start'])(
    'accepts %s with each unit, but not without one',
    (name) => {
      for (const unit of dateUnits) expect(groups(`${name}:${unit}`)).toHaveLength(1);
      for (const text of [name, `${name}:`, `${name}:hour`, `${name}:month:month`]) {
        expect(Object.keys(refuseGroups(text))).toEqual(['group_by[0]']);
      }
    },
  );

  it.each([
    'name',
    'amount',
    'contact_id',
    'motto',
    'colors',
    'helpers',
    'term',
    'office',
    'account.name',
    'call_time',
  ])('refuses %s, whose values do not form groups', (name) => {
    expect(refuseGroups('stage_id', name)['group_by[1]']).toMatch(/^(cannot group by|unknown field)/);
  });

  it.each(['nope', '', 'secret_note', 'custom__secret_note', 'stage', '__proto__', 'stage_id '])(
    'refuses %j as unknown',
    (name) => {
      expect(refuseGroups(name)['group_by[0]']).toMatch(/^unknown field/);
    },
  );

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

  it.each(['amount', 'seats', 'score', 'budget', 'chance', 'custom__seats', 'office.lat'])('accepts %s', (name) => {
    const names = ['sum', 'avg', 'min', 'max'].map((compute) => `${compute}:${name}`);
    expect(measures(...names).map((measure) => measure.name)).toEqual(names);
  });

  it.each(['close_date', 'name', 'is_vip', 'colors', 'stage_id', 'account.name', 'seen_at'])(
    'refuses %s, which is not a number',
    (name) => {
      expect(refuseMeasures('count', `sum:${name}`)['measures[1]']).toMatch(/holds no number/);
    },
  );

  it.each(['amount', 'median:amount', 'sum', '', ':amount', 'count:amount'])('refuses %j', (text) => {
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

  it('separates currencies for amounts only', () => {
    expect(measures('sum:amount', 'sum:budget').map(hasCurrencyPerRecord)).toEqual([true, false]);
  });
});
