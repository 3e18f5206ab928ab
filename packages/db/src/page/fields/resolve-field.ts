import type { FieldRef } from '@crm/domain';
import type { SqlScope } from '../parameters.js';
import { customField } from './custom-field.js';
import type { FieldSql } from './field-sql.js';
import { relationField, systemField } from './system-field.js';

/**
 * The SQL over the record `r` for a field that a filter or sort names. Slugs and part names become parameters, never SQL text.
 *
 * - `amount` → `r.amount`
 * - `custom__tier`, which has the slot `text_1` → sort key `r.text_1`, value `(r.normalized->>$2::text) COLLATE "C"`
 * - `account.name` → sort key `r.account_name_key`
 */
export const fieldSql = (scope: SqlScope, ref: FieldRef): FieldSql => {
  if (ref.source === 'system') return systemField(scope, ref.field);
  if (ref.source === 'custom') return customField(ref.definition, ref.part, scope.parameters);
  return relationField(scope.objectType, ref.name);
};
