import { type FieldRef, type FilterLeaf, matchesFilter, normalizeForSearch } from '@crm/domain';
import type { OrganizationSetup } from '../../organization-setup.js';
import type { Parameters } from '../parameters.js';
import { type FieldSql, lazyText } from './field-sql.js';

/**
 * A field whose values are labels from the organization's setup: a stage's label, a pipeline's name or an owner's email. The record
 * has only the id. The setup in memory has all labels.
 */
export interface LabelField {
  /** The record's column with the id. */
  readonly column: 'stage_id' | 'pipeline_id' | 'owner_id';
  /** Labels by id. */
  readonly labels: ReadonlyMap<string, string>;
}

/** The labels of a field, or null if it is not a label. */
export const labelField = (setup: OrganizationSetup, ref: FieldRef): LabelField | null => {
  if (ref.source !== 'system') return null;
  switch (ref.field.name) {
    case 'stage_name':
      return { column: 'stage_id', labels: setup.stageLabels };
    case 'pipeline_name':
      return { column: 'pipeline_id', labels: setup.pipelineNames };
    case 'owner_email':
      return { column: 'owner_id', labels: setup.memberEmails };
    default:
      return null;
  }
};

/** The ids whose labels match a comparison. They are matched in memory, because the database indexes the ids and not the labels. */
export const idsOfMatchingLabels = ({ labels }: LabelField, leaf: FilterLeaf): readonly string[] =>
  [...labels].filter(([, label]) => matchesFilter(leaf, () => normalizeForSearch(label))).map(([id]) => id);

/** The normalized label of the record `r`. */
export const labelSql = ({ column, labels }: LabelField, parameters: Parameters): FieldSql =>
  lazyText(() => {
    const ids = parameters.add([...labels.keys()]);
    const texts = parameters.add([...labels.values()].map(normalizeForSearch));
    return `SELECT x.label FROM unnest(${ids}::uuid[], ${texts}::text[]) AS x (id, label) WHERE x.id = r.${column}`;
  });
