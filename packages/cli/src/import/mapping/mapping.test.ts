import { describe, expect, it } from '@jest/globals';

import { CliError, exitCodes } from '../../errors.js';
import { readMapping } from './mapping.js';
import { compileTemplate } from './template.js';

const problemsOf = (text: string): readonly string[] => {
  try {
    readMapping('/somewhere/deals.yaml', text);
    return [];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    expect(error.exitCode).toBe(exitCodes.configuration);
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
};

const minimal = 'object: opportunity\nfields:\n  name: { column: Name }\n';

describe('readMapping', () => {
  it('reads YAML and JSON', () => {
    const json = JSON.stringify({
      object: 'contact',
      fields: { email: { column: 'E-mail', transform: ['trim', 'lower'] } },
    });
    expect(readMapping('m.json', json).fields[0]?.name).toBe('email');
    expect(readMapping('m.yaml', minimal).fields[0]?.name).toBe('name');
  });

  it('records where columns are used, for the check against the header', () => {
    const mapping = readMapping('deals.yaml', `${minimal}  next_step:\n    template: '{A} {B}'\n`);
    expect(mapping.columnUses).toEqual([
      { column: 'Name', place: 'deals.yaml:3: fields.name.column' },
      { column: 'A', place: 'deals.yaml:5: fields.next_step.template' },
      { column: 'B', place: 'deals.yaml:5: fields.next_step.template' },
    ]);
  });

  it('refuses numbers with more digits than it can store', () => {
    const text = `${minimal}  amount: { column: V, empty: { value: 999999999999.99998 } }\n  close_date: { value: 1.50 }\n`;
    expect(problemsOf(text)).toEqual([expect.stringMatching(/^deals\.yaml:4: 999999999999\.99998 has more digits/)]);
  });

  it('names every problem with its key and line', () => {
    const text = [
      'object: opportunity',
      'fields:',
      '  name:',
      '    column: Name',
      '    transform: [trimm]',
      '  close_date:',
      '    column: Closed',
      '  amuont: { column: Value }',
      '  custom_fields.Bad-Slug: { column: X }',
      '  stage: {}',
      '  owner_email: { column: A, value: b }',
      '  next_action_date:',
      '    column: Next',
      '    transform:',
      '      - date: D/M/Y',
    ].join('\n');
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(
        /^deals\.yaml:5: fields\.name\.transform\[0\]: must be trim, lower, email, number, boolean, or one of/,
      ),
      expect.stringMatching(/^deals\.yaml:6: fields\.close_date: needs a date format/),
      expect.stringMatching(
        /^deals\.yaml:8: fields\.amuont: unknown; the fields of opportunity are name, stage, additional_contact_emails, external_id, amount/,
      ),
      expect.stringMatching(/^deals\.yaml:9: fields\.custom_fields\.Bad-Slug: unknown/),
      expect.stringMatching(/^deals\.yaml:10: fields\.stage: needs exactly one of column, value, template/),
      expect.stringMatching(/^deals\.yaml:11: fields\.owner_email: needs exactly one of/),
      expect.stringMatching(/^deals\.yaml:15: fields\.next_action_date\.transform\[0\]: date: "D" is not a token/),
      expect.stringMatching(/^deals\.yaml:12: fields\.next_action_date: needs a date format/),
    ]);
  });

  it.each([
    ['[{ strip: [€, 5] }]', 'transform[0].strip[1]: must be a string'],
    ['[{ strip: [] }]', 'transform[0].strip: must have at least 1 item'],
    ['[{ replace: {} }]', 'replace: needs texts to replace'],
    ["[{ replace: { '': a } }]", 'replace: needs texts to replace'],
    ['[{ replace: { a: {} } }]', 'replace.a: must be a string or a number'],
    ['[{ map: [a] }]', 'map: must be an object'],
    ['[{ map: { a: [b] } }]', 'map.a: must be a string or a number or true or false'],
    ['[{ map: { a: b }, lower: {} }]', 'must be trim'],
    ['[{ split: ";", default: a }]', 'only map takes a default'],
    ['[{ number: { group: . } }]', 'must differ'],
    ['[{ number: { group: ", " } }]', 'number.group: has the wrong format'],
    ['[{ number: { group: "-" } }]', 'number.group: has the wrong format'],
    ["[{ number: { group: '0' } }]", 'number.group: has the wrong format'],
    ['[{ number: { thousands: "," } }]', 'number.thousands: is not a known field'],
    ['date', 'must be trim'],
    ['[{ slug_domian: .com }]', 'slug_domian: is not a known field, did you mean slug_domain?'],
  ])('refuses transform: %s', (transform, problem) => {
    expect(problemsOf(`object: contact\nfields: { email: { column: A, transform: ${transform} } }`)[0]).toContain(
      problem,
    );
  });

  it.each([
    ['object: deal\nfields: {}', /^deals\.yaml:1: object: must be one of opportunity/],
    ['object: opportunity\nfields:\n  amount: { column: V }', /^deals\.yaml:2: fields: name is missing/],
    ['object: opportunity', /^deals\.yaml: fields: is required/],
    ['object: [', /^deals\.yaml:1: /],
    [`${minimal}pipeline: A\npipeline_id: B`, /^deals\.yaml:4: pipeline: give pipeline_id or pipeline, not both/],
    [
      'object: account\npipeline: A\nfields: { domain: { column: D } }',
      /^deals\.yaml:2: pipeline: applies only to opportunities/,
    ],
    [`${minimal}  amount: { column: V, transform: [{ split: ";" }] }`, /fields\.amount: split makes a list/],
    [`${minimal}  amount: { column: V, transform: [number, trim] }`, /number must be the last transform/],
    [`${minimal}  next_step: [{ column: A }, { column: B }]`, /fields\.next_step: takes one value/],
    [`${minimal}columns: { Name: number }`, /^deals\.yaml:4: columns\.Name: use number, boolean, date and split in/],
    [`${minimal}skip_when: [{ column: A }]`, /^deals\.yaml:4: skip_when\[0\]: needs either in/],
    [`${minimal}encoding: ebcdic`, /^deals\.yaml:4: encoding: must be utf-8/],
    ['', /^deals\.yaml: must be a JSON object/],
    [`${minimal}delimeter: ';'`, /^deals\.yaml:4: delimeter: is not a known field, did you mean delimiter\?/],
  ])('refuses %j', (text, expected) => {
    expect(problemsOf(text)[0]).toMatch(expected);
  });
});

describe('compileTemplate', () => {
  const fill = (source: string, row: Readonly<Record<string, string>>): string => {
    const template = compileTemplate(source);
    return template.ok ? template.value.fill((column) => row[column] ?? '') : `refused: ${template.message}`;
  };

  it.each([
    ['{Account}-{Product name}', { Account: 'Acme', 'Product name': 'GTX' }, 'Acme-GTX'],
    ['{a} / {b}', { a: '', b: ' ' }, ''],
    ['{a} {b}', { a: '', b: 'x' }, 'x'],
    ['{a}{b}', { a: '{b}', b: '$&' }, '{b}$&'],
    ['{{{a}}}', { a: 'x' }, '{x}'],
  ])('fills %s from %j', (source, row, text) => {
    expect(fill(source, row)).toBe(text);
  });

  it.each(['{a', 'a}', 'no column', 'x {} y'])('refuses %s', (source) => {
    expect(fill(source, {})).toMatch(/^refused/);
  });
});
