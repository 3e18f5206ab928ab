import type { CustomFieldDefinition } from './definition.js';

/** Whether a field holds for a pipeline. `pipelineId` null asks about no pipeline in particular: every field holds. */
export const holdsForPipeline = (definition: CustomFieldDefinition, pipelineId: string | null): boolean =>
  pipelineId === null || definition.pipelineIds === null || definition.pipelineIds.includes(pipelineId);

/**
 * The definitions that a read shows when it names none: not hidden and holding for the pipeline, in the order given.
 * `pipelineId` null is a read over all pipelines, or of an object that has none.
 */
export const visibleDefinitions = (
  definitions: Iterable<CustomFieldDefinition>,
  pipelineId: string | null,
): CustomFieldDefinition[] =>
  [...definitions].filter((definition) => !definition.isHidden && holdsForPipeline(definition, pipelineId));
