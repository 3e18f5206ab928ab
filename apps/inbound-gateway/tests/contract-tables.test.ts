import { readFileSync } from 'node:fs';
import { bounds, inboundOperations, readOperations } from '@crm/contract';
import {
  type AttributeType,
  attributeTypes,
  errorCatalogue,
  filterKindOf,
  maxCursorLength,
  maxEmailLength,
  maxFilterDepth,
  maxFilterLeaves,
  maxLocationPartLength,
  maxMarkRun,
  maxNameLength,
  maxQueryLength,
  maxSelections,
  maxSortKeys,
  maxStringLength,
  maxTeamMembers,
  objectTypes,
  operatorAliases,
  operatorsFor,
  type SystemField,
  systemFields,
} from '@crm/domain';
import { defaultRateLimits } from '@crm/http';
import { describe, expect, test } from '@jest/globals';
import { codesOf, readCheckedTable } from './support/checked-tables.js';

const page = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8');
const rowsOf = (name: string): string[][] => readCheckedTable(page, name);

const definitionOf = (attributeType: AttributeType) => ({
  id: '00000000-0000-7000-8000-000000000000',
  objectType: 'opportunity' as const,
  slug: 'field',
  name: 'Field',
  attributeType,
  metadata: null,
  position: 1,
  isHidden: false,
  pipelineIds: null,
  slot: null,
});

const operatorsOfType = (type: AttributeType): readonly string[] =>
  operatorsFor(filterKindOf({ source: 'custom', definition: definitionOf(type) }));

const operatorsOfField = (field: SystemField): readonly string[] =>
  operatorsFor(filterKindOf({ source: 'system', field }));

const sorted = (names: readonly string[]): string[] => [...names].sort();

describe('the tables of docs/contract.md', () => {
  test('list every operation with its request and group', () => {
    const rows = rowsOf('operations').map(([name, request, group]) => [name, codesOf(request)[0], codesOf(group)[0]]);
    const contracts = [...readOperations, ...inboundOperations];
    const expected = contracts.map(({ id, method, path, group }) => [id, `${method.toUpperCase()} ${path}`, group]);
    expect(rows.sort()).toEqual(expected.sort());
  });

  test('give the requests per minute', () => {
    const limits = rowsOf('rate limits').map(([group, limit]) => [codesOf(group)[0] ?? 'failedAuth', Number(limit)]);
    expect(Object.fromEntries(limits)).toEqual(defaultRateLimits);
  });

  test('list every system field and whether it is in every record', () => {
    for (const objectType of objectTypes) {
      const row = rowsOf('system fields').find(([object]) => object === objectType) ?? [];
      const namesOf = (always: boolean): string[] =>
        systemFields[objectType].filter((field) => field.always === always).map(({ name }) => name);
      expect([codesOf(row[1]), codesOf(row[2])]).toEqual([namesOf(true), namesOf(false)]);
    }
  });

  test('give the operators of every type and system field', () => {
    const rows = rowsOf('operators').map((row) => row.map(codesOf));
    const types = rows.flatMap(([names = [], , operators = []]) => names.map((name) => [name, sorted(operators)]));
    const fields = rows.flatMap(([, names = [], operators = []]) => names.map((name) => [name, sorted(operators)]));
    const all = objectTypes.flatMap((objectType) => systemFields[objectType]).filter((field) => field.filterable);
    expect(types.length).toBe(attributeTypes.length);
    expect(Object.fromEntries(types)).toEqual(
      Object.fromEntries(attributeTypes.map((type) => [type, sorted(operatorsOfType(type))])),
    );
    expect(fields.length).toBe(new Set(all.map(({ name }) => name)).size);
    expect(Object.fromEntries(fields)).toEqual(
      Object.fromEntries(all.map((field) => [field.name, sorted(operatorsOfField(field))])),
    );
  });

  test('list every alias of an operator', () => {
    const aliases = rowsOf('aliases').map(([alias, operator]) => [codesOf(alias)[0], codesOf(operator)[0]]);
    expect(Object.fromEntries(aliases)).toEqual(operatorAliases);
  });

  test('list every type of custom field, in order', () => {
    expect(rowsOf('types').map(([type]) => codesOf(type)[0])).toEqual(attributeTypes);
  });

  test('list every error status', () => {
    const statuses = Object.values(errorCatalogue).map(({ status }) => status);
    expect(rowsOf('statuses').map(([status]) => Number(status))).toEqual([...new Set(statuses)].sort());
  });

  test('list every error code with its status', () => {
    const codes = rowsOf('codes').map(([code, status]) => [codesOf(code)[0], Number(status)]);
    expect(codes).toEqual(Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]));
  });

  test('give the limits that the code enforces', () => {
    const numbers = rowsOf('bounds').map(([, bound]) => Number(bound));
    expect(numbers).toEqual([
      253,
      maxEmailLength,
      maxNameLength,
      maxMarkRun,
      bounds.urlLength,
      bounds.noteContentLength,
      bounds.nextStepLength,
      maxStringLength,
      maxLocationPartLength,
      maxTeamMembers,
      maxSelections,
      bounds.customValuesPerRecord,
      bounds.keysPerCall,
      bounds.additionalContacts,
      bounds.bulkCreateItems,
      bounds.bulkUpdateItems,
      bounds.bodyBytes,
      bounds.bulkBodyBytes,
      32,
      255,
      maxFilterLeaves,
      maxFilterDepth,
      bounds.filterListValues,
      2_000,
      maxQueryLength,
      maxSortKeys,
      bounds.fieldsPerSelection,
      bounds.pageLimitMax,
      bounds.pageBytes,
      maxCursorLength,
    ]);
  });
});
