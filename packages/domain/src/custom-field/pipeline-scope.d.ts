import type { CustomFieldDefinition } from './definition.js';
/** Whether a field applies to a pipeline. If `pipelineId` is null, every field applies. */
export declare const appliesToPipeline: (definition: CustomFieldDefinition, pipelineId: string | null) => boolean;
