import type { FilterLeaf } from '@crm/domain';
import type { FieldSql } from '../fields/field-sql.js';
import type { Parameters } from '../parameters.js';
import { not, valuesOf } from './scalar-comparison.js';

/** A comparison of a field with several values, which is stored as a jsonb array. */
export const setComparison = (leaf: FilterLeaf, field: FieldSql, parameters: Parameters): string => {
  const { operator } = leaf;
  const set = field.expression;
  const values = valuesOf(leaf);
  switch (operator) {
    case 'eq': {
      const wanted = `${parameters.add(JSON.stringify(values))}::jsonb`;
      return `(${set} @> ${wanted} AND ${set} <@ ${wanted})`;
    }
    case 'in':
      return `${set} ?| ${parameters.add(values)}::text[]`;
    case 'contains_all':
      return `${set} ?& ${parameters.add(values)}::text[]`;
    case 'not_in':
    case 'contains_none':
      return not(`${set} ?| ${parameters.add(values)}::text[]`);
    case 'empty':
      return not(`jsonb_array_length(${set}) > 0`);
    case 'not_empty':
      return `jsonb_array_length(${set}) > 0`;
    default:
      throw new Error(`The operator ${operator} does not fit several values`);
  }
};
