import type { ObjectType } from '../object-type.js';
import type { AttributeType } from './attribute-types.js';

/** The prefix of a slug in the API's `property_name`. */
export const propertyNamePrefix = 'custom__';

/** The name of a field in `fields`, filters and bodies: `custom__` and the slug. */
export const propertyName = (slug: string): string => `${propertyNamePrefix}${slug}`;

/** The highest rating of a definition without a maximum. */
export const defaultRatingMax = 5;

/** One option of a select, radio or multi_select field. An archived option stays readable but cannot be written. */
export interface FieldOption {
  readonly label: string;
  readonly value: string;
  readonly color: string;
  readonly archived?: boolean;
}

/** The settings of a definition. Its type decides which keys it has. */
export interface FieldMetadata {
  /** select, radio, multi_select. */
  readonly options?: readonly FieldOption[];
  /** currency: an ISO 4217 code. */
  readonly currency?: string;
  /** rating: the highest value; {@link defaultRatingMax} if absent. */
  readonly max?: number;
}

/** A custom field of one organization and object. */
export interface CustomFieldDefinition {
  readonly id: string;
  readonly objectType: ObjectType;
  /** Immutable. The key under `custom_fields`, and with the prefix `custom__` the API's `property_name`. */
  readonly slug: string;
  /** Display name; may change. */
  readonly name: string;
  readonly attributeType: AttributeType;
  readonly metadata: FieldMetadata | null;
  readonly position: number;
  /** False for an archived field: reads return it only if `fields` names it, and records can only keep their values. */
  readonly isActive?: boolean;
  /** Whether reads leave the field out unless a request names it. */
  readonly isHidden: boolean;
  /** The pipelines that an opportunity field applies to; null means all of them (always null for other objects). */
  readonly pipelineIds: readonly string[] | null;
  /** The indexed column that stores this field's comparison key (`text_1`, `number_3`), or null if it has none. */
  readonly slot: string | null;
}

/** Whether a field applies to a pipeline. If `pipelineId` is null, every field applies. */
export const appliesToPipeline = (definition: CustomFieldDefinition, pipelineId: string | null): boolean =>
  pipelineId === null || definition.pipelineIds === null || definition.pipelineIds.includes(pipelineId);
