import type { CustomFieldDefinition } from './definition.js';

/** Whether a field applies to a pipeline. If `pipelineId` is null, every field applies. */
export const appliesToPipeline = (definition: CustomFieldDefinition, pipelineId: string | null): boolean =>
  pipelineId === null || definition.pipelineIds === null || definition.pipelineIds.includes(pipelineId);

/**
 * The definitions that a read shows by default: those that are not hidden and apply to the pipeline, in the given
 * order. `pipelineId` is null for a read of all pipelines, or of an object without pipelines.
 */
export const visibleDefinitions = (
  definitions: Iterable<CustomFieldDefinition>,
  pipelineId: string | null,
): CustomFieldDefinition[] =>
  [...definitions].filter((definition) => !definition.isHidden && appliesToPipeline(definition, pipelineId));
