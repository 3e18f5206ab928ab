import { randomUUID } from 'node:crypto';
import { type AttributeType, type FieldMetadata, type ObjectType, slotKind } from '@crm/domain';

/** What a change of the set-up does; the audit trail calls it by this name. */
export type SetupAction =
  | `pipeline.${'create' | 'update'}`
  | `stage.${'create' | 'update'}`
  | `field.${'define' | 'update'}`
  | `member.${'add' | 'update' | 'remove'}`
  | 'organization.update';

/** One change of the set-up, as `change_setup` takes it. */
export interface SetupChange {
  readonly action: SetupAction;
  /** The row that is changed, or made. */
  readonly id: string;
  /** Columns and their new values. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Place among its kind, from 1. */
  readonly position?: number | undefined;
  /** What the audit trail says; without it the change is part of the one before. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether it outdates stored records of opportunities. */
  readonly outdates_records?: boolean;
  readonly [property: string]: unknown;
}

/** A stage to be made. */
export interface NewStage {
  readonly label: string;
  readonly color?: string | undefined;
  /** Chance of winning in per cent. */
  readonly probability?: number | null | undefined;
  readonly isDefault?: boolean | undefined;
  readonly isActive?: boolean | undefined;
}

/** What changes about a stage; undefined keeps. */
export interface StageChange extends Omit<NewStage, 'label'> {
  readonly label?: string | undefined;
  readonly position?: number | undefined;
}

/** What changes about a pipeline; undefined keeps. */
export interface PipelineChange {
  readonly name?: string | undefined;
  /** False archives it: it keeps its opportunities and gets no new ones. */
  readonly isActive?: boolean | undefined;
  readonly position?: number | undefined;
}

/** A custom field to be defined. */
export interface NewField {
  readonly objectType: ObjectType;
  readonly slug: string;
  readonly name: string;
  readonly attributeType: AttributeType;
  readonly metadata: FieldMetadata | null;
  /** After all others when absent. */
  readonly position?: number | undefined;
  readonly isHidden: boolean;
  /** True when absent. */
  readonly isActive?: boolean | undefined;
  /** Null: every pipeline. */
  readonly pipelineIds: readonly string[] | null;
}

/** What may change about a custom field; what is absent stays. Its slug, type and pipelines are for good. */
export interface FieldValues {
  readonly name?: string | undefined;
  readonly metadata?: FieldMetadata | null | undefined;
  readonly position?: number | undefined;
  readonly isHidden?: boolean | undefined;
  /** False archives it: requests do not know it, and its values stay. */
  readonly isActive?: boolean | undefined;
}

/** What changes about a member; undefined keeps. */
export interface MemberChange {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly isActive?: boolean | undefined;
}

const withoutUndefined = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const defaultColor = 'gray';

const stageColumns = ({ label, color, probability, isActive, isDefault }: StageChange) =>
  withoutUndefined({ label, color, probability, is_active: isActive, is_default: isDefault });

const stageInsert = (id: string, pipelineId: string, stage: NewStage): SetupChange => ({
  action: 'stage.create',
  id,
  pipeline_id: pipelineId,
  set: { color: defaultColor, ...stageColumns(stage) },
});

/** Makes a pipeline with its stages in order. */
export const createPipelineChanges = (
  id: string,
  { name, isActive, position }: PipelineChange & { readonly name: string },
  stages: readonly NewStage[],
): readonly SetupChange[] => [
  {
    action: 'pipeline.create',
    id,
    set: withoutUndefined({ name, is_active: isActive }),
    ...withoutUndefined({ position }),
    details: { name, stages: stages.map(({ label }) => label) },
  },
  ...stages.map((stage) => stageInsert(randomUUID(), id, stage)),
];

/** Renames, moves, archives or restores a pipeline. */
export const updatePipelineChange = (id: string, { name, isActive, position }: PipelineChange): SetupChange => {
  const set = withoutUndefined({ name, is_active: isActive });
  const place = withoutUndefined({ position });
  return { action: 'pipeline.update', id, set, ...place, details: { ...set, ...place } };
};

/** Adds a stage to a pipeline, after its others unless it has a position. */
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

/** Changes a stage. Its label is part of the stored records of its opportunities. */
export const updateStageChange = (id: string, change: StageChange): SetupChange => {
  const set = stageColumns(change);
  const place = withoutUndefined({ position: change.position });
  const outdates = change.label === undefined ? {} : { outdates_records: true };
  return { action: 'stage.update', id, set, ...place, ...outdates, details: { ...set, ...place } };
};

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
      ...{ object: objectType, slug, name, attribute_type: attributeType, is_hidden: isHidden },
      pipeline_ids: pipelineIds,
    },
  };
};

/** Which custom field changes. */
export interface FieldTarget {
  readonly id: string;
  readonly objectType: ObjectType;
  readonly slug: string;
}

/**
 * Changes a custom field. Hidden and archived fields of opportunities are no part of their stored records.
 * @param foundMetadata - what the new metadata were made from; the change is refused where they are not that any more
 */
export const updateFieldChange = (
  { id, objectType, slug }: FieldTarget,
  { name, metadata, position, isHidden, isActive }: FieldValues,
  foundMetadata?: FieldMetadata | null,
): SetupChange => {
  const set = withoutUndefined({ name, metadata, is_hidden: isHidden, is_active: isActive });
  const place = withoutUndefined({ position });
  const isVisibility = objectType === 'opportunity' && (isHidden !== undefined || isActive !== undefined);
  return {
    action: 'field.update',
    id,
    set,
    ...place,
    ...withoutUndefined({ found_metadata: foundMetadata }),
    ...(isVisibility ? { outdates_records: true } : {}),
    details: { object: objectType, slug, ...set, ...place },
  };
};

/** Adds a person. */
export const addMemberChange = (
  id: string,
  { email, name, isActive }: MemberChange & { readonly email: string; readonly name: string },
): SetupChange => ({
  action: 'member.add',
  id,
  set: withoutUndefined({ email, name, is_active: isActive }),
  details: { email, name },
});

/** Changes a person; a former one becomes a member again by `isActive`. */
export const updateMemberChange = (id: string, { email, name, isActive }: MemberChange): SetupChange => {
  const set = withoutUndefined({ email, name, is_active: isActive });
  return { action: 'member.update', id, set, details: set };
};

/** Removes a person, who keeps their opportunities as a former member, or has none and leaves no trace. */
export const removeMemberChange = (id: string, keepsOpportunities: boolean): SetupChange => ({
  action: 'member.remove',
  id,
  keeps_opportunities: keepsOpportunities,
  details: { keeps_opportunities: keepsOpportunities },
});

/** Sets the currency of new opportunities that name none, or takes it away. */
export const currencyChange = (organizationId: string, currency: string | null): SetupChange => ({
  action: 'organization.update',
  id: organizationId,
  set: { currency },
  details: { currency },
});
