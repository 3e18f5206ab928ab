import {
  attributeTypes,
  type AttributeType,
  type CustomFieldDefinition,
  objectTypes,
  parseCustomValue,
} from '@crm/domain';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { noteSchema, recordSchemaOf } from './record-schema.js';

// Not the validator of the gateways: what a tool that reads the schema would use.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
formats.default(ajv);
ajv.addVocabulary(['x-attribute-type', 'x-extensible-enum', 'x-currency', 'x-hidden']);

const ann = '01920000-0000-7000-8000-00000000000a';
const options = ['a', 'Ä b'].map((value) => ({ label: value, value, color: 'red' }));
const archived = [...options, { label: 'old', value: 'old', color: 'red', archived: true }];

/** By type: values as they are sent, the hardest that are accepted, and values that no read returns. */
const values: Readonly<Record<AttributeType, readonly [sent: readonly unknown[], never: readonly unknown[]]>> = {
  string: [['', ' \n😀'], [1]],
  email: [
    ["A!#$%&'*+/=?^_`{|}~-b@Müller.example", `${'a'.repeat(64)}@b-1.c.example`],
    ['a', 'a@b c'],
  ],
  phone: [['+1 (415) 555-01.23', ' 0800 CALL ANN '], [415]],
  website: [['münchen.de:8080/a?b|c', 'HTTPS://Example.com'], [true]],
  url: [['https://10.0.0.1:8443/x|y?q=ü"#{[^]}', 'http://[::1]/%zz'], [['https://a.example']]],
  number: [[1e-15, -999_999_999_999_999, -0], ['1']],
  percentage: [[-250, 0.1], ['50%']],
  currency: [[99_999_999_999.9999], ['1.00', null]],
  rating: [
    [0, 5],
    [-1, 2.5],
  ],
  checkbox: [
    [false, true],
    [0, 'true'],
  ],
  date: [
    ['2024-02-29', '0001-01-01', '9999-12-31', Date.UTC(1960, 0, 1)],
    ['2023-02-29', '2026-01-01T00:00:00Z'],
  ],
  datetime: [
    ['2026-02-28T23:30:00.123456+14:00', '1960-01-01T00:00:00Z'],
    ['2026-02-28', 0],
  ],
  timestamp: [
    ['1960-01-01T00:00:00Z', 4_102_444_800_000],
    ['2026-02-28T00:00:00.000Z', 0.5],
  ],
  time: [
    ['09:30', '23:59:59', '00:00'],
    ['9:30', '24:00', '09:30:00Z'],
  ],
  date_range: [
    [{ start: '2026-01-01' }, { end: '2026-01-01' }],
    [{ start: 0 }, '2026-01-01'],
  ],
  select: [
    ['a', 'Ä b'],
    [['a'], null],
  ],
  radio: [['Ä b'], [1]],
  multi_select: [
    [[], ['Ä b', 'a']],
    ['a', [1]],
  ],
  team_members: [
    [[], [ann]],
    [['ann@acme.com'], ann],
  ],
  location: [
    ['1 Main St', { lat: -90, lng: 180 }, { city: 'Zürich' }],
    ['1 Main St', { city: 1 }],
  ],
};

const fieldOf = (attributeType: AttributeType): CustomFieldDefinition => ({
  ...{ id: ann, objectType: 'account', slug: attributeType, name: `The ${attributeType}`, attributeType, position: 0 },
  ...{ metadata: { options: archived, currency: 'EUR' }, isHidden: false, pipelineIds: null, slot: null },
});
const schemaOf = (fields: readonly CustomFieldDefinition[]) => {
  const { required, ...schema } = recordSchemaOf('account', fields);
  expect(required).toContain('custom_fields');
  return schema;
};

describe('the JSON Schema of records', () => {
  test.each(attributeTypes)('takes every value of a %s, and no other kind of value', (type) => {
    const accepts = ajv.compile(schemaOf([fieldOf(type)]));
    const [sent, never] = values[type];
    const read = sent.map((input) => parseCustomValue(fieldOf(type), input, { findMemberId: (id) => id }));
    expect(read.filter(({ ok }) => !ok)).toEqual([]);
    const record = (value: unknown) => ({ custom_fields: { [type]: value } });
    const refused = read.flatMap((each) =>
      each.ok && !accepts(record(each.value)) ? [[each.value, accepts.errors]] : [],
    );
    expect(refused).toEqual([]);
    expect(never.filter((value) => accepts(record(value)))).toEqual([]);
  });

  test('takes what a later version or an administrator adds: properties, options, higher ratings', () => {
    const later = {
      name: 'a',
      custom_fields: { select: 'new', rating: 50, location: { formatted: 'a', floor: 3 } },
      b: 1,
    };
    const fields = (['select', 'rating', 'location'] as const).map(fieldOf);
    expect(ajv.compile(schemaOf(fields))(later)).toBe(true);
    for (const schema of [...objectTypes.map((object) => recordSchemaOf(object, fields)), noteSchema()])
      expect(JSON.stringify(schema)).not.toMatch(/"additionalProperties":|"(enum|const|x-check|x-document)":/);
  });

  test('names the type, the options that can be chosen, the currency, and whether a field is hidden', () => {
    const fields = [fieldOf('select'), fieldOf('currency'), { ...fieldOf('string'), isHidden: true }];
    const { custom_fields } = recordSchemaOf('account', fields)['properties'] as Record<
      string,
      { properties: unknown }
    >;
    expect(custom_fields?.properties).toEqual({
      select: {
        type: 'string',
        title: 'The select',
        'x-attribute-type': 'select',
        'x-extensible-enum': ['a', 'Ä b'],
      },
      currency: {
        ...{ type: 'number', format: 'double', title: 'The currency' },
        ...{ 'x-attribute-type': 'currency', 'x-currency': 'EUR' },
      },
      string: { type: 'string', title: 'The string', 'x-attribute-type': 'string', 'x-hidden': true },
    });
  });
});
