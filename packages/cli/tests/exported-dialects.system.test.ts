// Records with custom fields of all types, in files as crm export writes them and as other programs save them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  type AttributeType,
  attributeTypes,
  type CustomFieldDefinition,
  maxEpochMs,
  minEpochMs,
  ok,
  parseCustomValue,
} from '@crm/domain';
import { propertyRuns } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { systemColumns, type ExportRecord } from '../src/export/columns.js';
import { makeRowFormat } from '../src/export/row-format.js';
import { convertExported } from '../src/import/mapping/exported-record.js';
import { openCsv } from '../src/import/source/csv-rows.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-exported-'));
});
afterAll(() => rm(directory, { recursive: true }));

const ann = '01920000-0000-7000-8000-00000000000a';
const gone = '01920000-0000-7000-8000-00000000000c';
const options = [
  { value: 'hot', label: 'Hot, "new"', color: 'red' },
  { value: 'cold', label: 'Cold', color: 'red' },
  { value: 'old', label: 'Hot, "new"', color: 'red', archived: true },
];
const definitions = attributeTypes.map((attributeType): CustomFieldDefinition => {
  const id = `01920000-0000-7000-8000-${String(attributeTypes.indexOf(attributeType)).padStart(12, '0')}`;
  const common = {
    id,
    slug: attributeType,
    name: attributeType,
    pipelineIds: null,
    objectType: 'opportunity',
  } as const;
  return { ...common, position: 0, isHidden: false, slot: null, attributeType, metadata: { options, max: 5 } };
});
const references = { findMemberId: (key: string) => (['ann@x.example', ann].includes(key) ? ann : undefined) };
const stored = (type: string, value: unknown): unknown => {
  const definition = definitions.find(({ slug }) => slug === type);
  const read = definition === undefined ? ok(value) : parseCustomValue(definition, value, references);
  return read.ok ? read.value : `refused: ${read.message}`;
};

const odd = fc.constantFrom(
  '"',
  ',',
  ';',
  '|',
  '\t',
  '\n',
  '\r\n',
  "'",
  '=',
  '+',
  '-',
  '@',
  ' ',
  '#',
  '[]',
  '{}',
  'null',
  'é',
  'ß',
  '007',
);
const anyText = (unit: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(fc.oneof({ weight: 2, arbitrary: unit }, odd), { maxLength: 6 }).map((parts) => parts.join(''));
const instant = fc.integer({ min: minEpochMs, max: maxEpochMs });
const day = instant.map((ms) => new Date(ms).toISOString().slice(0, 10));
const decimal = fc.tuple(fc.integer({ min: -1e10, max: 1e10 }), fc.constantFrom(1, 100, 10_000)).map(([a, b]) => a / b);
const decimalDegrees = fc.constantFrom(-179.5, 0, 13.4);
const option = fc.constantFrom(...options.map(({ value }) => value));

/** The values of each type as the API reads them. */
const valuesOf = (text: fc.Arbitrary<string>): Readonly<Record<AttributeType, fc.Arbitrary<unknown>>> => ({
  string: text,
  number: decimal,
  currency: decimal,
  percentage: decimal,
  rating: fc.integer({ min: 0, max: 9 }),
  checkbox: fc.boolean(),
  date: day,
  date_range: fc.tuple(day, day).map((days) => {
    const [start, end] = days.sort();
    return { start, end };
  }),
  timestamp: instant,
  datetime: instant.map((ms) => new Date(ms).toISOString()),
  time: fc.integer({ min: 0, max: 86_399 }).map((second) => new Date(second * 1000).toISOString().slice(11, 19)),
  select: option,
  radio: option,
  multi_select: fc.uniqueArray(option, { minLength: 1 }),
  team_members: fc.constantFrom([ann], [gone], [ann, gone]),
  location: fc.record({ city: text.filter((city) => city.trim() !== ''), lat: fc.constant(52.5), lng: decimalDegrees }),
  email: fc.constantFrom('ann+crm@x.example', 'o_b@xn--mnchen-3ya.example'),
  phone: fc.constantFrom('+4930123456', '0800 CALL', '+49 30 1 / +49 30 2', '-'),
  website: fc.constantFrom('www.example.com', 'https://example.com/a?b=c,d;e'),
  url: fc.constantFrom('https://example.com/%22?b=c,d;e', 'http://10.0.0.1:8080/'),
});

const dialects = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  bom: fc.boolean(),
  raw: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  hasSeparatorLine: fc.boolean(),
  encoding: fc.constantFrom('utf-8', 'utf-16le', 'utf-16be', 'windows-1252'),
});

const encode = (text: string, encoding: string): Buffer => {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'windows-1252') return Buffer.from(text, 'latin1');
  const little = Buffer.from(`\uFEFF${text.replace(/^\uFEFF/, '')}`, 'utf16le');
  return encoding === 'utf-16le' ? little : little.swap16();
};

const cases = dialects.chain((dialect) => {
  const unit =
    dialect.encoding === 'windows-1252'
      ? fc.constantFrom('a', 'Z', '9', 'ä', 'Ö', '½')
      : fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 });
  const text = anyText(unit).filter((made) => !made.includes('\0'));
  const values = valuesOf(text);
  const custom = fc.record(
    Object.fromEntries(attributeTypes.map((type) => [type, values[type].map((value) => stored(type, value))])),
    { requiredKeys: [] },
  );
  const record = fc.record({
    name: text.filter((made) => made.trim() !== ''),
    next_step: fc.option(text),
    amount: fc.option(decimal),
    close_date: fc.option(instant),
    additional_contacts: fc.array(
      fc.constantFrom('a@x.example', 'b@x.example').map((contact_email) => ({ contact_email })),
    ),
    custom_fields: custom,
  });
  return fc.tuple(fc.constant(dialect), fc.array(record, { minLength: 1, maxLength: 5 }));
});

const pipelines = () => ok({ id: 'p', stageId: (label: string) => ok(label) });

it('R36: records with all types of fields are read back as they were, from files in all dialects', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ([{ lineEnd, hasSeparatorLine, encoding, ...style }, records]) => {
      const columns = { system: systemColumns('opportunities'), custom: attributeTypes };
      const customValues = (record: ExportRecord): Readonly<Record<string, unknown>> =>
        Object.fromEntries(
          Object.entries('custom_fields' in record ? record.custom_fields : {}).map(([type, value]) => [
            type,
            type === 'timestamp' ? new Date(Number(value)).toISOString() : value,
          ]),
        );
      const bom = style.bom && encoding !== 'windows-1252';
      const { header, line } = makeRowFormat('csv', columns, customValues, { ...style, bom });
      const full = records.map(
        (one) => ({ ...one, pipeline_name: 'Sales', stage_name: 'Won' }) as unknown as ExportRecord,
      );
      const lines = [header.replace(/^\uFEFF/, ''), ...full.map(line)].map((one) => one.replace(/\n$/, lineEnd));
      const start = `${bom ? '\uFEFF' : ''}${hasSeparatorLine ? `sep=${style.delimiter}${lineEnd}` : ''}`;
      const file = join(directory, 'out.csv');
      await writeFile(file, encode(start + lines.join(''), encoding));
      const given = encoding === 'windows-1252' ? { encoding } : {};
      const source = await openCsv(file, { ...given, isExport: true, hasEscapedFormulas: !style.raw });
      const read: unknown[] = [];
      const setup = { customTypes: new Map(attributeTypes.map((type) => [type as string, type])), pipelines };
      for await (const row of source.rows) {
        const { body, problems } = convertExported('opportunity', setup, row);
        const { custom_fields: custom = {}, ...opportunity } = (body?.['opportunity'] ?? {}) as Record<string, object>;
        const values = Object.entries(custom).map(([type, value]) => [type, stored(type, value)]);
        read.push({
          problems: [...row.problems, ...problems],
          related: body?.['related_objects'] ?? {},
          opportunity,
          custom: Object.fromEntries(values) as object,
        });
      }
      const expected = records.map(({ custom_fields: custom, additional_contacts: others, ...record }) => {
        const { close_date: date, amount, next_step: step, name } = record;
        return {
          problems: [],
          related: { additional_contact_emails: others.map(({ contact_email: email }) => email) },
          opportunity: {
            name,
            stage_id: 'Won',
            ...(amount !== null && { deal_size: amount }),
            ...(date !== null && { close_date: new Date(date).toISOString().replace('T00:00:00.000Z', '') }),
            ...(step !== null && { next_step: step }),
          },
          custom,
        };
      });
      expect(read).toEqual(expected);
    }),
    { numRuns: propertyRuns({ short: 100, soak: 3000 }) },
  );
});
