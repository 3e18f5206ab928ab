import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isBlank } from '@crm/domain';
import { propertyRuns } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { guessTransforms } from './init/guess-transforms.js';
import { convertRow } from './mapping/convert-row.js';
import { readMapping } from './mapping/mapping.js';
import { compileStep, type TransformName } from './mapping/transforms.js';
import { openCsv } from './source/csv-rows.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-dialects-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** The bytes of each character that an encoding has. */
const bytesByCharacter = (encoding: string): ReadonlyMap<string, Buffer> => {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map<string, Buffer>();
  const add = (buffer: Buffer): void => {
    const text = decoder.decode(buffer, { stream: true }) + decoder.decode();
    if ([...text].length === 1 && !/[\p{Cc}\uFFFD]/u.test(text) && !bytes.has(text)) bytes.set(text, buffer);
  };
  for (let byte = 0x20; byte < 0x100; byte += 1) add(Buffer.from([byte]));
  if (/^(shift|gb|euc|big)/.test(encoding))
    for (let lead = 0x81; lead < 0xff; lead += 7)
      for (let trail = 0x40; trail < 0xff; trail += 1) add(Buffer.from([lead, trail]));
  for (const sign of '\r\n\t') bytes.set(sign, Buffer.from(sign));
  return bytes;
};

const eightBit = ['windows-1252', 'windows-1251', 'koi8-r', 'macintosh', 'iso-8859-15', 'shift_jis', 'gb18030'];
const repertoires = new Map(eightBit.map((name) => [name, bytesByCharacter(name)]));

const encode = (text: string, encoding: string): Buffer => {
  const repertoire = repertoires.get(encoding);
  if (repertoire !== undefined) return Buffer.concat([...text].map((sign) => repertoire.get(sign) ?? Buffer.from('?')));
  if (encoding === 'utf-8') return Buffer.from(text);
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return encoding === 'utf-16le' ? little : little.swap16();
};

const group = (digits: string, sign: string): string => digits.replace(/\B(?=(\d{3})+$)/g, sign);
const signed = (value: number, print: (digits: string, decimals: string) => string): string => {
  const [whole = '0', decimals = ''] = Math.abs(value).toFixed(2).split('.');
  return (value < 0 ? '-' : '') + print(whole, decimals);
};
const minusSign = (text: string): string => text.replace('-', '−');

/** How a dialect writes amounts, and the transform that reads them. */
const numbers: readonly (readonly [transform: string, print: (value: number) => string])[] = [
  ['number', (value) => String(value)],
  ["{ number: { group: ',' } }", (value) => signed(value, (whole, rest) => `${group(whole, ',')}.${rest}`)],
  [
    "{ number: { decimal: ',', group: '.' } }",
    (value) => signed(value, (whole, rest) => `${group(whole, '.')},${rest}`),
  ],
  [
    "{ number: { decimal: ',', group: ' ' } }",
    (value) => minusSign(signed(value, (whole, rest) => `${group(whole, '\u202f')},${rest}`)),
  ],
  [
    "{ number: { group: '’', units: { CHF: 1 } } }",
    (value) => `CHF ${signed(value, (whole, rest) => `${group(whole, "'")}.${rest}`)}`,
  ],
  ["{ number: { units: { '()': -1, €: 1 } } }", (value) => (value < 0 ? `(${-value} €)` : `${value} €`)],
];

const two = (value: number): string => String(value).padStart(2, '0');
const month = (date: Date, language: string): string =>
  new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' }).format(date);

/** How a dialect writes minutes, and the format that reads them. */
const dates: readonly (readonly [format: string, print: (date: Date) => string])[] = [
  ['yyyy-MM-dd[THH:mm[:ss[.S]][Z]]', (date) => date.toISOString()],
  [
    'd.M.yyyy H:mm',
    (date) =>
      `${date.getUTCDate()}.${date.getUTCMonth() + 1}.${date.getUTCFullYear()} ${date.getUTCHours()}:${two(date.getUTCMinutes())}`,
  ],
  [
    'M/d/yy h:mm a',
    (date) =>
      `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${two(date.getUTCFullYear() % 100)} ${date.getUTCHours() % 12 || 12}:${two(date.getUTCMinutes())} ${date.getUTCHours() < 12 ? 'AM' : 'pm'}`,
  ],
  [
    'd MMM yyyy HH:mm',
    (date) =>
      `${date.getUTCDate()} ${month(date, 'fr')} ${date.getUTCFullYear()} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`,
  ],
  [
    'dd/MM/yyyy HH:mm Z',
    (date) =>
      `${new Date(date.getTime() + 5_400_000).toISOString().replace(/^(\d+)-(\d+)-(\d+)T(\d+:\d+).*/, '$3/$2/$1 $4')} +01:30`,
  ],
  ['unix', (date) => String(date.getTime() / 1000)],
  ['excel', (date) => String(date.getTime() / 86_400_000 + 25_569)],
];

const words = [
  ['true', 'false'],
  ['Ja', 'Nein'],
  ['oui', 'non'],
  ['1', '0'],
  ['да', 'нет'],
] as const;

const dialect = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  encoding: fc.constantFrom('utf-8', 'utf-16le', 'utf-16be', ...eightBit),
  start: fc.constantFrom('', 'sep', 'preamble'),
  quotes: fc.constantFrom('all', 'needed', 'stray'),
  number: fc.constantFrom(...numbers),
  date: fc.constantFrom(...dates),
  words: fc.constantFrom(...words),
});

type Dialect = typeof dialect extends fc.Arbitrary<infer T> ? T : never;

const cellOf = (text: string, { quotes, delimiter }: Dialect): string => {
  const isStray =
    quotes === 'stray' && !text.trimStart().startsWith('"') && !text.includes(delimiter) && !/[\r\n]/.test(text);
  const isNeeded = text.includes('"') || text.includes(delimiter) || /[\r\n]/.test(text);
  return quotes === 'all' || (isNeeded && !isStray) ? `"${text.replaceAll('"', '""')}"` : text;
};

const textFor = (encoding: string): fc.Arbitrary<string> => {
  const repertoire = repertoires.get(encoding);
  const sign =
    repertoire === undefined
      ? fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })
      : fc.constantFrom(...repertoire.keys());
  const odd = fc.constantFrom('"', ',', ';', '|', '\t', '\n', '\r\n', "'", ' ', '=', '#', '# CHECK: x');
  return (
    fc
      .array(fc.oneof({ weight: 4, arbitrary: sign }, odd), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.join(''))
      // A blank text, such as a soft hyphen alone, counts as not sent.
      .filter((text) => !isBlank(text) && !/[\0\uFFFD]/.test(text))
  );
};

/** The first years after 1970 as texts, because their milliseconds look like seconds. */
const sentInstant = (date: Date): number | string => (date.getTime() < 1e11 ? date.toISOString() : date.getTime());

const minutes = fc.integer({ min: 0, max: 51_000_000 }).map((minute) => new Date(minute * 60_000));
const amounts = fc.integer({ min: -1e11, max: 1e11 }).map((cents) => cents / 100);

const recordsOf = (given: Dialect) =>
  fc.array(
    fc.record({
      first_name: textFor(given.encoding),
      job_title: fc.option(textFor(given.encoding), { nil: undefined }),
      score: fc.option(amounts, { nil: undefined }),
      seen: fc.option(minutes, { nil: undefined }),
      vip: fc.option(fc.boolean(), { nil: undefined }),
      tags: fc.array(fc.constantFrom('a', 'b c', 'd'), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 6 },
  );

const mappingFor = ({ number: [number], date: [date], encoding }: Dialect): string => `
object: contact
${eightBit.includes(encoding) ? `encoding: ${encoding}` : ''}
fields:
  email: { column: Email }
  first_name: { column: First }
  job_title: { column: Job }
  custom_fields.score: { column: Score, transform: [${number}] }
  custom_fields.seen: { column: Seen, transform: [{ date: ${JSON.stringify(date)} }] }
  custom_fields.vip: { column: Vip, transform: [boolean] }
  custom_fields.tags: { column: Tags, transform: [{ split: '+' }] }
`;

describe('files in all dialects', () => {
  it('R36: are read back as the records that were written', async () => {
    const cases = dialect.chain((given) => fc.tuple(fc.constant(given), recordsOf(given)));
    await fc.assert(
      fc.asyncProperty(cases, async ([given, records]) => {
        const { delimiter, lineEnd, start, encoding, number, date } = given;
        const [yes, no] = /^(utf|windows-1251|koi8)/.test(encoding) || given.words[0] !== 'да' ? given.words : words[0];
        const line = (cells: readonly string[]): string => cells.map((cell) => cellOf(cell, given)).join(delimiter);
        const printed = (print: (value: number) => string, value: number): string => {
          const text = print(value);
          const repertoire = repertoires.get(encoding);
          // The encoding may lack a minus or a space of the format.
          return repertoire === undefined || [...text].every((sign) => repertoire.has(sign))
            ? text
            : text.replace('−', '-').replaceAll('\u202f', ' ').replace('€', '');
        };
        const rows = records.map(({ first_name, job_title = '', score, seen, vip, tags }, index) =>
          line([
            `a${index}@x.example`,
            first_name,
            job_title,
            score === undefined ? '' : printed(number[1], score),
            seen === undefined
              ? ''
              : [...date[1](seen)].every((sign) => repertoires.get(encoding)?.has(sign) ?? true)
                ? date[1](seen)
                : '',
            vip === undefined ? '' : vip ? yes : no,
            tags.join('+'),
          ]),
        );
        const first: readonly string[] = { '': [], sep: [`sep=${delimiter}`], preamble: ['A report', ''] }[start];
        const text = [...first, line(['Email', 'First', 'Job', 'Score', 'Seen', 'Vip', 'Tags']), ...rows, ''].join(
          lineEnd,
        );
        const file = join(directory, 'in.csv');
        await writeFile(file, encode(text, encoding));
        const mapping = readMapping('in.yaml', mappingFor(given));
        const source = await openCsv(file, { encoding: mapping.encoding });
        const read: unknown[] = [];
        for await (const { row, problems } of source.rows) {
          const converted = problems.length > 0 ? { problems } : convertRow(mapping, undefined, row);
          read.push(
            converted === 'skipped' || converted.problems.length > 0
              ? converted
              : 'body' in converted && converted.body,
          );
        }
        const clean = (value: object): object => JSON.parse(JSON.stringify(value)) as object;
        expect(read).toEqual(
          records.map(({ first_name, job_title, score, seen, vip, tags }, index) => {
            const isLost =
              seen !== undefined && ![...date[1](seen)].every((sign) => repertoires.get(encoding)?.has(sign) ?? true);
            const custom = clean({
              score,
              seen: isLost || seen === undefined ? undefined : sentInstant(seen),
              vip,
              ...(tags.length > 0 && { tags }),
            });
            const more = Object.keys(custom).length === 0 ? {} : { custom_fields: custom };
            return { ...clean({ email: `a${index}@x.example`, first_name, job_title: job_title }), ...more };
          }),
        );
      }),
      { numRuns: propertyRuns({ short: 25, soak: 3000 }) },
    );
  });

  const guessed = (field: string, cells: readonly string[]) => {
    const { transform, doubts } = guessTransforms('opportunity', field, cells);
    const [, name = 'number', argument = '{}'] = /^\[ \{ (number|date): (.*) \} \]$/.exec(transform) ?? [];
    return { name: name as TransformName, argument, doubts };
  };

  it('R36: have a guess that reads the values as written, or shows a doubt', () => {
    const dated = fc.tuple(fc.constantFrom(...dates), fc.array(minutes, { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(dated, ([[, print], values]) => {
        const cells = values.map(print);
        const { argument, doubts } = guessed('close_date', cells);
        if (doubts.length > 0) return;
        const step = compileStep('date', argument.replace(/^"|"$/g, ''));
        const read = cells.map((cell) => (step.ok ? step.value.apply(cell) : step));
        expect(read).toEqual(values.map((value) => ({ ok: true, value: sentInstant(value) })));
      }),
      { numRuns: propertyRuns({ short: 20, soak: 3000 }) },
    );
    const counted = fc.tuple(fc.constantFrom(...numbers), fc.array(amounts, { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(counted, ([[, print], values]) => {
        const cells = values.map(print);
        const text = guessTransforms('opportunity', 'amount', cells);
        if (text.doubts.length > 0) return;
        const mapping = readMapping(
          'x.yaml',
          `object: opportunity\nfields:\n  name: { value: x }\n  amount:\n    column: A\n    transform: ${text.transform || '[]'}\n`,
        );
        const read = cells.map((cell) => mapping.fields[1]?.read(new Map([['A', cell]])));
        expect(read).toEqual(values.map((value) => ({ ok: true, value: value === 0 ? 0 : value })));
      }),
      { numRuns: propertyRuns({ short: 20, soak: 3000 }) },
    );
  });
});
