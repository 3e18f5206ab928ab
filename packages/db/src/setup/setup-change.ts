import { randomUUID } from 'node:crypto';
import {
  comparableName,
  type AttributeType,
  type FieldMetadata,
  type ObjectType,
  slotKind,
  type StageOutcome,
} from '@crm/domain';

/** The kind of a change of the setup. The audit trail shows this name. */
export type SetupAction =
  | `pipeline.${'create' | 'update'}`
  | `stage.${'create' | 'update' | 'delete'}`
  | `field.${'define' | 'update' | 'delete'}`
  | `member.${'add' | 'update' | 'remove'}`
  | 'organization.update';

/** One change of the setup, as the SQL function `change_setup` expects it. */
export interface SetupChange {
  readonly action: SetupAction;
  /** The id of the row to change or create. */
  readonly id: string;
  /** Columns and their new values. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** The position among rows of the same kind, from 1. */
  readonly position?: number | undefined;
  /** The details in the audit trail. Without them, the change is part of the previous one and gets no entry of its own. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether the change makes stored records of opportunities outdated. */
  readonly outdates_records?: boolean;
  readonly [property: string]: unknown;
}

/** A stage to create. */
export interface NewStage {
  readonly label: string;
  readonly color?: string | undefined;
  /** The chance of winning in percent. */
  readonly probability?: number | null | undefined;
  /** Whether deals in it are open, won or lost. By default open. */
  readonly outcome?: StageOutcome | undefined;
  readonly isDefault?: boolean | undefined;
  readonly isActive?: boolean | undefined;
}

/** Changes of a stage. Undefined keeps the value. */
export interface StageChange extends Omit<NewStage, 'label'> {
  readonly label?: string | undefined;
  readonly position?: number | undefined;
}

/** Changes of a pipeline. Undefined keeps the value. */
export interface PipelineChange {
  readonly name?: string | undefined;
  /** False archives the pipeline. It keeps its opportunities and gets no new ones. */
  readonly isActive?: boolean | undefined;
  readonly position?: number | undefined;
}

/** A custom field to define. */
export interface NewField {
  readonly objectType: ObjectType;
  readonly slug: string;
  readonly name: string;
  readonly attributeType: AttributeType;
  readonly metadata: FieldMetadata | null;
  /** By default after all others. */
  readonly position?: number | undefined;
  readonly isHidden: boolean;
  /** By default true. */
  readonly isActive?: boolean | undefined;
  /** Null for all pipelines. */
  readonly pipelineIds: readonly string[] | null;
}

/** Changes of the settings of a custom field. Undefined keeps the value. Slug, type and pipelines cannot change. */
export interface FieldSettingsChange {
  readonly name?: string | undefined;
  readonly metadata?: FieldMetadata | null | undefined;
  readonly position?: number | undefined;
  readonly isHidden?: boolean | undefined;
  /** False archives the field. It is unknown to requests, and its stored values are retained. */
  readonly isActive?: boolean | undefined;
}

/** Changes of a member. Undefined keeps the value. */
export interface MemberChange {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly isActive?: boolean | undefined;
}

const withoutUndefined = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const defaultColor = 'gray';

/** A name or label as the audit trail shows it, and beside it the form in which it is compared. */
const withComparable = (set: Readonly<Record<string, unknown>>, name: 'name' | 'label'): Record<string, unknown> => {
  const text = set[name];
  return typeof text === 'string' ? { ...set, [`comparable_${name}`]: comparableName(text) } : set;
};

const stageColumns = ({ label, color, probability, outcome, isActive, isDefault }: StageChange) =>
  withoutUndefined({ label, color, probability, outcome, is_active: isActive, is_default: isDefault });

const stageInsert = (id: string, pipelineId: string, stage: NewStage): SetupChange => ({
  action: 'stage.create',
  id,
  pipeline_id: pipelineId,
  set: { color: defaultColor, ...withComparable(stageColumns(stage), 'label') },
});

/** Creates a pipeline with its stages in order. */
export const createPipelineChanges = (
  id: string,
  { name, isActive, position }: PipelineChange & { readonly name: string },
  stages: readonly NewStage[],
): readonly SetupChange[] => [
  {
    action: 'pipeline.create',
    id,
    set: withComparable(withoutUndefined({ name, is_active: isActive }), 'name'),
    ...withoutUndefined({ position }),
    details: { name, stages: stages.map(({ label }) => label) },
  },
  ...stages.map((stage) => stageInsert(randomUUID(), id, stage)),
];

/** Renames, moves, archives or restores a pipeline. */
export const updatePipelineChange = (id: string, { name, isActive, position }: PipelineChange): SetupChange => {
  const set = withoutUndefined({ name, is_active: isActive });
  const place = withoutUndefined({ position });
  return { action: 'pipeline.update', id, set: withComparable(set, 'name'), ...place, details: { ...set, ...place } };
};

/** Adds a stage to a pipeline, by default after all others. */
export const createStageChange = (
  id: string,
  pipelineId: string,
  stage: NewStage,
  position: number | undefined,
): SetupChange => {
  const place = withoutUndefined({ position });
  const details = { pipeline_id: pipelineId, ...stageColumns(stage), ...place };
  return { ...stageInsert(id, pipelineId, stage), ...place, details };
};

/**
 * Changes a stage. The stored records of its opportunities contain the label, and `closed_at` depends on the outcome.
 * @param keepsOpportunities - whether a stage with opportunities may be archived, because the caller moves them next
 */
export const updateStageChange = (id: string, change: StageChange, keepsOpportunities = false): SetupChange => {
  const set = stageColumns(change);
  const place = withoutUndefined({ position: change.position });
  const outdates = change.label === undefined && change.outcome === undefined ? {} : { outdates_records: true };
  const keeps = keepsOpportunities ? { keeps_opportunities: true } : {};
  const columns = withComparable(set, 'label');
  return { action: 'stage.update', id, set: columns, ...place, ...outdates, ...keeps, details: { ...set, ...place } };
};

/** Deletes a stage without opportunities. */
export const deleteStageChange = (id: string, pipelineId: string, label: string): SetupChange => ({
  action: 'stage.delete',
  id,
  details: { pipeline_id: pipelineId, label },
});

/** Defines a custom field. */
export const defineFieldChange = (id: string, field: NewField): SetupChange => {
  const { objectType, slug, name, attributeType, metadata, position, isHidden, isActive, pipelineIds } = field;
  const values = { object_type: objectType, slug, name, attribute_type: attributeType };
  return {
    action: 'field.define',
    id,
    set: withoutUndefined({ ...values, metadata, is_hidden: isHidden, is_active: isActive }),
    ...withoutUndefined({ position }),
    slot_kind: slotKind(attributeType),
    pipeline_ids: pipelineIds,
    details: {
      object: objectType,
      slug,
      name,
      attribute_type: attributeType,
      is_hidden: isHidden,
      pipeline_ids: pipelineIds,
    },
  };
};

/** The custom field to change. */
export interface FieldTarget {
  readonly id: string;
  readonly objectType: ObjectType;
  readonly slug: string;
}

/** How a change of a custom field was made. */
export interface FieldChangeOptions {
  /** The metadata that the new metadata are based on; the change is refused if the stored metadata differ from it. */
  readonly foundMetadata?: FieldMetadata | null | undefined;
  /** The only option that changes; the audit trail shows it instead of all options. */
  readonly option?: object;
  /** Whether the change is refused if records have values of the field, because it would change their meaning. */
  readonly refusesValues?: boolean;
}

/** Changes a custom field. The stored records of opportunities leave out hidden and archived fields. */
export const updateFieldChange = (
  { id, objectType, slug }: FieldTarget,
  { name, metadata, position, isHidden, isActive }: FieldSettingsChange,
  { foundMetadata, option, refusesValues = false }: FieldChangeOptions = {},
): SetupChange => {
  const settings = { name, is_hidden: isHidden, is_active: isActive };
  const set = withoutUndefined({ ...settings, metadata });
  const audited = withoutUndefined(option === undefined ? set : { ...settings, option });
  const place = withoutUndefined({ position });
  const isVisibility = objectType === 'opportunity' && (isHidden !== undefined || isActive !== undefined);
  return {
    action: 'field.update',
    id,
    set,
    ...place,
    ...withoutUndefined({ found_metadata: foundMetadata }),
    ...(refusesValues ? { refuses_values: true } : {}),
    ...(isVisibility ? { outdates_records: true } : {}),
    details: { object: objectType, slug, ...audited, ...place },
  };
};

/** Deletes a custom field that no record has a value of. */
export const deleteFieldChange = ({ id, objectType, slug }: FieldTarget): SetupChange => ({
  action: 'field.delete',
  id,
  details: { object: objectType, slug },
});

/** Adds a member. */
export const addMemberChange = (
  id: string,
  { email, name, isActive }: MemberChange & { readonly email: string; readonly name: string },
): SetupChange => ({
  action: 'member.add',
  id,
  set: withoutUndefined({ email, name, is_active: isActive }),
  details: { email, name },
});

/** Changes a member. `isActive: true` makes a former member active again. */
export const updateMemberChange = (id: string, { email, name, isActive }: MemberChange): SetupChange => {
  const set = withoutUndefined({ email, name, is_active: isActive });
  return { action: 'member.update', id, set, details: set };
};

/** Removes a member. With `keepsOpportunities`, the member becomes inactive. Otherwise, it must own no opportunities and is deleted. */
export const removeMemberChange = (id: string, keepsOpportunities: boolean): SetupChange => ({
  action: 'member.remove',
  id,
  keeps_opportunities: keepsOpportunities,
  details: { keeps_opportunities: keepsOpportunities },
});

/** Changes of an organization. Undefined keeps the value. */
export interface OrganizationChange {
  readonly name?: string | undefined;
  /** The default currency of new opportunities; null for none. */
  readonly currency?: string | null | undefined;
}

/** Renames an organization, or sets its default currency. */
export const organizationChange = (id: string, change: OrganizationChange): SetupChange => {
  const set = withoutUndefined({ ...change });
  return { action: 'organization.update', id, set, details: set };
};
