import { wireDefinition, type WireFieldDefinition } from '@crm/domain';
import type { Member, Pipeline, SetupField, Stage } from '../organization-setup.js';

/** A pipeline as both gateways return it. */
export const pipelineWire = ({ id, name, isActive, createdAt }: Pipeline) => ({
  pipeline_id: id,
  name,
  is_active: isActive,
  created_at: createdAt,
});

/** A stage as both gateways return it. */
export const stageWire = (stage: Stage) => ({
  stage_id: stage.id,
  pipeline_id: stage.pipelineId,
  label: stage.label,
  stage_order: stage.position,
  color: stage.color,
  is_active: stage.isActive,
  is_default: stage.isDefault,
  probability: stage.probability,
  outcome: stage.outcome,
});

/** A member as both gateways return them. */
export const memberWire = ({ id, email, name, isActive, createdAt }: Member) => ({
  member_id: id,
  email,
  name,
  is_active: isActive,
  created_at: createdAt,
});

const metadataWire = ({ metadata }: WireFieldDefinition, marks: SetupField['metadata']) => {
  if (metadata === null || !('options' in metadata)) return metadata;
  const isArchived = (value: string) => marks?.options?.find((option) => option.value === value)?.archived === true;
  const markOf = (value: string) => (marks === null ? {} : { is_active: !isArchived(value) });
  return { options: metadata.options.map((option) => ({ ...option, ...markOf(option.value) })) };
};

/** A custom field as both gateways return it. @param marksArchived - whether options say if they are archived */
export const fieldWire = (field: SetupField, marksArchived = false) => ({
  field_id: field.id,
  name: field.slug,
  ...wireDefinition(field),
  metadata: metadataWire(wireDefinition(field), marksArchived ? field.metadata : null),
  is_custom: true,
  is_hidden: field.isHidden,
  is_active: field.isActive,
  pipeline_ids: field.pipelineIds === null ? null : [...field.pipelineIds],
});
