import { describe, expect, it } from '@jest/globals';

import { compileStep } from '../mapping/transforms.js';
import { currenciesOf, dateFormats } from './formats.js';
import { guessTransforms } from './guess-transforms.js';
import { guessMapping } from './mapping-text.js';

const amount = (...cells: string[]): string => {
  const { transform, doubts, notes } = guessTransforms('opportunity', 'amount', cells);
  return [transform, ...doubts.map((text) => `CHECK ${text}`), ...notes].join(' | ');
};
const date = (...cells: string[]): string => {
  const { transform, doubts, notes } = guessTransforms('opportunity', 'close_date', cells);
  return [transform, ...doubts.map((text) => `CHECK ${text}`), ...notes].join(' | ');
};

describe('the guessed format of amounts', () => {
  it.each([
    [['1234.56', '12'], ''],
    [['−1234.56', '12'], ''],
    [['１２３４.５'], ''],
    [['١٢٣٤٫٥'], '[ { number: { decimal: ٫, group: ٬ } } ]'],
    [['1,234.50', '5'], '[ { number: { group: "," } } ]'],
    [['1,23,456.00'], '[ { number: { group: "," } } ]'],
    [["1'234.50", '1’234'], `[ { number: { group: "'" } } ]`],
    [['1\u00a0234,50', '1\u202f234,50', '7,5'], '[ { number: { decimal: ",", group: " " } } ]'],
    [['1.234,50 €', '7,00 €'], '[ { number: { decimal: ",", group: ".", units: { €: 1 } } } ]'],
    [["CHF 1'200.50", '-5 CHF'], `[ { number: { group: "'", units: { CHF: 1 } } } ]`],
    [['-$1,234.50', '$ 5'], '[ { number: { group: ",", units: { $: 1 } } } ]'],
    [['12.5 %', '3%'], '[ { number: { units: { "%": 1 } } } ]'],
  ])('has one reading in %j', (cells, expected) => {
    expect(amount(...cells)).toBe(expected);
  });

  it.each([
    [['250k', '1.2M'], /units: \{ k: 1000, M: 1000000 \}.*"250k" is read as 250000 \| CHECK "1.2M" is read as 1200000/],
    [
      ['1234.56 CR', '12.00 DR'],
      /units: \{ CR: -1, DR: 1 \}.*"1234.56 CR" is read as -1234.56 \| CHECK "12.00 DR" is read/,
    ],
    [['99/month'], /units: \{ \/month: 1 \}.*CHECK "99\/month" is read as 99$/],
    [['(1,234.50)', '5'], /units: \{ \(\): -1 \}.*"\(1,234.50\)" is read as -1234.5$/],
    [['1234.50-'], /units: \{ "-": -1 \}.*"1234.50-" is read as -1234.5$/],
    [['3 Mio. €'], /"3 Mio. €" is read as 3000000$/],
    [['5 k€'], /units: \{ k: 1000, €: 1 \}.*"5 k€" is read as 5000$/],
    [['2 lakh', '1.5 bn'], /"2 lakh" is read as 200000 \| CHECK "1.5 bn" is read as 1500000000$/],
    [['5 kg'], /units: \{ kg: 1 \}.*"5 kg" is read as 5$/],
    [['1.234'], /"1.234" is 1.234, or 1234 with \[ \{ number: \{ decimal: ",", group: "\." \} \} \]$/],
    [['12,500', '950'], /"12,500" is 12500, or 12.5 with/],
    [['1.234,50', '5.5'], /CHECK "1.234,50" does not fit .*, or 1234.5 with/],
    [['2x500', '500 x'], /CHECK/],
    [['–5'], /"–5" is read as -5$/],
    [['10-20', '5–6'], /CHECK "10-20" is not a number of a known format$/],
    [['½'], /CHECK "½" is not a number/],
  ])('is in doubt in %j', (cells, expected) => {
    expect(amount(...cells)).toMatch(expected);
  });

  it('rejects cells that no format reads, without a doubt about the others', () => {
    expect(amount('1.234,50', 'auf Anfrage')).toMatch(
      /^\[ \{ number: .* \| does not fit 1 of 2 values: "auf Anfrage"$/,
    );
  });
});

describe('the guessed format of dates', () => {
  it('is one that compiles', () => {
    for (const { format } of dateFormats) expect([format, compileStep('date', format).ok]).toEqual([format, true]);
  });

  it.each([
    [['01-31-2026', '02-05-2026', '03-04-2026'], 'M-d-yyyy'],
    [['31/01/2026 14:05', '01/02/2026 9:30'], 'd/M/yyyy H:mm'],
    [['1/31/2026 2:05 PM', '2/1/2026 12:00 AM'], 'M/d/yyyy h:mm a'],
    [['1.2.2026', '31.12.2025'], 'd.M.yyyy'],
    [['2026-01-31', '2026-02-03'], 'yyyy-M-d'],
    [['2026-31-01', '2026-02-03'], 'yyyy-d-M'],
    [['2026/01/31'], 'yyyy/M/d'],
    [['31-Jan-2026', '1-Feb-2026'], 'd-MMM-yyyy'],
    [['3. März 2026', '1. Oktober 2025'], 'd. MMM yyyy'],
    [['3 févr. 2026', '14 juillet 2025'], 'd MMM yyyy'],
    [['April 3, 2026', 'Dec 1, 2025'], 'MMM d, yyyy'],
    [['3 апреля 2026'], 'd MMM yyyy'],
    [['2026年4月3日'], `yyyy'年'M'月'd'日'`],
    [['20260403'], 'yyyyMMdd'],
    [['1767225600'], 'unix'],
    [['1767225600000'], 'unix-ms'],
    [['２０２６/０４/２３'], 'yyyy/M/d'],
  ])('has one reading in %j', (cells, format) => {
    expect(date(...cells).replace(/[ "]/g, '')).toBe(`[{date:${format}}]`.replace(/[ "]/g, ''));
  });

  it.each([
    ['2026-01-31T10:00:00.123Z', '2026-01-31T10:00:00.123'],
    ['2026-01-31T10:00:00+02:00', '2026-01-31T08:00'],
    ['2026-01-31 10:00:00.5', '2026-01-31T10:00:00.500'],
    ['31/01/2026 10:00 +0100', '2026-01-31T09:00'],
    ['1/31/2026, 10:05:06 PM', '2026-01-31T22:05:06.000'],
  ])('reads %s exactly', (cell, expected) => {
    const { transform } = guessTransforms('opportunity', 'close_date', [cell]);
    const format = /date: "?(.*?)"? \} \]$/.exec(transform)?.[1] ?? '';
    const step = compileStep('date', format);
    const value = step.ok ? step.value.apply(cell) : step;
    expect(new Date(value.ok ? Number(value.value) : NaN).toISOString()).toContain(expected);
  });

  it.each([
    [['03/04/26', '05/06/26'], /"03\/04\/26" is 2026-04-03, or 2026-03-04 with M\/d\/yy/],
    [['03/04/2026'], /"03\/04\/2026" is 2026-04-03, or 2026-03-04 with M\/d\/yyyy$/],
    [['03.04.2026 10:00'], /is 2026-04-03T10:00, or 2026-03-04T10:00 with M\.d\.yyyy/],
    [['03-04-2026 1:00 PM'], /is 2026-04-03T13:00, or 2026-03-04T13:00 with/],
    [['25/12/31'], /"25\/12\/31" is 2031-12-25, or 2025-12-31 with yy\/M\/d/],
    [['13/04/2026', '04/13/2026'], /CHECK .*does not fit d\/M\/yyyy, or 2026-04-13 with M\/d\/yyyy/],
    [['46115'], /"46115" is 2026-04-03, or 2030-04-04 with excel-1904/],
    [['13/04/2569'], /CHECK "13\/04\/2569" is 2569-04-13$/],
    [['Q3 26'], /CHECK enter the format of "Q3 26"$/],
  ])('is in doubt in %j', (cells, expected) => {
    expect(date(...cells)).toMatch(expected);
  });
});

describe('other values', () => {
  const guess = (field: string, cells: readonly string[], type?: string): string => {
    const { transform, doubts } = guessTransforms('contact', field, cells, type);
    return [transform, ...doubts].join(' | ');
  };

  it.each([
    ['email', ['Ann <ann@x.com>', 'mailto:ben@x.com'], undefined, '[ email ]'],
    [
      'email',
      ['a@x.com; b@x.com'],
      undefined,
      '[ { first_of: ; } ] | only the first address of "a@x.com; b@x.com" is imported',
    ],
    ['custom_fields.vip', ['Ja', 'nein'], 'checkbox', '[ boolean ]'],
    ['custom_fields.vip', ['是', '否', 'да'], 'checkbox', '[ boolean ]'],
    ['custom_fields.vip', ['x', 'no'], 'checkbox', '[ boolean ] | does not fit 1 of 2 values: "x"'],
    ['custom_fields.tags', ['a | b'], 'multi_select', '[ { split: "|" } ]'],
    [
      'custom_fields.mail',
      ['a@x.com;b@x.com'],
      'email',
      '[ { first_of: ; } ] | only the first address of "a@x.com;b@x.com" is imported',
    ],
    ['email', ['Ann (ann@x.com)'], undefined, '[ email ]'],
    [
      'account_external_id',
      ['9001;9002'],
      undefined,
      '[ { first_of: ; } ] | only the first id of "9001;9002" is imported',
    ],
    [
      'account_domain',
      ['a.com, b.com'],
      undefined,
      '[ { first_of: "," } ] | only the first domain of "a.com, b.com" is imported',
    ],
    ['external_id', ['1.23E+17'], undefined, ' | "1.23E+17" is what a spreadsheet program made of another value'],
    ['phone', ['#N/A', '#####'], undefined, ' | "#N/A" is what a spreadsheet program made of another value'],
    ['phone', ['#12', '4E 5'], undefined, ''],
    ['custom_fields.share', ['0.25', '1'], 'percentage', '[ number ] | "0.25" is a share of 100, not of 1'],
    ['custom_fields.share', ['0.25', '12'], 'percentage', '[ number ]'],
  ])('of %s: %j', (field, cells, type, expected) => {
    expect(guess(field, cells, type)).toBe(expected);
  });

  it.each([
    ['€', ['EUR']],
    ['£', ['GBP']],
    ['zł', ['PLN']],
    ['US$', ['USD']],
    ['¥', ['JPY', 'CNY']],
    ['kr', ['DKK', 'ISK', 'NOK', 'SEK']],
    ['k', undefined],
  ])('%s is the sign of %j', (sign, codes) => {
    expect(currenciesOf(sign)).toEqual(codes);
  });
});

describe('the mapping of deals', () => {
  const mappingOf = (columns: Readonly<Record<string, readonly string[]>>): string =>
    guessMapping({
      name: 'deals.csv',
      object: 'opportunity',
      columns: new Map(Object.entries(columns)),
      customFields: [],
      settings: [],
    }).text;

  it.each([
    [{ Deal: ['A'], Amount: ['5 €'] }, /\n {2}currency:\n {4}value: EUR\n/],
    [{ Deal: ['A'], 'Amount (EUR)': ['5'] }, /\n {2}currency:\n {4}value: EUR\n/],
    [{ Deal: ['A'], Amount: ['$5'] }, /currency: # CHECK: "\$5" is USD or AUD or CAD.*\n {4}value: USD\n/],
    [{ Deal: ['A', 'B'], Amount: ['€5', '7'] }, /currency: # CHECK: "7" names no currency\n {4}value: EUR\n/],
    [
      { Deal: ['A', 'B'], Amount: ['€5', '£7'] },
      /currency:\n.*Amount\n {4}transform: \[ \{ find: \{ €: EUR, £: GBP \} \} \] # CHECK: "€5" is EUR; "£7" is GBP/,
    ],
    [{ Deal: ['A'], Amount: ['5'], 'Amount Currency': ['EUR'] }, /currency:\n {4}column: Amount Currency\n/],
    [{ Deal: ['A'], 'Amount (T€)': ['5'] }, /CHECK: the name of the column has "T€"/],
    [{ Deal: ['A'], 'Amount (converted)': ['5'], Amount: ['6'] }, /amount:\n {4}column: Amount\n/],
    [
      { 'Deal ID': ['1', '2'], Deal: ['R', 'R'] },
      /template: "\{Deal\} \{Deal ID\}" # CHECK: "R" is the name of 2 rows with/,
    ],
    [
      { Deal: ['R', 'R'], 'Account ID': ['1', '2'], 'Account Name': ['A', 'B'], Email: ['a@x.com', 'b@x.com'] },
      /Deal\n(?!.*\n {2}account_name:)/s,
    ],
    [
      { Deal: ['A'], 'Contact IDs': ['51;52'], 'Contact email': ['a@x.com; b@x.com'] },
      /_email:\n.*\n.*first_of: ; \} \] # CHECK: the first of "a@x.com.*additional_contact_emails:\n.*\n.*\[ \{ split: ; \} \]\n.*_id:\n.*\n.*first_of.*# CHECK: the first of "51;52".*additional_contact_external_ids:/s,
    ],
    [{ Deal: ['R', 'R'] }, /name: # CHECK: "R" is the name of 2 rows, which become one deal/],
    [{ 'Deal ID': ['1', '2'], Deal: ['R', 'R'], Website: ['a.com', 'b.com'] }, /name:\n {4}column: Deal\n/],
  ])('of %j', (columns, expected) => {
    expect(mappingOf(columns as Readonly<Record<string, readonly string[]>>)).toMatch(expected);
  });
});
