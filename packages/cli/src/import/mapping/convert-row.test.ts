import { describe, expect, it } from '@jest/globals';
import { fail, ok } from '@crm/domain';

import { convertRow, type ConvertedRow } from './convert-row.js';
import { convertExported, type ExportedSetup } from './exported-record.js';
import { emptyText } from '../source/record-reader.js';
import { readMapping } from './mapping.js';

const sales = {
  id: 'p1',
  stageId: (label: string) => (label === 'Won' ? ok('s1') : fail(`there is no stage "${label}"`)),
};
const convert = (yaml: string, cells: Readonly<Record<string, string>>): ConvertedRow | 'skipped' => {
  const mapping = readMapping('m.yaml', yaml);
  return convertRow(mapping, mapping.object === 'opportunity' ? sales : undefined, new Map(Object.entries(cells)));
};

const deal = `
object: opportunity
columns:
  product: [trim, { map: { GTXPro: GTX Pro } }]
fields:
  name: { template: '{product} {id}', empty: reject }
  stage: { column: stage }
  amount: { column: value }
  close_date: { column: closed, transform: [{ date: M/d/yyyy }] }
  account_domain: { column: account, transform: [{ slug_domain: .com }] }
  additional_contact_emails:
    - { column: mail, transform: [lower] }
    - { column: more, transform: [{ split: ';' }, lower] }
  custom_fields.product: { column: product }
  custom_fields.tags: { column: tags, transform: [{ split: '|' }] }
  custom_fields.source: { value: import }
  next_step: { column: next, empty: { value: Call back } }
`;

describe('convertRow', () => {
  it('rejects texts that the gateways refuse, before any transform reads them', () => {
    const cells = { id: '7', product: 'a\u0000', mail: 'a\ud800', account: `a${'\u0301\u0323'.repeat(1_000)}` };
    const { problems } = convert(deal, cells) as ConvertedRow;
    expect(problems.map(({ field, reason }) => [field, reason.split(/[;:]/)[0]])).toEqual([
      ['product', 'must not contain the character U+0000'],
      ['name', 'must not contain the character U+0000'],
      ['account_domain', 'must not have more than 30 combining marks in a row'],
      ['additional_contact_emails', 'must be well-formed Unicode'],
      ['custom_fields.product', 'must not contain the character U+0000'],
    ]);
  });

  it('creates the body of a create request', () => {
    const cells = {
      id: '7',
      product: ' GTXPro ',
      stage: 'Won',
      value: '12.50',
      closed: '3/1/2017',
      account: 'Acme & Co',
      mail: 'A@x.com',
      more: 'B@x.com; c@x.com;',
      tags: 'one|two',
      next: '',
    };
    expect(convert(deal, cells)).toEqual({
      problems: [],
      body: {
        pipeline_id: 'p1',
        opportunity: {
          name: 'GTX Pro 7',
          stage_id: 's1',
          deal_size: 12.5,
          close_date: Date.UTC(2017, 2, 1),
          custom_fields: { product: 'GTX Pro', tags: ['one', 'two'], source: 'import' },
          next_step: 'Call back',
        },
        related_objects: {
          account_domain: 'acmeco.com',
          additional_contact_emails: ['a@x.com', 'b@x.com', 'c@x.com'],
        },
      },
    });
  });

  it('leaves out empty values, including those of only white space', () => {
    const cells = { id: '7', product: 'MG', value: ' ', account: '  ', closed: '' };
    expect(convert(deal, cells)).toEqual({
      problems: [],
      body: {
        pipeline_id: 'p1',
        opportunity: { name: 'MG 7', custom_fields: { product: 'MG', source: 'import' }, next_step: 'Call back' },
      },
    });
  });

  it('reports all problems of a row', () => {
    expect(convert(deal, { stage: 'Lots', value: 'much', closed: '2/30/2017' })).toMatchObject({
      problems: [
        { field: 'name', reason: 'is empty' },
        { field: 'stage', reason: 'there is no stage "Lots"' },
        { field: 'amount', reason: '"much" is not a number such as 1234.50' },
        { field: 'close_date', reason: '"2/30/2017" is not a date that exists' },
      ],
    });
  });

  it('skips rows that match skip_when', () => {
    const yaml = `
object: contact
skip_when: [{ column: state, in: [dead, 0] }, { column: mail, empty: true }]
fields: { email: { column: mail } }`;
    for (const state of ['dead', '0']) expect(convert(yaml, { mail: 'a@x.com', state })).toBe('skipped');
    expect(convert(yaml, { mail: ' ', state: 'alive' })).toBe('skipped');
    expect(convert(yaml, { mail: 'a@x.com', state: 'alive' })).toEqual({ body: { email: 'a@x.com' }, problems: [] });
  });

  it('accepts slugs that are names of inherited properties', () => {
    const yaml = 'object: account\nfields: { domain: { column: d }, custom_fields.constructor: { value: x } }';
    const converted = convert(yaml, { d: 'a.com' });
    expect(JSON.stringify(converted)).toContain('"custom_fields":{"constructor":"x"}');
  });
});

describe('convertExported', () => {
  const setup: ExportedSetup = {
    customTypes: new Map([
      ['score', 'number'],
      ['place', 'location'],
    ]),
    pipelines: undefined,
  };
  const convertCells = (cells: Readonly<Record<string, string>>): ConvertedRow => {
    const row = new Map(Object.entries({ domain: 'a.com', ...cells }));
    return convertExported('account', setup, { line: 2, bytes: 0, cells: [], row, problems: [] });
  };

  it('reads cells of custom fields according to their types', () => {
    const cells = { 'custom_fields.score': '1.50', 'custom_fields.place': '{"city":"A"}' };
    expect(convertCells(cells)).toMatchObject({
      problems: [],
      body: { domain: 'a.com', custom_fields: { score: 1.5, place: { city: 'A' } } },
    });
  });

  it('reads an empty cell as no value and a quoted empty cell as an empty text, as exports write them', () => {
    const cells = { name: '', industry: emptyText, 'custom_fields.motto': emptyText, 'custom_fields.score': '' };
    const { problems, body } = convertCells(cells);
    expect(problems).toEqual([]);
    expect(body).toEqual({ domain: 'a.com', industry: '', custom_fields: { motto: '' } });
  });

  it.each([
    ['custom_fields.score', '1.0000000000000001', /^has more digits/],
    ['custom_fields.score', '1,5', /is not a number/],
    ['custom_fields.place', '{"city":"A","city":"B"}', /^city is given twice$/],
    ['custom_fields.place', '{"lat":1.0000000000000001}', /^lat has more digits/],
  ])('refuses %s %s, which it would alter', (field, cell, reason) => {
    expect(convertCells({ [field]: cell }).problems).toEqual([{ field, reason: expect.stringMatching(reason) }]);
  });

  it.each([
    ['account', undefined, { domain: 'a.com', name: '' }, ['name']],
    ['opportunity', undefined, { name: 'A', stage: '' }, ['stage']],
    ['contact', undefined, { email: 'ann@a.com' }, ['account_domain']],
    // A copy clears these later, but cannot clear the account that the create of a contact makes.
    ['account', new Map(), { domain: 'a.com', name: '' }, []],
    ['opportunity', new Map(), { name: 'A', stage: '' }, []],
    ['contact', new Map(), { email: 'ann@a.com' }, ['account_domain']],
  ] as const)(
    'warns of what the create of an %s fills in, in a copy %j: %j',
    (object, opportunityIds, cells, fields) => {
      const row = new Map(Object.entries({ id: '1', ...cells }));
      const source = { line: 2, bytes: 0, cells: [], row, problems: [] };
      const { warnings } = convertExported(object, { ...setup, ...(opportunityIds && { opportunityIds }) }, source);
      expect(warnings?.map(({ field }) => field)).toEqual(fields);
    },
  );
});
