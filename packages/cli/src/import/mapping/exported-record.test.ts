import { describe, expect, it } from '@jest/globals';

import { convertExported, type ExportedContext } from './exported-record.js';

const context: ExportedContext = {
  object: 'account',
  customTypes: new Map([
    ['score', 'number'],
    ['place', 'location'],
  ]),
  pipelines: undefined,
};

const convertCells = (cells: Readonly<Record<string, string>>): unknown => {
  const row = new Map(Object.entries({ domain: 'a.com', ...cells }));
  const converted = convertExported(context, { line: 2, bytes: 0, cells: [], row, problems: [] });
  return converted.kind === 'rejected' ? converted.problems : converted;
};

describe('convertExported', () => {
  it('reads cells of custom fields according to their types', () => {
    const cells = { 'custom_fields.score': '1.50', 'custom_fields.place': '{"city":"A"}' };
    expect(convertCells(cells)).toEqual({
      kind: 'request',
      body: { domain: 'a.com', custom_fields: { score: 1.5, place: { city: 'A' } } },
    });
  });

  it.each([
    ['custom_fields.score', '1.0000000000000001', /^has more digits/],
    ['custom_fields.score', '999999999999.99998', /^has more digits/],
    ['custom_fields.score', '1,5', /is not a number/],
    ['custom_fields.place', '{"city":"A","city":"B"}', /^city is given twice$/],
    ['custom_fields.place', '{"lat":1.0000000000000001}', /^lat has more digits/],
  ])('refuses %s %s, which it would alter', (field, cell, reason) => {
    expect(convertCells({ [field]: cell })).toEqual([{ field, reason: expect.stringMatching(reason) }]);
  });
});
