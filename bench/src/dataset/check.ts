import {
  type AttributeType,
  comparisonKey,
  type CustomValue,
  normalizeForSearch,
  normalizedForm,
  propertyName,
} from '@crm/domain';
import type pg from 'pg';

/** The number of deals to check, spread evenly over all deals. */
const sampleSize = 500;

interface SampleRow {
  readonly id: string;
  readonly name: string;
  readonly normalized_name: string;
  readonly custom_fields: Readonly<Record<string, CustomValue>>;
  readonly normalized: Readonly<Record<string, unknown>>;
  readonly slots: Readonly<Record<string, unknown>>;
  readonly isRecordRight: boolean;
  readonly areTextsRight: boolean;
  readonly areEmptySlotsRight: boolean;
}

interface FieldRow {
  readonly slug: string;
  readonly attributeType: AttributeType;
  readonly slot: string;
}

const sampleSql = `
  SELECT o.id, o.name, o.normalized_name, o.custom_fields, o.normalized, to_jsonb(o) AS slots,
         o.record = opportunity_record(o, additional_contact_ids(o.organization_id, o.id)) AS "isRecordRight",
         o = copy_related_texts(o) AS "areTextsRight", o.empty_slots = empty_slots_of(o) AS "areEmptySlotsRight"
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS n, count(*) OVER () AS total FROM opportunities WHERE organization_id = $1) s
    JOIN opportunities o ON o.organization_id = s.organization_id AND o.id = s.id
   WHERE s.n % greatest(1, s.total / $2) = 0 OR s.n IN (1, s.total)`;

const faultsOf = (row: SampleRow, fields: readonly FieldRow[]): string[] => {
  const checks = [
    ['record', row.isRecordRight],
    ['the texts copied from its account and contact', row.areTextsRight],
    ['empty_slots', row.areEmptySlotsRight],
    ['normalized_name', row.normalized_name === normalizeForSearch(row.name)],
    ...fields.flatMap((field) => {
      const value = row.custom_fields[field.slug] ?? null;
      const normalized = row.normalized[propertyName(field.slug)] ?? null;
      return [
        [`the normalized text of ${field.slug}`, normalized === normalizedForm(field, value)],
        [field.slot, row.slots[field.slot] === comparisonKey(field, value)],
      ] as const;
    }),
  ] as const;
  return checks.filter(([, isRight]) => !isRight).map(([what]) => what);
};

/**
 * Compares a sample of an organization's deals with the results of the write functions.
 * @throws Error that names a deal and its faults
 */
export const checkOpportunities = async (client: pg.Client, organizationId: string): Promise<void> => {
  const fields = await client.query<FieldRow>(
    'SELECT slug, attribute_type AS "attributeType", slot FROM custom_fields WHERE organization_id = $1',
    [organizationId],
  );
  const { rows } = await client.query<SampleRow>(sampleSql, [organizationId, sampleSize]);
  if (rows.length === 0) throw new Error('There are no deals to check');
  for (const row of rows) {
    const faults = faultsOf(row, fields.rows);
    if (faults.length > 0) throw new Error(`The deal ${row.id} was generated wrongly: ${faults.join(', ')}`);
  }
};
