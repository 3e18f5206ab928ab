import type { CustomFieldDefinition } from './definition.js';

/** Whether a field applies to a pipeline. If `pipelineId` is null, every field applies. */
export const appliesToPipeline = (definition: CustomFieldDefinition, pipelineId: string | null): boolean =>
  pipelineId === null || definition.pipelineIds === null || definition.pipelineIds.includes(pipelineId);
